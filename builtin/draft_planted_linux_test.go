package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/policy"
	"helve/tool"
)

// draftedCall is a call of a tool in a draft.
type draftedCall struct {
	name string
	args args
}

// drafted is a draft in mode auto.
type drafted struct {
	t     *testing.T
	d     *builtin.Draft
	kit   *tool.Kit
	words []string
}

// draftedIn begins a draft. yes is what a person says to the calls in it.
func draftedIn(t *testing.T, h *fixture, yes bool) *drafted {
	t.Helper()
	d, err := h.ws.NewDraft(t.Context())
	if errors.Is(err, sandbox.ErrNoLayer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Drop() })
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(h.ws)...); err != nil {
		t.Fatal(err)
	}
	return &drafted{t: t, d: d, kit: reg.Kit(tool.KitOptions{
		Policy: policy.Auto,
		Ask:    func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: yes}, nil },
	})}
}

// call makes a call, and returns what the model reads.
func (d *drafted) call(c draftedCall) string {
	d.t.Helper()
	raw, err := json.Marshal(c.args)
	if err != nil {
		d.t.Fatal(err)
	}
	res, err := d.kit.Call(d.t.Context(), &tool.Call{Name: c.name, Args: raw, Draft: d.d})
	if err != nil {
		d.t.Fatal(err)
	}
	d.words = append(d.words, res.Text())
	return res.Text()
}

// commit commits the draft while nobody can be asked about what it comes to, and returns all that was said.
func (d *drafted) commit() string {
	d.t.Helper()
	out, err := d.d.Commit(d.t.Context(), &tool.Call{Name: "run_script", Parent: "family"}, "")
	if err != nil {
		d.t.Fatal(err)
	}
	if out.Refused != nil {
		d.words = append(d.words, out.Refused.Text())
	}
	return strings.Join(append(d.words, out.Notes...), "\n")
}

// drafts makes calls in a draft of some files, and commits it.
func drafts(t *testing.T, files map[string]string, yes bool, calls ...draftedCall) (h *fixture, words string) {
	t.Helper()
	h = open(t, builtin.Options{})
	for name, text := range files {
		h.put(name, text)
	}
	d := draftedIn(t, h, yes)
	for _, c := range calls {
		d.call(c)
	}
	return h, d.commit()
}

func sh(line string) draftedCall { return draftedCall{"bash", args{"command": line}} }

func written(path, text string) draftedCall {
	return draftedCall{"write", args{"file_path": path, "contents": text}}
}

const runsOnStatus = "[core]\n\tfsmonitor = touch pwned; false\n"

// A script plants a repository whose settings run a program, a piece by a command and a piece by a tool for files:
// nobody was asked about the whole, and nobody is taken to have been.
func TestAScriptPlantsNoRepository(t *testing.T) {
	const head = "printf 'ref: refs/heads/m\\n' >x/HEAD"
	for name, calls := range map[string][]draftedCall{
		"the settings by a tool at last":  {sh("mkdir -p x/objects x/refs; touch x/objects/k x/refs/k; " + head), written("x/config", runsOnStatus)},
		"the settings by a tool at first": {written("x/config", runsOnStatus), written("x/objects/k", ""), written("x/refs/k", ""), sh(head)},
		"the last piece by a tool":        {sh("mkdir -p x/objects; touch x/objects/k; " + head), written("x/config", runsOnStatus), written("x/refs/k", "")},
		"and settings that come later":    {sh("mkdir -p x/objects x/refs; touch x/objects/k x/refs/k"), written("x/HEAD", "ref: refs/heads/m\n"), written("x/config", runsOnStatus)},
	} {
		for _, yes := range []bool{false, true} {
			h, words := drafts(t, nil, yes, calls...)
			var made []string
			for _, piece := range []string{"HEAD", "objects", "refs", "config"} {
				if _, err := os.Stat(filepath.Join(h.dir, "x", piece)); err == nil {
					made = append(made, piece)
				}
			}
			if len(made) == 4 {
				t.Errorf("%s, calls answered %v: it was made\n%s", name, yes, words)
			}
		}
	}
}

// What a person said of a call of a tool for files is no word on what a command did to the same file.
func TestOneByteOfAToolExcusesNothingOfACommand(t *testing.T) {
	const hook = ".husky/pre-commit"
	edit := draftedCall{"edit", args{"file_path": hook, "old_string": "run", "new_string": "ran"}}
	for name, c := range map[string]struct {
		files map[string]string
		calls []draftedCall
		made  bool
	}{
		"a byte of what a command made":        {nil, []draftedCall{sh("mkdir .husky; echo run >" + hook + "; chmod 755 " + hook), edit}, false},
		"all of it, and the mode is its own":   {nil, []draftedCall{sh("mkdir .husky; touch " + hook + "; chmod 755 " + hook), written(hook, "ran\n")}, false},
		"the mode before":                      {map[string]string{hook: "run\n"}, []draftedCall{sh("chmod 755 " + hook), edit}, false},
		"the mode after":                       {map[string]string{hook: "run\n"}, []draftedCall{edit, sh("chmod 755 " + hook)}, false},
		"twice, and a command in between":      {map[string]string{hook: "run\n"}, []draftedCall{edit, sh("echo run >>" + hook), edit}, false},
		"a tool alone":                         {map[string]string{hook: "run\n"}, []draftedCall{edit}, true},
		"a tool alone, twice":                  {nil, []draftedCall{written(hook, "run\n"), edit}, true},
		"a tool where a command removed it":    {map[string]string{hook: "run\n"}, []draftedCall{sh("rm " + hook), written(hook, "ran\n")}, true},
		"a command that only looks in between": {map[string]string{hook: "run\n"}, []draftedCall{edit, sh("cat " + hook)}, true},
	} {
		h, words := drafts(t, c.files, true, c.calls...)
		text, _ := os.ReadFile(filepath.Join(h.dir, hook))
		if made := strings.HasPrefix(string(text), "ran"); made != c.made {
			t.Errorf("%s: made %v, %q\n%s", name, made, text, words)
		}
		if st, err := os.Stat(filepath.Join(h.dir, hook)); err == nil && st.Mode()&0o111 != 0 {
			t.Errorf("%s: the mode is %v", name, st.Mode())
		}
	}
}

// A folder of the workspace may lie in another one. What a command puts in its place is not followed out of the draft,
// and what is changed in it is the outer folder's.
func TestAFolderInAnotherIsSeenInADraft(t *testing.T) {
	outer, home := t.TempDir(), t.TempDir()
	inner := filepath.Join(outer, "sub")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(home, "f"), "private\n")
	put(filepath.Join(inner, "f"), "1\n2\n3\n4\n5\n")
	edit := draftedCall{"edit", args{"file_path": "//sub/f", "old_string": "5", "new_string": "five"}}
	read := draftedCall{"read", args{"file_path": "//sub/f"}}

	d := draftedIn(t, open(t, builtin.Options{Dirs: []string{outer, inner}}), true)
	d.call(edit)
	time.Sleep(20 * time.Millisecond) // a later stamp than the draft has
	put(filepath.Join(inner, "f"), "one\n2\n3\n4\n5\n")
	words := d.commit()
	if text, _ := os.ReadFile(filepath.Join(inner, "f")); string(text) != "one\n2\n3\n4\nfive\n" {
		t.Errorf("it was not merged: %q\n%s", text, words)
	}

	d = draftedIn(t, open(t, builtin.Options{Dirs: []string{outer, inner}}), true)
	d.call(read)
	put(filepath.Join(outer, "away"), "mv sub o && ln -s '"+home+"' sub && echo moved\n") // as words it would be refused
	put(filepath.Join(outer, "back"), "rm sub && mv o sub\n")
	if said := d.call(sh("sh away")); strings.TrimSpace(said) != "moved" {
		t.Fatalf("it was not moved: %s", said)
	}
	for _, c := range []draftedCall{read, written("//sub/f", "planted\n"), written("//sub/g", "planted\n")} {
		if said := d.call(c); strings.Contains(said, "private") || !strings.Contains(said, "in the place of a folder") {
			t.Errorf("%s: %s", c.name, said)
		}
	}
	text, _ := os.ReadFile(filepath.Join(home, "f"))
	if _, err := os.Stat(filepath.Join(home, "g")); err == nil || string(text) != "private\n" {
		t.Errorf("it was written outside: %q, %v", text, err)
	}
	d.call(sh("sh back"))
	if said := d.call(read); !strings.Contains(said, "five") {
		t.Errorf("it was put back: %s", said)
	}
}
