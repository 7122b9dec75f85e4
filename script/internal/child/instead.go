package child

import (
	"regexp"
	"strings"
	"sync"
)

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
		"bin":            `"{:b}".format(n) gives its digits.`,
		"hex":            `"{:x}".format(n) gives its digits.`,
		"oct":            `"{:o}".format(n) gives its digits.`,
		"heapq":          "sorted(list)[:n], sorted(list, reverse=True)[:n].",
		"bisect":         "Write the loop: for i, x in enumerate(list).",
		"deque":          "A list: append(x), pop(0), pop().",
		"functools":      "Write the loop; keep what was computed in a dict.",
		"reduce":         "Write the loop: for x in list.",
		"lru_cache":      "Keep what was computed in a dict.",
		"cache":          "Keep what was computed in a dict.",
		"statistics":     "sum(list) / len(list), sorted(list)[len(list) // 2], math.sqrt of the mean square.",
		"copy":           "list[:] and dict(d) are copies.",
		"deepcopy":       "list[:] and dict(d) are copies.",
		"io":             "csv.read and json.loads take texts.",
		"StringIO":       "csv.read and json.loads take texts.",
		"string":         `"abc".elems() has the letters of a text.`,
		"operator":       "Write a lambda: key=lambda x: x[1].",
		"itemgetter":     "Write a lambda: key=lambda x: x[1].",
		"shutil":         `Commands are a tool: bash(command="cp a b").`,
		"configparser":   `Read the lines: section where line.startswith("["), k, v = line.split("=", 1).`,
		"dataclass":      "Dicts hold what belongs together.",
		"dataclasses":    "Dicts hold what belongs together.",
		"namedtuple":     "Dicts hold what belongs together.",
		"Enum":           "Texts do.",
		"textwrap":       "Join words while len(line) allows it.",
		"typing":         "There are no types.",
		"hashlib":        "hash(text) tells texts apart.",
		"logging":        "print(…) goes to the result.",
		"traceback":      "value, error = try_call(f, …) has error.message.",
		"argparse":       "What the caller gave stands in inputs.",
		"Decimal":        `round(x, 2), or whole numbers of the smallest unit.`,
		"decimal":        `round(x, 2), or whole numbers of the smallest unit.`,
		"Fraction":       "Two whole numbers.",
		"fractions":      "Two whole numbers.",
		"slice":          "list[a:b] is there.",
		"vars":           "Write the dict.",
		"globals":        "Keep what belongs together in a dict.",
		"locals":         "Keep what belongs together in a dict.",
		"callable":       `Compare type(x) == "function".`,
		"issubclass":     "There are no classes: compare type(x).",
		"id":             "Compare values with ==.",
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
		"module.date":          "datetime.parse(text), whose fields are year, month and day",
		"module.prod":          "n = 1, and n *= x for each",
		"module.isqrt":         "int(math.sqrt(n))",
		"module.gcd":           "for a, b: while b: a, b = b, a % b",
		"module.load":          "json.loads(text), of a text that a tool brought",

		"builtin_function_or_method.fromkeys": "{k: None for k in keys}; each once and in order: list(set(keys))",
	}
})

// A slip is what the interpreter says of something that Python does, and what to write in its place.
type slip struct {
	sign  *regexp.Regexp
	words string
}

var slips = sync.OnceValue(func() []slip {
	var out []slip
	for _, s := range [][2]string{
		{`string value is not iterable|got string, want iterable|not iterable: string`,
			"A text is gone through by text.elems(): for c in text.elems(), sorted(text.elems()), set(text.elems())."},
		{`^got else`, "There is no else behind a loop: set a flag before break."},
		{`got record, want string`,
			`A record is no text: "\n".join(read(file_path="a").lines) is that of a file.`},
		{`does not associate with`, "Comparisons are not joined: a < b and b < c."},
		{`unknown binary op: (?:int|float) \S+ bool|unknown binary op: bool \S+ (?:int|float|bool)`,
			"int(condition) is 1 or 0."},
		{`unknown binary op: list [-&|^] list`,
			"Lists are not sets, and keys() is a list: set(a) - set(b), set(a) & set(b)."},
		{`unknown binary op: (?:string \+ (?:int|float)|(?:int|float) \+ string)`, "str(n) is a number as a text."},
		{`print: unexpected keyword argument`, `print writes one line: print(a, b, sep=""), print("".join(list)).`},
		{`unhashable(?: type)?: (?:list|dict)`, "A key is a text, a number or a tuple: tuple(list)."},
		{`local variable \w+ referenced before assignment`,
			"A function changes a list or a dict from outside, or returns a value."},
		{`not subscriptable|unhandled index operation (?:record|dict)`, "Fields have names: record.name, record[\"name\"]."},
	} {
		out = append(out, slip{regexp.MustCompile(s[0]), s[1]})
	}
	return out
})

// slipped says what to write in place of what the interpreter did not understand.
func slipped(words string) string {
	for _, s := range slips() {
		if s.sign.MatchString(words) {
			return s.words
		}
	}
	return ""
}

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
