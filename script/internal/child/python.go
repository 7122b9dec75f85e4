package child

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxLessons bounds the mistakes that one error explains: who writes Python writes the same few again and again.
const maxLessons = 8

// A lesson is something of Python that scripts do not have, and what to write in its place.
type lesson struct {
	sign  *regexp.Regexp // in a line without its texts and comments
	words string
}

// lessons are all of them.
var lessons = sync.OnceValue(func() []lesson {
	var out []lesson
	for _, l := range [][2]string{
		{`(?:^|[^\w"'])[rR]?[fF][rR]?["']`, `no f-strings: "%s: %05.2f" % (a, b), or "{}: {:>8}".format(a, b)`},
		{`^\s*(?:import|from)\b.*\bimport\b|^\s*import\b`,
			"no import: json, math, re, csv and datetime are there, and each tool is a function; leave the line out"},
		{`^\s*(?:try|finally)\s*:|^\s*except\b`,
			`no try: value, error = try_call(read, file_path="a") gives (value, None), or (None, error)`},
		{`^\s*raise\b`, `no raise: fail("why") ends the script`},
		{`^\s*with\b`, `no with: tools open and close: read(file_path="a").lines, write(file_path="a", contents=text)`},
		{`^\s*class\b`, "no classes: functions, and dicts for what belongs together"},
		{`^\s*(?:async|await)\b|\bawait\s`, "no async: parallel([lambda: f(x), lambda: g(y)]) has calls run at once"},
		{`\byield\b`, "no yield: append to a list and return it"},
		{`^\s*assert\b`, `no assert: if not ok: fail("why")`},
		{`^\s*del\b`, "no del: d.pop(key) of a dict, list.pop(i) of a list"},
		{`^\s*(?:global|nonlocal)\b`, "no global: a function changes a list or a dict from outside, or returns a value"},
		{`\bis\s+not\b|\bis\s`, "no is: == None and != None"},
		{`:=`, "no :=: assign in a line of its own"},
		{`\{\s*\*\*`, "no ** in a dict: a | b is both"},
		{`[\w)\]]\s*\*\*\s*[\w(]`, "no ** for powers: math.pow(a, b), x * x"},
		{`^\s*[\w.\[\]]+\s*=\s*[\w.\[\]]+\s*=[^=]`, "a = b = 0 is two lines, or a, b = 0, 0"},
		{`[=(,]\s*\{\s*(?:""|''|[\w.-]+)\s*(?:,\s*(?:""|''|[\w.-]+)\s*)*\}`, "no sets of this form: set([a, b])"},
		{`^\s*@\w`, "no decorators: call the function with the other one: f = g(f)"},
		{`^\s*match\b.*:\s*$`, "no match: if, elif, else"},
		{`^\s*def\b.*(?:->|\w\s*:\s*\w)`, "no types: def f(a, b=1):"},
		{`^\s*\w+\s*:\s*[\w\[\], |.]+=`, "no types: name = value"},
		{`\*\w+\s*,.*=|,\s*\*\w+\s*=`, "no * on the left: first, rest = list[0], list[1:]"},
		{`[\w)\]]\s*<=?\s*[\w.]+\s*<=?\s*[\w(]`, "comparisons are not joined: a < b and b < c"},
		{`\bjson\.load\b`, "no json.load: json.loads(text), of a text that a tool brought"},
		{`;\s*\S`, "one statement a line is read best"},
	} {
		out = append(out, lesson{regexp.MustCompile(l[0]), l[1]})
	}
	return out
})

// taught says of a script that the interpreter does not read what else of Python is in it, by line: so that the next
// one has none of it.
func taught(source string) string {
	var out []string
	text := plain(source)
	loops := unlisted(text)
	for n, line := range strings.Split(text, "\n") {
		if words := loops[n]; words != "" && len(out) < maxLessons {
			out = append(out, fmt.Sprintf("line %d: %s", n+1, words))
		}
		for _, l := range lessons() {
			if !l.sign.MatchString(line) {
				continue
			}
			out = append(out, strings.TrimSpace(fmt.Sprintf("line %d: %s %s", n+1, l.words, brought(line))))
			if len(out) == maxLessons {
				return "Scripts are Starlark, which is less than Python.\n" + strings.Join(out, "\n")
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "Scripts are Starlark, which is less than Python.\n" + strings.Join(out, "\n")
}

const (
	noGenerators = "no generators: put the brackets of a list around it: sum([x for x in list]); " +
		"of a text: [c for c in text.elems()]"
	noSetLoops = "no sets of this form: set([x for x in list])"
)

// unlisted finds loops that stand in brackets which are those of no list, and says what to write, by line from 0.
func unlisted(text string) map[int]string {
	out := map[int]string{}
	var open []byte // the brackets that are open; ':' one of a dict
	for i, line := 0, 0; i < len(text); i++ {
		top := byte(0)
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		switch c := text[i]; {
		case c == '\n':
			line++
		case strings.IndexByte("([{", c) >= 0:
			open = append(open, c)
		case strings.IndexByte(")]}", c) >= 0 && top != 0:
			open = open[:len(open)-1]
		case c == ':' && top == '{':
			open[len(open)-1] = c
		case c == 'f' && word(text, i) == "for" && top == '(':
			out[line] = noGenerators
		case c == 'f' && word(text, i) == "for" && top == '{':
			out[line] = noSetLoops
		}
	}
	return out
}

// word is the word that begins at a place of a text; "": none does.
func word(text string, at int) string {
	in := func(c byte) bool { return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }
	if at > 0 && in(text[at-1]) {
		return ""
	}
	end := at
	for end < len(text) && in(text[end]) {
		end++
	}
	return text[at:end]
}

// own are the modules that scripts have.
var own = []string{"json", "math", "re", "csv", "datetime"}

// brought says what stands in place of what a line imports: whoever leaves the line out goes on without it.
func brought(line string) string {
	m := importLine().FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	var out []string
	add := func(name, tip string) {
		if tip != "" {
			out = append(out, name+": "+strings.TrimSuffix(tip, "."))
		}
	}
	for _, name := range strings.FieldsFunc(m[2], func(r rune) bool { return strings.ContainsRune(", ()", r) }) {
		switch module, _, _ := strings.Cut(m[1], "."); {
		case m[1] == "":
			add(name, instead()[name])
		case slices.Contains(own, module) && methods()["module."+name] != "":
			add(name, methods()["module."+name])
		case slices.Contains(own, module):
			add(name, module+"."+name)
		case instead()[name] != "":
			add(name, instead()[name])
		default:
			add(module, instead()[module])
		}
	}
	return strings.Join(slices.Compact(out), "; ")
}

var importLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:from\s+([\w.]+)\s+)?import\s+(.+)$`)
})

// plain is a script without what stands in its texts and comments. Its lines stay the lines that they are.
func plain(source string) string {
	var out strings.Builder
	for source != "" {
		i := strings.IndexAny(source, `"'#`)
		if i < 0 {
			out.WriteString(source)
			break
		}
		out.WriteString(source[:i])
		source = source[i:]
		if source[0] == '#' {
			end := strings.IndexByte(source, '\n')
			if end < 0 {
				break
			}
			source = source[end:]
			continue
		}
		end := textEnd(source)
		mark := source[:1]
		lines := strings.Count(source[:end], "\n")
		out.WriteString(mark + mark + strings.Repeat("\n", lines))
		source = source[end:]
	}
	return out.String()
}

// textEnd is where the text ends that a script begins with.
func textEnd(source string) int {
	mark := source[:1]
	if long := strings.Repeat(mark, 3); strings.HasPrefix(source, long) {
		if i := strings.Index(source[len(long):], long); i >= 0 {
			return i + 2*len(long)
		}
		return len(source)
	}
	for i := 1; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
		case '\n': // it was not closed
			return i
		case mark[0]:
			return i + 1
		}
	}
	return len(source)
}
