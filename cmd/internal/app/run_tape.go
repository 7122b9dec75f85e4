package app

import (
	"io"
	"os"

	"helve/tool"
	"helve/wrap"
)

// A tape records the calls of a run, or answers them.
type tape struct {
	around []func(tool.Caller) tool.Caller
	file   io.Closer // nil: there is nothing to close
}

// openTape opens what --record or --replay names; without them it does nothing. Close it.
func openTape(s streams, o runOptions) (*tape, error) {
	switch {
	case o.record != "":
		// Results have in them what the person's files have: nobody else may read them.
		w, err := os.OpenFile(s.path(o.record), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, usage("run: --record: %v", err)
		}
		return &tape{around: []func(tool.Caller) tool.Caller{wrap.Tape(w)}, file: w}, nil
	case o.replay != "":
		// Nothing is run then: a call that the file does not answer is refused.
		r, err := os.Open(s.path(o.replay))
		if err != nil {
			return nil, usage("run: --replay: %v", err)
		}
		defer r.Close()
		c, err := wrap.ReadCassette(r)
		if err != nil {
			return nil, usage("run: --replay: %v", err)
		}
		return &tape{around: []func(tool.Caller) tool.Caller{c.Play}}, nil
	}
	return &tape{}, nil
}

// Close ends the recording. It may be called again.
func (t *tape) Close() error {
	if t.file == nil {
		return nil
	}
	file := t.file
	t.file = nil
	return file.Close()
}
