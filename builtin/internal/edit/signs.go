package edit

import (
	"regexp"
	"strings"
	"sync"
)

// leaders begin a comment in some language.
var leaders = []string{"//", "#", "--", "/*", "<!--", ";", "*", "%", "{/*", "'", "\"\"\""}

// leftOut matches the ways in which models leave text out: "rest of the code", "existing code
// here", "unchanged" and their kin. It is compiled when it is first needed: most programs that link
// this package never edit.
var leftOut = sync.OnceValue(func() *regexp.Regexp {
	const (
		rest = `(the )?(rest|remainder) of (the |this |your |my )?` +
			`(code|file|function|method|class|implementation|content|lines|module|body|component|script|tests?|logic)\b`
		kept = `(the )?(existing|remaining|previous|other|original|unchanged|same) ` +
			`(code|file|functions?|methods?|class(es)?|implementations?|contents?|lines|imports?|body|tests?|logic|fields?|cases?)` +
			`( (here|unchanged|remains?|stays?|continues?|goes here|as before|is unchanged|omitted|the same))*$`
		same = `(code |implementation |everything else |rest )?(is |remains? |stays? )?` +
			`(unchanged|omitted( for brevity)?|the same( as before)?|same as (before|above)|as before|no changes?( here)?|snip)$`
	)
	return regexp.MustCompile(`(?i)^(` + rest + `|` + kept + `|` + same + `)`)
})

// placeholder finds a line of the new text that stands for text left out, unless the old text or
// the file has it too.
func (f finder) placeholder(e Edit) (string, bool) {
	for _, l := range linesOf(e.New) {
		l = strings.TrimSpace(l)
		if isPlaceholder(l) && !strings.Contains(e.Old, l) && !f.has(l) {
			return l, true
		}
	}
	return "", false
}

func isPlaceholder(l string) bool {
	text, comment := uncomment(l)
	body := strings.Trim(text, ".… ()[]{}<>")
	trimmed := body != text
	dots := trimmed && (strings.Contains(text, "...") || strings.Contains(text, "…"))
	if !comment && !dots || len(l) > shownBytes {
		return false
	}
	if body == "" {
		return comment && dots
	}
	return leftOut().MatchString(strings.TrimSpace(body))
}

// uncomment takes the marks of a comment off a line.
func uncomment(l string) (string, bool) {
	for _, m := range leaders {
		if rest, ok := strings.CutPrefix(l, m); ok {
			for _, end := range []string{"*/}", "*/", "-->", "\"\"\""} {
				rest = strings.TrimSuffix(rest, end)
			}
			return strings.TrimSpace(strings.TrimLeft(rest, "/#-*;")), true
		}
	}
	return l, false
}

// numberedLine is a line as read shows it: the number in six columns or more, and a bar.
var numberedLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?: {0,5}\d{1,6}|\d{7,})\|`)
})

// numbered tells whether every line of a text begins with the number that read shows, ascending,
// and gives the first.
func numbered(s string) (string, bool) {
	first := ""
	for l := range strings.SplitSeq(strings.TrimSuffix(lf(s), "\n"), "\n") {
		mark := numberedLine().FindString(l)
		if len(mark) < 7 {
			return "", false
		}
		if first == "" {
			first = l
		}
	}
	return cut(first), true
}
