package serve

import (
	"net"
	"strconv"
	"strings"

	"helve/cmd/internal/command"
)

// An address is one to listen on, as a flag has it.
type address struct {
	flag, given string // as they were written
	text        string // as it is listened on
	host        string
	local       bool // only this machine reaches it
}

// addressOf reads the value of a flag. One without a host is on loopback, where others would mean all interfaces.
func addressOf(flag, given string) (address, error) {
	at := address{flag: flag, given: given, text: given}
	if strings.HasPrefix(given, ":") {
		at.text = "127.0.0.1" + given
	}
	host, port, err := net.SplitHostPort(at.text)
	if err != nil {
		return at, command.Usage("%s %q: want HOST:PORT", flag, given)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return at, command.Usage("%s %q: want a port from 1 to 65535, or 0 for any that is free", flag, given)
	}
	at.host, at.local = host, loopback(host)
	return at, nil
}

// inTheOpen refuses an address that other machines reach, unless it is safe: over plain HTTP whoever is on the way
// reads the token, or the login, and with it can use every tool. Only whoever starts us knows what stands between.
func (a address) inTheOpen(safe bool) error {
	if a.local || safe {
		return nil
	}
	return command.Usage(
		"%s %s: it is not a loopback address, and over plain HTTP whoever is on the way reads the token\n"+
			"hint: %s 127.0.0.1:PORT; --tls-cert FILE --tls-key FILE; "+
			"or --behind-proxy, where a proxy with TLS or a private network stands before it",
		a.flag, a.given, a.flag)
}
