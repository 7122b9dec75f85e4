package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/scripts/internal/scoring"
)

// serverTruth collects what a language server knows of edges: it is asked for the definitions of each file, then for
// the definition of every name in the text that one of them has.
type serverTruth struct {
	client *scoring.Client
	root   string
	truth  *edgeTruth
	names  map[string]bool
	// aliases are the names that imports of a file give, each with the one that it stands for.
	aliases map[string]string
	at      map[string][]int // by path and line, the numbers of definitions
	seen    map[int]bool     // definitions whose own name was met
	members map[int][]int    // the definitions directly in a type
	same    [][2]int         // declaration and definition of one thing
}

// asksBack is what the server may have of us: the settings that it asks for are empty, and a symbol has others in it.
var asksBack = map[string]any{
	"textDocument": map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}},
	"workspace":    map[string]any{"workspaceFolders": true, "configuration": true},
}

// serverEdges starts a language server for a folder and asks it.
func serverEdges(ctx context.Context, root string, command, extensions []string) (*edgeTruth, error) {
	if len(command) == 0 {
		return nil, errors.New("which language server? give -server and -ext")
	}
	src, err := scoring.OpenFolder(root)
	if err != nil {
		return nil, err
	}
	c, err := scoring.Greet(ctx, root, asksBack, command...)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	t := &serverTruth{
		client:  c,
		root:    root,
		truth:   &edgeTruth{},
		names:   map[string]bool{},
		at:      map[string][]int{},
		seen:    map[int]bool{},
		members: map[int][]int{},
	}
	texts, err := t.open(src, extensions)
	if err != nil {
		return nil, err
	}
	for _, read := range []func(string, []string) error{t.define, t.file} {
		for _, path := range t.truth.Files {
			if err := read(path, texts[path]); err != nil {
				return nil, err
			}
		}
	}
	t.join()
	t.inherit(texts)
	return t.truth, t.truth.check()
}

// open tells the server the texts of the files with some extensions, and answers their lines.
func (t *serverTruth) open(src *scoring.Folder, extensions []string) (map[string][]string, error) {
	texts := map[string][]string{}
	for _, f := range src.Entries() {
		if !slices.Contains(extensions, strings.TrimPrefix(filepath.Ext(f.Path), ".")) {
			continue
		}
		text, err := scoring.ReadAll(src, f.Path)
		if err != nil {
			return nil, err
		}
		texts[f.Path] = strings.Split(string(text), "\n")
		t.truth.Files = append(t.truth.Files, f.Path)
		t.client.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri":        t.uri(f.Path),
			"languageId": strings.ToLower(code.LanguageOf(f.Path, nil).String()),
			"version":    1,
			"text":       string(text),
		}})
	}
	return texts, nil
}

func (t *serverTruth) uri(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.Join(t.root, path)}).String()
}

// span is a range of the protocol: lines and UTF-16 columns from 0.
type span struct {
	Start spot `json:"start"`
	End   spot `json:"end"`
}

type spot struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// outlined is a symbol of a document, as the protocol has it.
type outlined struct {
	Name     string     `json:"name"`
	Kind     int        `json:"kind"`
	Spot     span       `json:"selectionRange"`
	Children []outlined `json:"children"`
}

// listed are those kinds of the protocol that an index of a project lists.
var listed = map[int]string{
	5: "class", 6: "method", 7: "field", 8: "field", 9: "constructor", 10: "enum", 11: "interface", 12: "function",
	13: "variable", 14: "constant", 22: "member", 23: "class",
}

// define notes the definitions of a file.
func (t *serverTruth) define(path string, lines []string) error {
	var list []outlined
	document := map[string]any{"textDocument": map[string]any{"uri": t.uri(path)}}
	if err := t.ask("textDocument/documentSymbol", document, &list); err != nil {
		return err
	}
	t.note(path, lines, list, "", -1)
	return nil
}

// note notes the definitions of a list, which stand in one that is of the kind within and has the number around: no
// local variables.
func (t *serverTruth) note(path string, lines []string, list []outlined, within string, around int) {
	for _, s := range list {
		kind, here := listed[s.Kind], -1
		name := s.Name[strings.LastIndex(s.Name, ":")+1:] // of Type::name, which stands outside its type
		name = identifier.FindString(name)
		line := s.Spot.Start.Line
		named := name != "" && line < len(lines) && strings.Contains(lines[line], name)
		if kind != "" && named && !(runs[within] && slots[kind]) {
			key := fmt.Sprintf("%s:%d", path, line+1)
			here = len(t.truth.Defs)
			t.at[key] = append(t.at[key], here)
			t.members[around] = append(t.members[around], here)
			t.truth.Defs = append(t.truth.Defs, trueDef{path, line + 1, name, kind})
			t.names[name] = true
		}
		t.note(path, lines, s.Children, kind, here)
	}
}

// runs are the kinds of what has local variables.
var runs = map[string]bool{"function": true, "method": true, "constructor": true}

var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

// file asks for each name of a file what it means. What stands in an import of Python or PHP is no use: in other
// languages it is none, either. A name that it gives to what it brings is asked for as well.
func (t *serverTruth) file(path string, lines []string) error {
	t.aliases = map[string]string{}
	python, php := strings.HasSuffix(path, ".py"), strings.HasSuffix(path, ".php")
	open := false // the import goes on
	for n, line := range lines {
		if php && strings.HasPrefix(line, "use ") { // traits of a class are indented
			t.alias(line)
			continue
		}
		if python && (open || importLine.MatchString(line)) {
			open = strings.Contains(line, "(") || open
			open = open && !strings.Contains(line, ")")
			t.alias(line)
			continue
		}
		if err := t.uses(path, n, line); err != nil {
			return err
		}
	}
	return nil
}

var (
	importLine = regexp.MustCompile(`^\s*(from\s+[\w.]+\s+)?import\s`)
	renamed    = regexp.MustCompile(`(\w+) as (\w+)`)
)

// alias notes the names that an import gives to what it brings.
func (t *serverTruth) alias(line string) {
	for _, m := range renamed.FindAllStringSubmatch(line, -1) {
		t.aliases[m[2]] = m[1]
	}
}

// uses asks for each name of a line what it means.
func (t *serverTruth) uses(path string, n int, line string) error {
	for _, m := range identifier.FindAllStringIndex(line, -1) {
		name := line[m[0]:m[1]]
		if before := line[:m[0]]; (t.names[name] || t.aliases[name] != "") && !comment(path, before) {
			if err := t.use(path, n, line, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// located is a place in an answer.
type located struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

// use asks what the name at the offsets m of a line means, and notes the answer.
func (t *serverTruth) use(path string, n int, line string, m []int) error {
	name, before, here := line[m[0]:m[1]], line[:m[0]], spot{n, len([]rune(line[:m[0]]))}
	var list []located
	err := t.ask("textDocument/definition", map[string]any{
		"textDocument": map[string]any{"uri": t.uri(path)},
		"position":     here,
	}, &list)
	if err != nil {
		return err
	}
	name = cmp.Or(t.aliases[name], name)
	u := trueUse{Path: path, Line: n + 1, Name: name, Call: strings.HasPrefix(strings.TrimLeft(line[m[1]:], " "), "(")}
	own := false
	for _, at := range list {
		rel := t.rel(at.URI)
		own = own || rel == path && at.Range.Start == here
		if d := t.definedIn(rel, at.Range, name); d >= 0 {
			u.To = append(u.To, d)
		}
	}
	// To pyright each assignment of a field or variable declares it. What gives a value to something that is defined
	// elsewhere uses it, as it does in the other languages.
	if mine := t.defined(path, n+1, name); own && mine >= 0 {
		t.seen[mine] = true // the next one of that name on the line is a use
		return nil
	}
	if t.declares(u) {
		return nil
	}
	member := strings.HasSuffix(before, ".") || strings.HasSuffix(before, "->")
	if len(u.To) > 0 || len(list) == 0 && member {
		t.truth.Uses = append(t.truth.Uses, u)
	}
	return nil
}

// rel is the path of a place below the root; "" is outside.
func (t *serverTruth) rel(uri string) string {
	where, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(t.root, where.Path)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// declares tells whether a use is the name in a definition, which leads to its declaration or the other way round: they
// are one.
func (t *serverTruth) declares(u trueUse) bool {
	if strings.HasSuffix(u.Path, ".py") { // it has no declarations: what is assigned there is that of a base
		return false
	}
	mine := t.defined(u.Path, u.Line, u.Name)
	if mine < 0 || t.seen[mine] || u.Call != t.truth.Defs[mine].callable() {
		return false
	}
	t.seen[mine] = true
	for _, d := range u.To {
		t.same = append(t.same, [2]int{mine, d})
	}
	return true
}

// defined is the definition of a name on a line, or -1.
func (t *serverTruth) defined(path string, line int, name string) int {
	for _, d := range t.at[fmt.Sprintf("%s:%d", path, line)] {
		if t.truth.Defs[d].Name == name {
			return d
		}
	}
	return -1
}

// maxAttributes bounds the lines of attributes before a definition.
const maxAttributes = 10

// definedIn is the definition of a name in a range, or -1. The range begins with the attributes of what is defined, if
// the server does not answer the place of the name alone.
func (t *serverTruth) definedIn(path string, in span, name string) int {
	for line := in.Start.Line; line <= min(in.End.Line, in.Start.Line+maxAttributes); line++ {
		if d := t.defined(path, line+1, name); d >= 0 {
			return d
		}
	}
	return -1
}

// join lets a use of a declaration mean its definition, too, and the other way round.
func (t *serverTruth) join() {
	group := make([]int, len(t.truth.Defs))
	for i := range group {
		group[i] = i
	}
	top := func(n int) int {
		for group[n] != n {
			n = group[n]
		}
		return n
	}
	for _, pair := range t.same {
		group[top(pair[0])] = top(pair[1])
	}
	members := map[int][]int{}
	for n := range group {
		members[top(n)] = append(members[top(n)], n)
	}
	for i := range t.truth.Uses {
		u := &t.truth.Uses[i]
		var to []int
		for _, n := range u.To {
			for _, m := range members[top(n)] {
				if !slices.Contains(to, m) {
					to = append(to, m)
				}
			}
		}
		u.To = to
	}
}

// comment tells whether a line is a comment up to here: a server is not asked about words.
func comment(path, before string) bool {
	before = strings.TrimSpace(before)
	if strings.HasSuffix(path, ".py") { // where a star unpacks
		return strings.HasPrefix(before, "#") || strings.Contains(before, " # ")
	}
	for _, mark := range []string{"#", "//", "*", "/*"} {
		if strings.HasPrefix(before, mark) {
			return !strings.HasPrefix(before, "#define") && !strings.HasPrefix(before, "#if")
		}
	}
	return strings.Contains(before, " # ") || strings.Contains(before, " // ")
}

// ask asks the server for a list.
func (t *serverTruth) ask(method string, params, into any) error {
	data, err := t.client.Call(method, params)
	if err != nil {
		return err
	}
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	if data[0] == '{' { // one place in place of a list of them
		data = append(append([]byte{'['}, data...), ']')
	}
	return json.Unmarshal(data, into)
}
