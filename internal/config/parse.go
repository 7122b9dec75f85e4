package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"helve/internal/json"
)

var errBOM = errors.New("starts with a byte order mark: save it as plain UTF-8")

// maxNesting bounds brackets in brackets. No key needs more than six; the parsers recurse.
const maxNesting = 100

// parse reads a file's text, TOML if its name says so, else JSON with comments. What a program says has no such name:
// it is JSON if it looks like it. The root is an object, and an empty text an empty one. Errors carry file and line.
func (p *places) parse(text []byte, at Place) (json.Node, error) {
	switch {
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return json.Node{}, fmt.Errorf("%s: %w", at.File, errBOM)
	case !utf8.Valid(text):
		return json.Node{}, fmt.Errorf("%s: is not valid UTF-8", at.File)
	}
	if err := nested(text); err != nil {
		return json.Node{}, fmt.Errorf("%s: %w", at.File, err)
	}
	if strings.HasSuffix(at.File, ".toml") || at.Layer == "program" && !looksLikeJSON(text) {
		return p.parseTOML(text, at)
	}
	return p.parseJSON(text, at)
}

// looksLikeJSON tells whether a text begins as an object or a comment of JSON does, which no TOML does.
func looksLikeJSON(text []byte) bool {
	start := bytes.TrimLeft(text, " \t\r\n")
	return len(start) == 0 || start[0] == '{' || start[0] == '/'
}

// nested refuses text whose brackets nest too deep, before a parser recurses into it. It does not
// know strings: a string full of opening brackets is refused too.
func nested(text []byte) error {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxNesting {
			return fmt.Errorf("brackets nest deeper than %d", maxNesting)
		}
	}
	return nil
}

// parseJSON reads JSON with comments. What is only checked by who decodes it passes: numbers of any
// size, for one.
func (p *places) parseJSON(text []byte, at Place) (json.Node, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return json.Node{Kind: json.KindObject, At: p.mark(at)}, nil
	}
	s := source{places: p, at: at}
	if at.File != "" { // a line of a flag or of the defaults means nothing to anybody
		s.lines = json.LinesOf(text)
	}
	plain, err := json.Plain(text)
	if err != nil {
		return json.Node{}, s.wrong(err)
	}
	r := json.Reader{Loose: true} // keys that stand twice have words of their own
	root, err := r.Read(plain)
	if err != nil {
		return json.Node{}, s.wrong(err)
	}
	if err := s.settle(&root); err != nil {
		return json.Node{}, err
	}
	if root.Kind != json.KindObject {
		return json.Node{}, fmt.Errorf("%s: want an object, got %s", p.of(&root), what(&root))
	}
	return root, nil
}

// A source is one text that is read.
type source struct {
	*places
	at    Place      // of the whole
	lines json.Lines // nil where lines mean nothing
}

func (s *source) place(offset int) Place {
	at := s.at
	if s.lines != nil {
		at.Line, _ = s.lines.Place(offset)
	}
	return at
}

// wrong is an error of the reader with its line.
func (s *source) wrong(err error) error {
	if bad, ok := errors.AsType[*json.Error](err); ok {
		return fmt.Errorf("%s: %s", s.place(bad.At), bad.Why)
	}
	return err
}

// settle turns offsets into places. It refuses a key that stands twice: readers disagree which one
// counts.
func (s *source) settle(n *json.Node) error {
	n.At = s.mark(s.place(int(n.At)))
	seen := make(map[string]int, len(n.Kids))
	for i := range n.Kids {
		kid := &n.Kids[i]
		if n.Kind == json.KindObject {
			at := s.place(int(kid.At))
			first, twice := seen[kid.Name]
			if twice {
				return said(at, kid.Name, first)
			}
			seen[kid.Name] = at.Line
		}
		if err := s.settle(kid); err != nil {
			return err
		}
	}
	return nil
}

// said is the error of a key that was said before, in line first. A flag has no lines.
func said(at Place, key string, first int) error {
	if at.Line == 0 {
		return fmt.Errorf("%s: the key %q stands twice", at, shorten(key))
	}
	return fmt.Errorf("%s: the key %q stands twice, first in line %d", at, shorten(key), first)
}
