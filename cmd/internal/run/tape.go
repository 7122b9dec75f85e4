package run

import (
	"io"
	"os"

	"helve/cmd/internal/command"
	"helve/tool"
	"helve/wrap"
)

// A tape records the calls of a run, or answers them.
type tape struct {
	around []func(tool.Caller) tool.Caller
	file   io.Closer // nil: there is nothing to close
}

// openTape opens what --record or --replay names; without them it does nothing. Close it.
func openTape(s command.Streams, o runOptions) (*tape, error) {
	switch {
	case o.record != "":
		// Results have in them what the person's files have: nobody else may read them.
		w, err := os.OpenFile(s.Path(o.record), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, command.Usage("run: --record: %v", err)
		}
		return &tape{around: []func(tool.Caller) tool.Caller{wrap.Tape(w)}, file: w}, nil
	case o.replay != "":
		// Nothing is run then: a call that the file does not answer is refused.
		r, err := os.Open(s.Path(o.replay))
		if err != nil {
			return nil, command.Usage("run: --replay: %v", err)
		}
		defer r.Close()
		c, err := wrap.ReadCassette(r)
		if err != nil {
			return nil, command.Usage("run: --replay: %v", err)
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
