package exact

import (
	"context"
	"encoding/json"
	"path/filepath"

	"helve/engine/code"
)

// tsWords speak the protocol of TypeScript's own server: requests are lines, lines and columns count from 1.
type tsWords struct{ s *session }

var _ words = (*tsWords)(nil)

// A command is a request of tsserver.
type command struct {
	Seq       int64     `json:"seq"`
	Type      string    `json:"type"`
	Command   string    `json:"command"`
	Arguments arguments `json:"arguments"`
}

// arguments are those of all commands that are used.
type arguments struct {
	File   string `json:"file"`
	Text   string `json:"fileContent,omitempty"`
	Root   string `json:"projectRootPath,omitempty"`
	Line   int    `json:"line,omitempty"`
	Offset int    `json:"offset,omitempty"`
}

// do sends a command that is not answered. Its number is none that anybody waits for.
func (w *tsWords) do(name string, a arguments) error {
	return w.s.conn.send(command{0, "request", name, a})
}

func (w *tsWords) start(context.Context) error { return nil }

// changed has nothing to say: tsserver watches the files itself.
func (w *tsWords) changed([]string, bool) error { return nil }

func (w *tsWords) give(path string, _ code.Language, text string, _ int) error {
	return w.do("open", arguments{File: w.file(path), Text: text, Root: w.s.root})
}

func (w *tsWords) take(path string) error { return w.do("close", arguments{File: w.file(path)}) }

func (w *tsWords) ask(path string, at code.Position) (int64, chan reply, error) {
	id, to := w.s.conn.expect()
	a := arguments{File: w.file(path), Line: at.Line + 1, Offset: at.Column + 1}
	return id, to, w.s.conn.send(command{id, "request", "definition", a})
}

func (w *tsWords) forget(int64) {}

func (w *tsWords) meaning(answer json.RawMessage) []place {
	var list []struct {
		File  string `json:"file"`
		Start struct {
			Line   int `json:"line"`
			Offset int `json:"offset"`
		} `json:"start"`
	}
	if json.Unmarshal(answer, &list) != nil {
		return nil
	}
	var out []place
	for _, l := range list {
		out = append(out, place{l.File, code.Position{Line: l.Start.Line - 1, Column: l.Start.Offset - 1}})
	}
	return out
}

func (w *tsWords) file(path string) string {
	return filepath.Join(w.s.root, filepath.FromSlash(path))
}
