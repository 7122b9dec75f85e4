package shell

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed programs.txt
var programsText string

// optionKind says what an option of a known program takes.
type optionKind byte

const (
	optFlag   optionKind = iota + 1
	optValue             // a value, attached or in the next word
	optMaybe             // a value only when attached
	optPath              // like optValue, and the value is a path that is read
	optDouble            // two values in the next two words
	optCode              // the value is a command
	optDir               // like optValue, and what is wrapped runs in that directory
)

// program is one line of programs.txt.
type program struct {
	mode  string // operands of a read-only program, mode of a wrapper, which operands a writer writes
	count int    // operands before the wrapped command
	attrs map[string]bool
	need  []string // options without any of which it may do more than read

	text    string            // its options, as they stand in the table
	macros  map[string]string // of the table
	parsed  sync.Once
	options map[string]optionKind // those that are known: all others ask
	numeric bool                  // -5 is an option
}

// option is what an option of the program takes; 0: it is not known. A process mostly asks about few of the programs,
// and so their options are read when they are asked about: all of them take longer than the rest of a judgement.
func (p *program) option(name string) optionKind {
	p.parsed.Do(p.parse)
	return p.options[name]
}

// takesNumbers says that -5 is an option of the program.
func (p *program) takesNumbers() bool {
	p.parsed.Do(p.parse)
	return p.numeric
}

func (p *program) parse() {
	p.options = map[string]optionKind{}
	p.addOptions(p.text)
}

// tables is programs.txt parsed. Immutable once built.
type tables struct {
	readonly    map[string]*program // by "git log" where a program has subcommands
	wrappers    map[string]*program // programs that run what they are given
	writers     map[string]*program // programs whose operands tell what they write
	subcommands map[string]bool     // programs of which readonly holds subcommands
	code        map[string]bool     // programs that run a project's code: no configuration makes them read-only
	never       map[string]bool     // programs that run text or change the shell: no grant is remembered either
	net         map[string]bool     // programs that dial, or "git:push"
	grants      map[string]bool     // commands that a grant may cover with any words behind them
	runners     prefixes            // commands behind which another one may stand
	hidden      prefixes            // commands with an option that is a command line
}

var loadTables = sync.OnceValue(func() *tables { return parseTables(programsText) })

func parseTables(text string) *tables {
	t := &tables{
		readonly:    map[string]*program{},
		wrappers:    map[string]*program{},
		writers:     map[string]*program{},
		subcommands: map[string]bool{},
		code:        map[string]bool{},
		never:       map[string]bool{},
		net:         map[string]bool{},
		grants:      map[string]bool{},
		runners:     prefixes{},
		hidden:      prefixes{},
	}
	macros := map[string]string{}
	section := ""
	for _, line := range logicalLines(text) {
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line[1 : len(line)-1]
			continue
		}
		t.add(section, line, macros)
	}
	return t
}

// add reads one line. The sections are explained in programs.txt.
func (t *tables) add(section, line string, macros map[string]string) {
	switch section {
	case "macros":
		name, value, _ := strings.Cut(line, "=")
		macros["$"+strings.TrimSpace(name)] = value
	case "readonly":
		name, p := parseProgram(line, macros)
		t.readonly[name] = p
		if head, _, ok := strings.Cut(name, " "); ok {
			t.subcommands[head] = true
		}
	case "wrappers":
		name, p := parseProgram(line, macros)
		t.wrappers[name] = p
	case "writers":
		name, p := parseProgram(line, macros)
		t.writers[name] = p
	case "code":
		addWords(t.code, strings.Fields(line))
	case "never":
		addWords(t.never, strings.Fields(line))
	case "net":
		addWords(t.net, strings.Fields(line))
	case "grants":
		addPrefixes(t.grants, line)
	case "hidden":
		addPrefixes(t.hidden, line)
	case "runners":
		addPrefixes(t.runners, line)
	}
}

// addPrefixes reads beginnings of commands, with a bar between them.
func addPrefixes(set map[string]bool, line string) {
	for _, g := range strings.Split(line, "|") {
		set[strings.Join(strings.Fields(g), " ")] = true
	}
}

// addWords reads names with blanks between them.
func addWords(set map[string]bool, words []string) {
	for _, w := range words {
		set[w] = true
	}
}

// logicalLines drops comments and blank lines and joins indented lines to the one before.
func logicalLines(text string) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " ") && len(lines) > 0:
			lines[len(lines)-1] += line
		default:
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// parseProgram reads NAME | MODE ATTRIBUTES | OPTIONS. The table is part of the binary and tested, so nothing is
// checked here.
func parseProgram(line string, macros map[string]string) (string, *program) {
	fields := strings.SplitN(line, "|", 3)
	p := &program{attrs: map[string]bool{}, macros: macros}
	for i, w := range strings.Fields(fields[1]) {
		need, isNeed := strings.CutPrefix(w, "need=")
		switch {
		case i == 0:
			p.mode = w
		case isNeed:
			p.need = strings.Split(need, ",")
		case w >= "0" && w <= "9":
			p.count = int(w[0] - '0')
		default:
			p.attrs[w] = true
		}
	}
	if len(fields) == 3 {
		p.text = fields[2]
	}
	return strings.Join(strings.Fields(fields[0]), " "), p
}

// addOptions reads options, each with a suffix that tells what it takes. Macros may hold macros.
func (p *program) addOptions(text string) {
	for _, w := range strings.Fields(text) {
		if m, ok := p.macros[w]; ok {
			p.addOptions(m)
			continue
		}
		if w == "-NUM" {
			p.numeric = true
			continue
		}
		name, kind := w, optFlag
		for suffix, k := range optionSuffixes {
			n, ok := strings.CutSuffix(w, suffix)
			if ok && n != "-" { // an option may be called -? itself
				name, kind = n, k
			}
		}
		p.options[name] = kind
	}
}

// optionSuffixes is never written after its declaration.
var optionSuffixes = map[string]optionKind{
	"=":  optValue,
	"?":  optMaybe,
	"@":  optPath,
	":2": optDouble,
	"!":  optCode,
	"%":  optDir,
}
