package serve

import (
	"crypto/tls"
	"net"
	"os"
	"sync"
	"time"

	"helve/cmd/internal/command"
)

// certEvery is how often, at most, the files of a certificate are looked at: what renews it starts no server anew.
const certEvery = time.Second

// A certificate is the pair of files by which a server speaks TLS.
type certificate struct {
	cert, key string
	say       func(format string, args ...any)

	mu     sync.Mutex
	pair   *tls.Certificate
	looked time.Time // at the files
	made   [2]time.Time
}

// overTLS makes a listener one that speaks TLS, where the flags name a certificate. It speaks HTTP/1.1 alone: the
// bounds of a gate count connections, and one of HTTP/2 carries any number of requests.
func (o consoleOptions) overTLS(s command.Streams, l net.Listener) (net.Listener, error) {
	if !o.withTLS() {
		return l, nil
	}
	c := &certificate{cert: o.tlsCert, key: o.tlsKey, say: s.Say}
	if err := c.read(); err != nil {
		return nil, command.Usage("--tls-cert %s, --tls-key %s: %s", o.tlsCert, o.tlsKey, command.Cause(err))
	}
	return tls.NewListener(l, &tls.Config{
		GetCertificate: c.current,
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
	}), nil
}

// withTLS tells whether the server speaks TLS itself.
func (o consoleOptions) withTLS() bool { return o.tlsCert != "" }

// scheme begins the addresses of the server.
func (o consoleOptions) scheme() string {
	if o.withTLS() {
		return "https"
	}
	return "http"
}

// checkTLS tells of half a pair.
func (o consoleOptions) checkTLS() error {
	if (o.tlsCert == "") != (o.tlsKey == "") {
		return command.Usage("--tls-cert and --tls-key go together: want both, or neither")
	}
	return nil
}

// read reads the pair. mu is held, or nobody else has the certificate yet.
func (c *certificate) read() error {
	made, err := c.times()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	if time.Now().After(pair.Leaf.NotAfter) {
		c.say("warning: the certificate in %s ended on %s: clients will refuse it", c.cert,
			pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	c.pair, c.made, c.looked = &pair, made, time.Now()
	return nil
}

// times are when the files were written.
func (c *certificate) times() (made [2]time.Time, err error) {
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return made, err
		}
		made[i] = info.ModTime()
	}
	return made, nil
}

// current is the pair as it stands in the files. While these cannot be read, as in the middle of a renewal, the one
// before serves on.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < certEvery {
		return c.pair, nil
	}
	c.looked = time.Now()
	made, err := c.times()
	if err == nil && made != c.made {
		err = c.read()
		c.made = made // what is wrong is said once
	}
	if err != nil {
		c.say("warning: --tls-cert: %s: the certificate before serves on", command.Cause(err))
	}
	return c.pair, nil
}
