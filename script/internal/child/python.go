package child

import (
	"fmt"
	"regexp"
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
		{`\*\*\s*[\w(]`, "no ** for powers: math.pow(a, b)"},
		{`^\s*@\w`, "no decorators: call the function with the other one: f = g(f)"},
		{`^\s*match\b.*:\s*$`, "no match: if, elif, else"},
		{`^\s*def\b.*(?:->|\w\s*:\s*\w)`, "no types: def f(a, b=1):"},
		{`^\s*\w+\s*:\s*[\w\[\], |.]+=`, "no types: name = value"},
		{`\(\s*[^()\[\]{}]*(?:\([^()]*\)[^()\[\]{}]*)*\sfor\s+[\w, ()]+\sin\s`,
			"no generators: put the brackets of a list around it: sum([x for x in list])"},
		{`\{[^{}:]*\sfor\s+[\w, ]+\sin\s`, "no sets of this form: set([x for x in list])"},
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
	for n, line := range strings.Split(plain(source), "\n") {
		for _, l := range lessons() {
			if !l.sign.MatchString(line) {
				continue
			}
			out = append(out, fmt.Sprintf("line %d: %s", n+1, l.words))
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

// instead are names of Python that scripts do not have, with what stands in their place.
var instead = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"open":           `Tools have the files: read(file_path="a").lines, write(file_path="a", contents=text).`,
		"run_script":     "A script cannot run another one: write it as a function.",
		"map":            "Write a list: [f(x) for x in list].",
		"filter":         "Write a list: [x for x in list if f(x)].",
		"isinstance":     `Compare type(x) == "string", with "int", "float", "bool", "list", "dict" or "record".`,
		"pow":            "math.pow(a, b) gives a float.",
		"divmod":         "Write a // b and a % b.",
		"iter":           "Go through a list with for, or by its numbers: list[i].",
		"next":           "Take the first of a list: list[0] if list else None.",
		"input":          "Nobody can be asked: what the caller gave stands in inputs.",
		"eval":           "Scripts make no code.",
		"exec":           "Scripts make no code.",
		"frozenset":      "set(list) is there.",
		"format":         `Call it of a text: "{:>8}".format(x).`,
		"os":             "Tools have the system: glob, ls and bash tell of files, path.split(\"/\") splits a path.",
		"sys":            "A script has no system of its own: fail(\"why\") ends it, print(…) goes to its result.",
		"subprocess":     `Commands are a tool: bash(command="…") gives stdout, stderr and exit_code.`,
		"pathlib":        "Paths are texts: glob(pattern=\"**/*.go\").files, path.split(\"/\")[-1].",
		"Path":           "Paths are texts: glob(pattern=\"**/*.go\").files, path.split(\"/\")[-1].",
		"time":           "Scripts do not know the time: datetime.parse(text) reads one.",
		"requests":       `The network is a tool: fetch(url="…").`,
		"collections":    "Count in a dict: d[k] = d.get(k, 0) + 1; group: d.setdefault(k, []).append(x).",
		"defaultdict":    "d.setdefault(k, []).append(x), or d[k] = d.get(k, 0) + 1.",
		"Counter":        "d[k] = d.get(k, 0) + 1; the most: sorted(d.items(), key=lambda kv: -kv[1]).",
		"OrderedDict":    "A dict keeps the order in which its keys came.",
		"itertools":      "Write the loops, or a list with two for.",
		"random":         "Scripts know no chance: the same calls give the same result.",
		"Exception":      "There are no exceptions: value, error = try_call(f, …), and fail(\"why\").",
		"ValueError":     "There are no exceptions: value, error = try_call(f, …), and fail(\"why\").",
		"KeyError":       "There are no exceptions: d.get(key, default), and key in d.",
		"object":         "There are no classes: dicts hold what belongs together.",
		"super":          "There are no classes: functions call each other.",
		"__name__":       "A script runs from its first line: call main() at its end.",
		"true":           "It is written True.",
		"false":          "It is written False.",
		"null":           "It is written None.",
		"asyncio":        "parallel([lambda: f(x), lambda: g(y)]) has calls run at once.",
		"print_function": "print(…) is there.",
	}
})

// methods are methods of Python's values that Starlark's do not have, with what stands in their place.
var methods = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"list.sort":            "list = sorted(list, key=…, reverse=…)",
		"list.count":           "len([x for x in list if x == value])",
		"list.copy":            "list[:]",
		"list.reverse":         "list = list[::-1]",
		"dict.copy":            "dict(d)",
		"dict.fromkeys":        "{k: value for k in keys}",
		"string.ljust":         `"{:<10}".format(text)`,
		"string.rjust":         `"{:>10}".format(text)`,
		"string.center":        `"{:^10}".format(text)`,
		"string.zfill":         `"{:0>5}".format(text)`,
		"string.encode":        "texts are UTF-8 already",
		"string.casefold":      "text.lower()",
		"string.isnumeric":     "text.isdigit()",
		"string.isdecimal":     "text.isdigit()",
		"string.swapcase":      "text.upper() or text.lower()",
		"string.expandtabs":    `text.replace("\t", "    ")`,
		"string.format_map":    "text.format(**d)",
		"string.translate":     "text.replace(a, b) for each",
		"bytes.decode":         "str(bytes)",
		"module.dump":          "json.encode(value)",
		"module.reader":        "csv.read(text, header=False)",
		"module.DictReader":    "csv.read(text)",
		"module.writer":        "csv.write(rows)",
		"module.DictWriter":    "csv.write(rows)",
		"module.now":           "scripts do not know the time: datetime.parse(text) reads one",
		"module.today":         "scripts do not know the time: datetime.parse(text) reads one",
		"module.datetime":      "datetime.parse(text), without a second datetime",
		"module.strptime":      "datetime.parse(text) finds the form by itself",
		"module.fromisoformat": "datetime.parse(text)",
		"module.timedelta":     "datetime.delta(days=1)",
		"datetime.strftime":    `"%04d-%02d-%02d" % (t.year, t.month, t.day), t.isoformat() or t.date()`,
		"module.isclose":       "abs(a - b) < 0.000001",
	}
})

// noMethod are the interpreter's words for a field that a value does not have.
var noMethod = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\w+)(?: value| module)? has no \.(\w+) (?:field or method|field|attribute)`)
})

// missing tells what stands in place of a name of Python.
func missing(words string) string {
	_, name, ok := strings.Cut(words, "undefined: ")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, " ")
	return instead()[name]
}

// missingMethod tells what stands in place of a method of Python.
func missingMethod(words string) string {
	m := noMethod().FindStringSubmatch(words)
	if m == nil {
		return ""
	}
	if tip := methods()[m[1]+"."+m[2]]; tip != "" {
		return "In its place: " + tip + "."
	}
	return ""
}
