package bash

import (
	"bytes"
	"strings"

	"helve/engine/sandbox"
)

const (
	// progressLines are told of what a running command printed last: enough to see where it is.
	progressLines = 10
	// progressBytes bound them: a command may print without a line end.
	progressBytes = 4 << 10
)

// A recent is what a command printed last, on both streams in the order in which it came. It is told as a whole each
// time: a report of progress takes the place of those that nobody heard yet.
type recent struct {
	text   []byte
	stderr bool // the last piece was of stderr
}

// add takes a piece of output and returns the last lines.
func (r *recent) add(piece sandbox.Chunk) string {
	if piece.Stderr != r.stderr && len(r.text) > 0 && !bytes.HasSuffix(r.text, []byte("\n")) {
		r.text = append(r.text, '\n') // a line of one stream does not go on in the other
	}
	r.stderr = piece.Stderr
	r.text = append(r.text, piece.Data...)
	if over := len(r.text) - progressBytes; over > 0 {
		r.text = r.text[over:]
	}
	lines := bytes.SplitAfter(r.text, []byte("\n"))
	r.text = bytes.Join(lines[max(len(lines)-progressLines-1, 0):], nil)
	return strings.ToValidUTF8(string(r.text), "\ufffd")
}
