package bash

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"helve/engine/sandbox"
	"helve/tool"
)

const (
	// bashKeep is how much of each stream is kept, half of it head and half tail: more than a model pages through.
	bashKeep = 10 << 20
	// bashShown is how much of each stream the model sees; both stay below the limit on a result.
	bashShown = 18_000
)

// clean is a stream as text, without the line ends that close it. Blanks at its start stay: they tell " M" from "M "
// in git's short status, and are the indentation of what sed -n cuts out of a file. Nothing but blanks is nothing.
func clean(b []byte) string {
	text := strings.TrimRight(strings.ToValidUTF8(string(b), "\ufffd"), "\r\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// kept keeps the whole for the session's read and grep, and says how to get at it.
func kept(s *tool.Session, r io.Reader) string {
	if s == nil {
		return "filter the command's output, with grep or tail"
	}
	ref, err := s.Keep(r)
	if err != nil {
		return "the whole could not be kept: " + err.Error()
	}
	return fmt.Sprintf("page the whole with read {\"file_path\":%q,\"offset\":…} or search it with grep {\"path\":%q}",
		ref.ID, ref.ID)
}

// afterRune is b without the end of a character that it cuts.
func afterRune(b []byte) []byte {
	for i := 0; i < utf8.UTFMax && i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// wholeRunes is b without the beginning of a character that it cuts.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		at := len(b) - i
		if utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return b[:at]
			}
			break
		}
	}
	return b
}

// printedBy is what a process printed: for a model head and tail of it, for a program all that it takes.
func printedBy(call *tool.Call, p *sandbox.Process) printed {
	var out printed
	out.Stdout, out.StdoutCut = stream(call, p.Stdout)
	out.Stderr, out.StderrCut = stream(call, p.Stderr)
	return out
}

// stream is one of the two.
func stream(call *tool.Call, o *sandbox.Output) (string, *cutOutput) {
	head, tail, between := o.HeadTail(call.Room(bashShown))
	if between == 0 {
		return clean(head), nil
	}
	size := len(head) + len(tail)
	head, tail = wholeRunes(head), afterRune(tail)
	between += int64(size - len(head) - len(tail))
	text := clean(head)
	cut := &cutOutput{At: len(text), Bytes: between}
	if err := o.Err(); err != nil {
		cut.How = "it could not be kept: " + err.Error()
	} else {
		cut.How = kept(call.Session, o.Reader())
	}
	return text + clean(tail), cut
}
