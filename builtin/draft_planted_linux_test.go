package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// drafts makes calls in a draft in mode auto, and commits it while nobody can be asked about what it comes to. yes is
// what a person says to the calls themselves.
func drafts(t *testing.T, files map[string]string, yes bool, calls ...draftedCall) (h *fixture, words []string) {
	t.Helper()
	h = open(t, builtin.Options{})
	for name, text := range files {
		h.put(name, text)
	}
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
	kit := reg.Kit(tool.KitOptions{
		Policy: policy.Auto,
		Ask:    func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: yes}, nil },
	})
	for _, c := range calls {
		raw, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		res, err := kit.Call(t.Context(), &tool.Call{Name: c.name, Args: raw, Draft: d})
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, res.Text())
	}
	out, err := d.Commit(t.Context(), &tool.Call{Name: "run_script", Parent: "family"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if out.Refused != nil {
		words = append(words, out.Refused.Text())
	}
	return h, append(words, out.Notes...)
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
				t.Errorf("%s, calls answered %v: it was made\n%s", name, yes, strings.Join(words, "\n"))
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
			t.Errorf("%s: made %v, %q\n%s", name, made, text, strings.Join(words, "\n"))
		}
		if st, err := os.Stat(filepath.Join(h.dir, hook)); err == nil && st.Mode()&0o111 != 0 {
			t.Errorf("%s: the mode is %v", name, st.Mode())
		}
	}
}
