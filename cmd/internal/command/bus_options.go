package command

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"helve/internal/config"
	"helve/internal/state"
)

// OnBus is --shared for what is kept on the bus; a folder of this name is ./bus.
const OnBus = "bus"

// MinToken is the least that a token of the user's own must have, in bytes.
const MinToken = 16

const (
	// busAddress is where the bus of this machine listens, unless the configuration names another place.
	busAddress = "127.0.0.1:4222"
	// DefaultPool does the work of all tools where the configuration names no pools.
	DefaultPool = "default"
)

// JoinOptions are those of the user's configuration.
func JoinOptions(s Streams, set *config.Bus) (BusOptions, error) {
	o := BusOptions{Embed: busAddress, Say: s.Say, Log: s.Logger()}
	if set != nil {
		if set.URL != "" && set.Embed != "" {
			return o, Usage("bus: url and embed: want one of them, a server elsewhere or one in this process")
		}
		o.URL, o.Key, o.CA = set.URL, s.HomePath(set.Key), s.HomePath(set.CA)
		o.TicketKey, o.GatewayKeys, o.Policy = s.HomePath(set.TicketKey), set.GatewayKeys, set.Policy
		if o.GatewayKeys != nil && len(o.GatewayKeys) == 0 {
			return o, Usage("bus.gateway_keys: it names no key; leave it out where calls are not signed")
		}
		if set.Embed != "" {
			o.Embed = set.Embed
		}
	}
	if o.URL != "" {
		return o, nil
	}
	token, err := busToken(s.Places().StateDir)
	if err != nil {
		return o, Usage("the token of the bus: %v", err)
	}
	o.Token = token
	return o, nil
}

// busToken is what programs of this person show to the bus of this machine. It is made once, in a file that nobody else
// can read: whoever reaches the bus can run commands.
func busToken(dir string) (string, error) {
	unlock, err := state.Lock(dir, "bus-token")
	if err != nil {
		return "", err
	}
	defer unlock()
	file := filepath.Join(dir, "bus-token")
	b, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		made := rand.Text()
		return made, state.Replace(file, []byte(made), 0o600)
	case err != nil:
		return "", err
	case len(b) < MinToken:
		return "", fmt.Errorf("%s: %d bytes, want %d at least: remove it, and a new one is made",
			file, len(b), MinToken)
	}
	return string(b), nil
}

// BusOf is the bus of a command: the one that a flag names, or the configuration's.
func (c Common) BusOf(s Streams, url string) (BusOptions, error) {
	read, err := c.LoadHere(s)
	if err != nil {
		return BusOptions{}, err
	}
	set := read.Bus
	if url != "" {
		var own config.Bus
		if set != nil {
			own = *set
		}
		own.URL, own.Embed = url, ""
		set = &own
	}
	return JoinOptions(s, set)
}
