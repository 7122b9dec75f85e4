package script_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
	"helve/tool/drafting"
)

// An around is the draft in which a script is called: its folder takes what those within it hold.
type around struct {
	*folder
	full bool // none can be had within it
}

func (a around) In(t tool.Tool) tool.Tool {
	if t.Spec().Name == "run_script" {
		return nil
	}
	return a.folder.In(t)
}

func (a around) Within(ctx context.Context, name, what string) (drafting.Draft, error) {
	if a.full {
		return nil, tool.Errorf(tool.Execution, "there is no room")
	}
	f, err := a.s.begin(ctx, &tool.Call{})
	if err != nil {
		return nil, err
	}
	return within{f.(*folder), a.folder}, nil
}

// A within is a draft in one: it has no files but its own.
type within struct {
	*folder
	out *folder
}

func (w within) Commit(context.Context, *tool.Call, string) (*drafting.Committed, error) {
	for name := range w.was {
		text, err := os.ReadFile(w.at(name))
		if err == nil {
			w.out.was[name] = ""
			err = os.WriteFile(w.out.at(name), text, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	return &drafting.Committed{Outer: true, Notes: []string{"[in the draft]"}}, nil
}

// in calls run_script in a draft.
func (s *sheet) in(a around, args map[string]any) *tool.Result {
	s.t.Helper()
	raw, _ := json.Marshal(args)
	res, err := s.kit.Call(context.Background(), &tool.Call{ID: "1", Name: "run_script", Args: raw, Draft: a})
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// around begins the draft in which scripts are called.
func (s *sheet) around() around {
	return around{folder: &folder{s: s, layer: s.t.(*testing.T).TempDir(), was: map[string]string{}}}
}

// What a script in a draft changes goes to that draft at its end and nowhere else, and nobody is asked; one that ends
// early changes nothing there, but what is to be kept. What it says is true of each.
func TestAScriptInADraftChangesThatDraft(t *testing.T) {
	for name, c := range map[string]struct {
		script, keep string
		holds        string
		says         []string
	}{
		"it ends":       {"put(path='a'); get(path='a')", "", "a+", []string{"+\n[in the draft]"}},
		"it fails":      {"put(path='a'); fail('no more')", "", "", []string{"(drafted and dropped)", "No file on disk is another one."}},
		"some is kept":  {"put(path='a'); fail('no more')", "partial", "a+", []string{"(in the draft, not on disk)", "No file on disk is another one."}},
		"it only reads": {"get(path='x')", "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSheet(t, tool.KitOptions{Policy: policy.AskFirst})
			a := s.around()
			args := map[string]any{"script": c.script}
			if c.keep != "" {
				args["keep"] = c.keep
			}
			res := s.in(a, args)
			holds := ""
			for name := range a.was {
				text, _ := os.ReadFile(a.at(name))
				holds += name + string(text)
			}
			if holds != c.holds || s.disk() != "" || len(s.commits) > 0 {
				t.Errorf("the draft holds %q, want %q; the disk %q: %s", holds, c.holds, s.disk(), res.Text())
			}
			for _, want := range c.says {
				if !strings.Contains(res.Text(), want) {
					t.Errorf("%q is not in %s", want, res.Text())
				}
			}
		})
	}
}

// Where no draft can be had in that of the script, its calls fail: they do not change the disk in its stead.
func TestAScriptWithoutADraftInItsDraftChangesNothing(t *testing.T) {
	s := newSheet(t, tool.KitOptions{Policy: policy.Auto})
	a := s.around()
	a.full = true
	res := s.in(a, map[string]any{"script": "try_call(put, path='a')\nput(path='b')"})
	if res.Err == nil || !strings.Contains(res.Text(), "there is no room") || s.disk() != "" || len(a.was) > 0 {
		t.Errorf("%s: the disk has %q, the draft %v", res.Text(), s.disk(), a.was)
	}
}
