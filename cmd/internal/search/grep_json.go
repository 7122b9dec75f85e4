package search

import (
	"encoding/json"
	"io"
	"strings"

	"helve/engine/search"
	"helve/internal/fsroot"
)

// A foundLine is a line of a search as JSON, one object a line. A path that JSON cannot hold is quoted as every tool
// shows it.
type foundLine struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column,omitempty"` // byte, from 1; with --column
	Text    string `json:"text"`
	Context bool   `json:"context,omitempty"` // it does not match, it stands around one that does
}

// A foundFile is a file of a search for files or counts.
type foundFile struct {
	Path  string `json:"path"`
	Count int    `json:"count,omitempty"` // with -c
}

// jsonFinds writes what a search finds as JSON, as it is found.
func jsonFinds(w io.Writer, mode search.Mode) func(*search.File) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return func(f *search.File) error {
		path := fsroot.Quote(f.Path)
		switch {
		case mode == search.Files:
			return e.Encode(foundFile{Path: path})
		case mode == search.Count && f.More: // its count is not whole yet
			return nil
		case mode == search.Count:
			return e.Encode(foundFile{Path: path, Count: f.Count})
		}
		for _, l := range f.Lines {
			line := foundLine{Path: path, Line: l.Number, Column: l.Column, Context: l.Context}
			line.Text = strings.ToValidUTF8(string(l.Text), "\ufffd")
			if err := e.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}
}
