package main

import (
	"bytes"
	"io"
	"regexp"

	"helve/engine/code"
)

// swiftLine is a line that declares something, as formatted Swift has it: modifiers and attributes, the word, the name.
var swiftLine = regexp.MustCompile(`^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|fileprivate|internal|open|static|class|final|override|mutating|` +
	`nonisolated|convenience|required|indirect|lazy|weak|prefix|infix|postfix)(?:\(set\))?\s+)*(?:(class|struct|enum|protocol|actor|func|typealias)\s+` +
	"`?([A-Za-z_]\\w*)|(init)[?!]?\\s*[(<])")

// readLines notes the declarations of languages that ctags does not read, line by line, outside comments and texts.
func readLines(src *folder, scores map[string]*score) error {
	for _, e := range src.list.Files {
		if code.LanguageOf(e.Path, nil) != code.Swift {
			continue
		}
		r, err := src.Open(e.Path)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return err
		}
		swiftLines(text, func(line int, name string) { add(scores, "Swift", e.Path, line, name) })
	}
	return nil
}

// swiftLines calls each for every line that declares a name.
func swiftLines(text []byte, each func(line int, name string)) {
	comment, long := false, false
	for n, line := range bytes.Split(text, []byte("\n")) {
		if m := swiftLine.FindSubmatch(line); m != nil && !comment && !long {
			each(n+1, string(m[2])+string(m[3]))
		}
		if bytes.Count(line, []byte("\"\"\""))%2 == 1 {
			long = !long
		}
		switch open, shut := bytes.LastIndex(line, []byte("/*")), bytes.LastIndex(line, []byte("*/")); {
		case open > shut:
			comment = true
		case shut >= 0:
			comment = false
		}
	}
}
