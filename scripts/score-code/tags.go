package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/scripts/internal/scoring"
)

// tag is one line of ctags' JSON, of which docs.ctags.io/en/latest/man/ctags-json-output.5.html
// tells the fields.
type tag struct {
	Type     string `json:"_type"`
	Name     string `json:"name"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Kind     string `json:"kind"`
	Language string `json:"language"`
	Scope    string `json:"scopeKind"`
	Within   string `json:"scope"`
}

// compared are the kinds of ctags that mean a definition here too. Local variables, parameters,
// imports and packages are left out on both sides.
var compared = map[string]string{
	"C":          "function struct union enum typedef macro enumerator member variable",
	"C++":        "function struct union enum typedef macro enumerator member variable class namespace",
	"Python":     "class function member",
	"TypeScript": "class interface enum function method alias generator namespace property",
	"JavaScript": "class function method generator",
	"Rust":       "function struct interface enum typedef macro method field enumerator variable module",
	"Java":       "class interface enum method field enumConstant annotation",
	"C#":         "class interface enum method struct field property enumerator namespace event",
	"Ruby":       "class module method singletonMethod",
	"PHP":        "class interface trait function define",
	"Kotlin":     "class interface object method typealias",
	"Sh":         "function",
}

// languages translates ctags' names. A language that is missing here is not compared.
var languages = map[string]code.Language{
	"C":          code.C,
	"C++":        code.CPlusPlus,
	"Python":     code.Python,
	"TypeScript": code.TypeScript,
	"JavaScript": code.JavaScript,
	"Rust":       code.Rust,
	"Java":       code.Java,
	"C#":         code.CSharp,
	"Ruby":       code.Ruby,
	"PHP":        code.PHP,
	"Kotlin":     code.Kotlin,
	"Sh":         code.Shell,
	"Swift":      code.Swift,
}

// worthScoring is how many definitions of a language a folder must have: of fewer, one slip is a
// tenth.
const worthScoring = 20

// longestTag bounds a line of ctags' output. A line repeats what a definition is written as, which
// in generated code may be megabytes.
const longestTag = 16 << 20

// scoreTags compares what ctags and package code find in one folder, for each language that has
// enough of it.
func scoreTags(ctx context.Context, w io.Writer, root string, misses int) error {
	if _, err := exec.LookPath("ctags"); err != nil {
		return errors.New("ctags is not installed: definitions in other languages are not compared")
	}
	scores := map[string]*score{}
	src, err := scoring.OpenFolder(root)
	if err != nil {
		return err
	}
	// A header's name does not tell its language, and ctags goes by names.
	headers := "C:.c.h"
	if src.Holds(code.CPlusPlus) {
		headers = "C++:+.h" // in the language of the sources that include them
	}
	if err := readTags(ctx, root, headers, scores); err != nil {
		return err
	}
	if err := readLines(src, scores); err != nil {
		return err
	}
	s, err := code.New(src, code.Options{}).Snapshot(ctx)
	if err != nil {
		return err
	}
	if err := readIndex(ctx, s, src, scores); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s against universal-ctags, Swift against its lines\n", root)
	for _, l := range slices.Sorted(maps.Keys(scores)) {
		if len(scores[l].truth) > worthScoring {
			scores[l].print(w, l+" definitions", misses)
		}
	}
	return nil
}

// readTags runs ctags and notes its definitions by language. headers says which language a .h file
// is in, as --langmap takes it.
func readTags(ctx context.Context, root, headers string, scores map[string]*score) error {
	cmd := exec.CommandContext(ctx, "ctags", "-R", "--output-format=json",
		"--fields=+nlKs", "--langmap="+headers, "-f", "-", ".")
	cmd.Dir = root
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// One object a line. What is no object (a warning of ctags) is no tag.
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longestTag)
	for lines.Scan() {
		var t tag
		err := json.Unmarshal(lines.Bytes(), &t)
		if err == nil && t.counts() {
			add(scores, t.Language, t.Path, t.Line, t.Name)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return cmd.Wait()
}

// counts tells whether a tag is a definition that both sides know. What has no name in the source
// has one that ctags makes up.
func (t *tag) counts() bool {
	if t.Type != "tag" || languages[t.Language] == 0 || !has(compared[t.Language], t.Kind) {
		return false
	}
	nameless := strings.HasPrefix(t.Name, "__anon") || t.Name == "<lambda>" || strings.Contains(t.Within, "<lambda>")
	local := t.Kind == "variable" && (t.Scope == "function" || t.Scope == "method")
	return !nameless && !local
}

// add notes a definition that the oracle knows.
func add(scores map[string]*score, language, path string, line int, name string) {
	s := scores[language]
	if s == nil {
		s = newScore()
		scores[language] = s
	}
	s.truth[key(path, line, name)] = true
}

// has tells whether a list of words, as compared has them, holds one.
func has(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// key names a definition. What a name is written with in some languages, and not in this index,
// does not count: the tilde of a destructor, the interface before an explicit implementation, the
// blank in "operator ()".
func key(path string, line int, name string) string {
	name = strings.TrimPrefix(name, "~")
	name = strings.ReplaceAll(name, " ", "")
	if strings.HasSuffix(path, ".cs") {
		name = name[strings.LastIndexByte(name, '.')+1:]
	}
	path = filepath.ToSlash(filepath.Clean(path)) // ctags writes ./a.py
	return fmt.Sprintf("%s:%d:%s", path, line, name)
}

// readIndex notes the definitions of package code by language. A language of which the oracle found
// nothing has no score, and what the index finds of it is not judged.
func readIndex(ctx context.Context, s *code.Snapshot, src *scoring.Folder, scores map[string]*score) error {
	by := map[code.Language]*score{}
	for name, sc := range scores {
		by[languages[name]] = sc
	}
	for _, e := range src.Entries() {
		l := code.LanguageOf(e.Path, nil)
		if !l.Code() {
			continue
		}
		if err := readOutline(ctx, s, e.Path, by); err != nil {
			return err
		}
	}
	return nil
}

// kinds are the definitions that ctags knows too, for each language where it leaves some out. It is
// the other half of compared: what one side does not list must not count as wrong on the other.
var kinds = map[code.Language][]code.Kind{
	code.Python:     {code.Class, code.Function, code.Method},
	code.JavaScript: {code.Class, code.Function, code.Method},
	code.Ruby:       {code.Class, code.Module, code.Function, code.Method},
	code.Rust: {
		code.Function, code.Method, code.Struct, code.Interface, code.Enum, code.Alias,
		code.Macro, code.Field, code.Member, code.Variable, code.Module,
	},
	code.PHP: {
		code.Class, code.Interface, code.Function, code.Method, code.Constructor, code.Constant,
	},
	code.Kotlin: {
		code.Class, code.Interface, code.Enum, code.Function, code.Method, code.Alias,
	},
	code.Swift: {
		code.Class, code.Struct, code.Interface, code.Enum,
		code.Function, code.Method, code.Constructor, code.Alias,
	},
	code.Shell: {code.Function},
	code.TypeScript: {
		code.Class, code.Interface, code.Enum, code.Function, code.Method, code.Alias,
		code.Module, code.Field, code.Constructor,
	},
}

// readOutline notes the definitions of one file, page by page. The kinds left out are those that
// ctags has no word for in the file's language.
func readOutline(ctx context.Context, s *code.Snapshot, path string, by map[code.Language]*score) error {
	p := code.Page{Limit: outlinePage}
	for {
		o, err := s.Outline(ctx, path, p)
		if err != nil {
			return err
		}
		sc := by[o.Language]
		if strings.HasSuffix(path, ".h") {
			// Which of the two languages a header is in, ctags takes from its name and this index
			// from its text.
			sc = cmp.Or(by[code.CPlusPlus], by[code.C])
		}
		for _, n := range o.Nodes {
			k := kinds[o.Language]
			if sc != nil && (k == nil || slices.Contains(k, n.Kind)) {
				sc.found[key(path, n.Line, n.Name)] = true
			}
		}
		if o.Next == "" {
			return nil
		}
		p.Cursor = o.Next
	}
}
