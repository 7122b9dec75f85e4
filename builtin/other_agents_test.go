package builtin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// A foreignCall is one call of testdata/other_agents.txt, as another agent's tool takes it, with what it must do here.
type foreignCall struct {
	line    int
	agent   string
	name    string
	args    string
	session bool
	first   string // a call before it
	wants   []expectation
}

// An expectation is one of the words in the head of the table, with what follows it.
type expectation struct{ word, what, text string }

// Calls that models learnt elsewhere are answered as meant, or refused in words, never half: an answer must show each thing that was
// asked for, a refusal changes nothing.
func TestCallsOfOtherAgentsAreAnsweredAsMeantOrRefused(t *testing.T) {
	calls := foreignCalls(t)
	if len(calls) < 200 {
		t.Errorf("%d calls, want at least 200", len(calls))
	}
	for _, c := range calls {
		t.Run(c.agent+" "+strconv.Itoa(c.line), func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func (c *foreignCall) run(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put("main.go", "package main\n\nfunc main() {\n\thello()\n\thello()\n}\n")
	h.put("lib/hello.go", "package lib\n\n// TODO say it\nfunc hello() {}\n")
	h.put("lib/hello_test.go", "package lib\n\nfunc TestHello() {}\n")
	h.put("notes.txt", "one\ntwo\nthree\nfour\nfive\n")
	h.put("log.txt", "old\n")
	before := h.all()

	var s *tool.Session
	if c.session {
		s = session(t, nil)
	}
	if name, args, ok := strings.Cut(c.first, " "); ok {
		if r := h.raw(s, name, args); r.Err != nil {
			t.Fatalf("%s: %s", c.first, r.Text())
		}
	}
	r := h.raw(s, c.name, c.args)
	c.judge(t, r, h.changed(before))
}

// judge compares a result, and the files that changed, with what the table wants.
func (c *foreignCall) judge(t *testing.T, r *tool.Result, changed map[string]string) {
	wantFiles, refused, ignored := map[string]string{}, false, false
	for _, w := range c.wants {
		ok := true
		switch w.word {
		case "says", "refused":
			ok = strings.Contains(r.Text(), w.text)
			refused = refused || w.word == "refused"
		case "lacks":
			ok = !strings.Contains(r.Text(), w.text)
		case "ignored":
			line, _, _ := strings.Cut(r.Text(), "\n")
			ok = strings.HasPrefix(line, "[ignored: ") && strings.Contains(line, w.what)
			ignored = true
		case "file":
			wantFiles[w.what] = w.text
		}
		if !ok {
			t.Errorf("line %d: %s %s:\nwant %s %s %q\n got %s", c.line, c.name, c.args, w.word, w.what, w.text, r.Text())
		}
	}
	if refused != (r.Err != nil) {
		t.Errorf("line %d: %s %s: refused is %v: %s", c.line, c.name, c.args, r.Err != nil, r.Text())
	}
	if strings.HasPrefix(r.Text(), "[ignored") != ignored {
		t.Errorf("line %d: %s %s: ignores what the table does not tell: %s", c.line, c.name, c.args, r.Text())
	}
	if !maps.Equal(changed, wantFiles) {
		t.Errorf("line %d: %s %s:\nchanged %q\n   want %q", c.line, c.name, c.args, changed, wantFiles)
	}
}

// raw calls a tool with arguments as they stand in the table.
func (h *fixture) raw(s *tool.Session, name, args string) *tool.Result {
	h.t.Helper()
	args = strings.ReplaceAll(args, "$W", filepath.ToSlash(h.dir))
	res, err := h.kit.Call(context.Background(), &tool.Call{Name: name, Args: json.RawMessage(args), Session: s})
	if err != nil {
		h.t.Fatal(err)
	}
	return res
}

// all is the content of every file of the workspace.
func (h *fixture) all() map[string]string {
	h.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(h.dir, path)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// changed are the files that are not as before, gone ones with a word of their own.
func (h *fixture) changed(before map[string]string) map[string]string {
	h.t.Helper()
	now := h.all()
	maps.DeleteFunc(now, func(name, text string) bool { return before[name] == text })
	for name := range before {
		if _, err := os.Stat(filepath.Join(h.dir, name)); err != nil {
			now[name] = "(gone)"
		}
	}
	return now
}

// foreignCalls reads the table.
func foreignCalls(t *testing.T) []*foreignCall {
	f, err := os.Open("testdata/other_agents.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []*foreignCall
	agent, lines := "", bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		expected, indented := strings.CutPrefix(line, "\t")
		title, isTitle := strings.CutPrefix(line, "## ")
		switch {
		case line == "":
		case isTitle:
			agent = title
		case strings.HasPrefix(line, "#"):
		case indented:
			if err := out[len(out)-1].expect(expected); err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
		default:
			name, args, _ := strings.Cut(line, " ")
			out = append(out, &foreignCall{line: n, agent: agent, name: name, args: args})
		}
	}
	if slices.ContainsFunc(out, func(c *foreignCall) bool { return len(c.wants) == 0 }) {
		t.Fatal("a call without an expectation")
	}
	return out
}

// expect adds one line below a call.
func (c *foreignCall) expect(line string) (err error) {
	w := expectation{}
	w.word, w.text, _ = strings.Cut(line, " ")
	switch w.word {
	case "session":
		c.session = true
		return nil
	case "first":
		c.session, c.first = true, w.text
		return nil
	case "ignored":
		w.what = w.text
	case "file":
		w.what, w.text, _ = strings.Cut(w.text, " ")
		w.text, err = strconv.Unquote(w.text)
	case "says", "lacks", "refused":
		w.text, err = strconv.Unquote(w.text)
	default:
		err = strconv.ErrSyntax
	}
	c.wants = append(c.wants, w)
	return err
}
