package main

import (
	"bytes"
	"regexp"

	"helve/engine/code"
	"helve/scripts/internal/scoring"
)

// swiftLine is a line that declares something, as formatted Swift has it. Its second group is the
// name after the word of the declaration; a constructor has none and gives its own word, the third.
var swiftLine = regexp.MustCompile(
	`^\s*(?:@\w+(?:\([^)]*\))?\s+)*` + // attributes
		`(?:(?:public|private|fileprivate|internal|open|static|class|final|override|mutating|` +
		`nonisolated|convenience|required|indirect|lazy|weak|prefix|infix|postfix)(?:\(set\))?\s+)*` + // modifiers
		`(?:(class|struct|enum|protocol|actor|func|typealias)\s+` +
		"`?" + `([A-Za-z_]\w*)|(init)[?!]?\s*[(<])`)

// readLines notes the declarations of languages that ctags does not read, line by line, outside comments and texts.
func readLines(src *scoring.Folder, scores map[string]*score) error {
	for _, e := range src.Entries() {
		if code.LanguageOf(e.Path, nil) != code.Swift {
			continue
		}
		text, err := scoring.ReadAll(src, e.Path)
		if err != nil {
			return err
		}
		swiftLines(text, func(line int, name string) {
			add(scores, "Swift", e.Path, line, name)
		})
	}
	return nil
}

// swiftLines calls each for every line that declares a name. It is an oracle that is simple enough to be checked by
// reading: it knows comments and long texts by their marks alone, so a mark within a text misleads it.
func swiftLines(text []byte, each func(line int, name string)) {
	comment, long := false, false // whether the line begins in a comment, in a text of several lines
	for n, line := range bytes.Split(text, []byte("\n")) {
		m := swiftLine.FindSubmatch(line)
		if m != nil && !comment && !long {
			each(n+1, string(m[2])+string(m[3]))
		}
		if bytes.Count(line, []byte(`"""`))%2 == 1 {
			long = !long
		}
		open, shut := bytes.LastIndex(line, []byte("/*")), bytes.LastIndex(line, []byte("*/"))
		switch { // the last of the two marks says how the next line begins
		case open > shut:
			comment = true
		case shut >= 0:
			comment = false
		}
	}
}
