package memory

import "strings"

// imports are the files that a text names with an @ before them, in their order. What stands in code names none.
func imports(text string) []string {
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch mark := fenceOf(line); {
		case fence != "" && strings.HasPrefix(line, fence):
			fence = ""
		case fence != "":
		case mark != "":
			fence = mark
		default:
			out = append(out, importsIn(line)...)
		}
	}
	return out
}

// fenceOf is the mark with which a block of code begins; "": none does.
func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// importsIn are those of a line, outside of its `code`.
func importsIn(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "`") {
		if i%2 == 1 {
			continue
		}
		for _, word := range strings.Fields(part) {
			name, is := strings.CutPrefix(strings.TrimLeft(word, "(["), "@")
			name = strings.TrimRight(name, ".,;:!?)]\"'")
			if is && isPath(name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// isPath tells a file from a person or a package that is called so.
func isPath(name string) bool {
	return strings.ContainsAny(name, "./") && !strings.ContainsAny(name, "@\\") && !strings.Contains(name, "://")
}
