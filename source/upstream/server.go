package upstream

import (
	"errors"
	"fmt"
	"os"
	"time"

	"helve/tool"
)

// logKept is how much of what a server said on stderr is kept for those who look at it, in bytes.
const logKept = 16 << 10

// A server is one MCP server as it is configured, with what the program around brings. All parts of a Source know it,
// and it knows none of them. What changes of it is what it said.
type server struct {
	cfg    Config
	o      Options
	digest string
	key    string // of what is remembered about it

	known introduction
	log   tail // the end of what it said on stderr
}

// configured is a server with what was left to us filled in.
func configured(c Config, o Options) (*server, error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	var err error
	if c.URL, err = expanded(c.URL, o.Environ); err != nil {
		return nil, fmt.Errorf("mcp server %s: url: %w", c.Name, err)
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	if o.Launch == nil {
		o.Launch = plainLauncher{}
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	s := &server{cfg: c.filled(), o: o, digest: c.Digest(), log: tail{most: logKept}}
	s.key = s.cfg.key(s.digest)
	return s, nil
}

// errClosed says that the source was closed.
var errClosed = errors.New("closed")

// remote tells whether the server stands behind a URL, and is not started here.
func (s *server) remote() bool { return s.cfg.URL != "" }

// transport is the one as it is configured.
func (s *server) transport() string {
	switch {
	case s.cfg.URL == "":
		return "stdio"
	case s.cfg.Type == "sse":
		return "sse"
	}
	return "http"
}

// givenUp is how long a start or a list may go on: where the program lives long, for longer than anybody waits.
func (s *server) givenUp() time.Duration { return max(s.cfg.StartTimeout, s.o.Patient) }

func (s *server) warn(msg string, args ...any) {
	if s.o.Log != nil {
		s.o.Log.Warn(msg, append([]any{"server", s.cfg.Name}, args...)...)
	}
}

// kind is what a tool of this server is judged by where nothing else is known: a
// program may do anything, a server on the network sees what it is sent.
func (s *server) kind() tool.Kind {
	if s.cfg.URL != "" {
		return tool.Net
	}
	return tool.Exec
}

// confinement is what a failure of this server may have to do with how it is confined; "": nothing, or it was said.
func (s *server) confinement(said string) string {
	l, ok := s.o.Launch.(*Light)
	if !ok {
		return ""
	}
	return l.hint(s.cfg.Name, said)
}

// explained is the error of a start with that.
func (s *server) explained(err error) error {
	hint := s.confinement(err.Error())
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w\nhint: %s", err, hint)
}
