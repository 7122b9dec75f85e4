package upstream

import (
	"errors"
	"slices"
	"strings"
)

// behindVariable tells a server's process which servers it is behind: their keys, from the outermost on. A server that
// is helve itself would start itself again, and that one again, without an end.
const behindVariable = "HELVE_BEHIND"

// errLoop is why a server is not there in a process that it started.
var errLoop = errors.New("this helve was started as that server, and would start itself again without end: " +
	"take it out of the configuration, or give the inner one another (helve -C DIR serve)")

// behind are the servers that this process was started as, or for.
func (s *server) behind() []string {
	for _, kv := range s.o.Environ {
		if v, ok := strings.CutPrefix(kv, behindVariable+"="); ok {
			return strings.Split(v, ":")
		}
	}
	return nil
}

// loops tells that this process was started as the server, by somebody who has it configured as we have.
func (s *server) loops() bool { return s.cfg.Command != "" && slices.Contains(s.behind(), s.key) }

// mark is the variable for the server's own process.
func (s *server) mark() string {
	return behindVariable + "=" + strings.Join(append(s.behind(), s.key), ":")
}
