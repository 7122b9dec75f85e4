package refactor

import (
	"bytes"
	"strings"

	"helve/engine/code/internal/syntax"
)

// This file knows what the text around a name of JavaScript says of it.

// shorthand reports whether a reference stands for a property and its value at once: {name}.
func shorthand(f *scan, s *syntax.Site) bool {
	if s.Def >= 0 || s.Imported || s.Dots || s.Before != '{' && s.Before != ',' || s.After != '}' && s.After != ',' {
		return false
	}
	open := bracketAround(f.src, s.Start)
	if open < 0 || f.src[open] != '{' {
		return false
	}
	return !exports(f.src, open)
}

// exports reports whether the bracket at an offset opens the list of an import or export.
func exports(src []byte, open int) bool {
	switch nameBefore(src, open) {
	case "export", "import":
		return true
	case "type":
		head := bytes.TrimSuffix(bytes.TrimRight(src[:open], blanks), []byte("type"))
		word := nameBefore(head, len(head))
		return word == "export" || word == "import"
	}
	return false
}

// shortKey reports whether the key of a literal or pattern is a name at the same time: {name} and {name = 1}.
func shortKey(s *syntax.Site) bool {
	return (s.Before == '{' || s.Before == ',') && (s.After == '}' || s.After == ',' || s.After == '=')
}

// property reports whether a token of JavaScript names a property where no type says of what: in a literal, a pattern
// or an element of JSX.
func isProperty(f *scan, s *syntax.Site) bool {
	if s.Dots || s.Def >= 0 || f.src == nil {
		return false
	}
	end := s.Start + len(s.Name)
	after := bytes.TrimLeft(f.src[end:], " \t\r\n")
	if bytes.HasPrefix(after, []byte("={")) || bytes.HasPrefix(after, []byte("=\"")) {
		return true
	}
	if s.Before == '?' || len(after) == 0 || strings.IndexByte(":,}=(?;", after[0]) < 0 {
		return false
	}
	if s.Before != '{' && s.Before != ',' && !s.First {
		return false
	}
	open := bracketAround(f.src, s.Start)
	return open >= 0 && f.src[open] == '{' && (len(s.Refs) == 0 || s.Before == '{' || s.Before == ',') && !exports(f.src, open)
}

// markup reports whether a file may hold elements of JSX.
func markup(path string) bool { return !bytes.HasSuffix([]byte(path), []byte("ts")) }

// isESModule reports whether a file has an import or export at the begin of a line, and does not export by assignment.
func isESModule(src []byte) bool {
	for line := range bytes.Lines(src) {
		if bytes.HasPrefix(line, []byte("import")) || bytes.HasPrefix(line, []byte("export")) {
			return !bytes.Contains(src, []byte("module.exports")) && !bytes.Contains(src, []byte("\nexport ="))
		}
	}
	return false
}
