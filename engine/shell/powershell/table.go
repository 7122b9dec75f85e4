package powershell

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed programs.txt
var programsText string

// takes says what a parameter of a command that only reads takes.
type takes byte

const (
	nothing takes = iota + 1
	value
	readPath
)

// An entry is one command of programs.txt that only reads.
type entry struct {
	operands   string
	parameters map[string]takes // by name in lower case, with its dash
}

// A table is programs.txt parsed. It is not changed once built. Keys are in lower case.
type table struct {
	readonly map[string]*entry
	writers  map[string]map[string]bool // the parameters that name what is written
	native   map[string]bool
	names    map[string]string // how a command is written, by any of its names
}

var loadTable = sync.OnceValue(func() *table { return parseTable(programsText) })

// parseTable reads the text of programs.txt. A line that is none is a bug, which the first test finds.
func parseTable(text string) *table {
	t := &table{
		readonly: map[string]*entry{},
		writers:  map[string]map[string]bool{},
		native:   map[string]bool{},
		names:    map[string]string{},
	}
	macros := map[string]string{}
	section := ""
	text = strings.ReplaceAll(text, "\n  ", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			section = line
			continue
		}
		for name, meaning := range macros {
			line = strings.ReplaceAll(line, "$"+name, meaning)
		}
		if section == "[macros]" {
			name, meaning, _ := strings.Cut(line, " = ")
			macros[name] = meaning
			continue
		}
		t.add(section, line)
	}
	return t
}

// add reads a line of a section.
func (t *table) add(section, line string) {
	switch section {
	case "[readonly]":
		t.addReadOnly(strings.Split(line, "|"))
	case "[native]":
		for name := range strings.FieldsSeq(line) {
			t.native[name] = true
		}
	case "[aliases]":
		name, others, _ := strings.Cut(line, "=")
		t.name(name, others)
	case "[writers]":
		t.addWriter(strings.Split(line, "|"))
	default:
		panic("programs.txt: a line outside of a section: " + line)
	}
}

// name notes the names of a command, of which others are divided by commas.
func (t *table) name(name, others string) {
	t.names[strings.ToLower(name)] = name
	for _, other := range strings.Split(others, ",") {
		if other != "" {
			t.names[strings.ToLower(other)] = name
		}
	}
}

func (t *table) addReadOnly(fields []string) {
	if len(fields) != 3 {
		panic("programs.txt: want NAMES | OPERANDS | PARAMETERS: " + strings.Join(fields, "|"))
	}
	name, others, _ := strings.Cut(strings.TrimSpace(fields[0]), ",")
	t.name(name, others)
	e := &entry{operands: strings.TrimSpace(fields[1]), parameters: map[string]takes{}}
	for p := range strings.FieldsSeq(strings.ToLower(fields[2])) {
		switch p[len(p)-1] {
		case '=':
			e.parameters[p[:len(p)-1]] = value
		case '@':
			e.parameters[p[:len(p)-1]] = readPath
		default:
			e.parameters[p] = nothing
		}
	}
	t.readonly[strings.ToLower(name)] = e
}

func (t *table) addWriter(fields []string) {
	if len(fields) != 2 {
		panic("programs.txt: want NAME | PARAMETERS: " + strings.Join(fields, "|"))
	}
	parameters := map[string]bool{}
	for p := range strings.FieldsSeq(strings.ToLower(fields[1])) {
		parameters[p] = true
	}
	t.writers[strings.ToLower(strings.TrimSpace(fields[0]))] = parameters
}
