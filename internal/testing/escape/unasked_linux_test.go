package escape

import (
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"helve"
	"helve/parts/everything"
	"helve/tool"
)

//go:embed testdata/unasked.txt
var unaskedText string

// A story is what a person and commands that nobody is asked about do in turn. The last part is the person's.
type story struct {
	name  string
	parts []part
}

// A part is one script of a story.
type part struct {
	command bool // by a command; else by the person
	script  string
}

func stories() []story {
	var out []story
	for line := range strings.Lines(unaskedText) {
		name, begins := strings.CutPrefix(line, "-- ")
		switch {
		case begins:
			out = append(out, story{name: strings.TrimSpace(name)})
		case len(out) == 0, strings.TrimSpace(line) == "":
		default:
			out[len(out)-1].add(line)
		}
	}
	return out
}

// add adds a line: each of a command is a part by itself, those of the person are one.
func (s *story) add(line string) {
	if text, is := strings.CutPrefix(line, "$ "); is {
		s.parts = append(s.parts, part{true, text})
		return
	}
	if n := len(s.parts); n > 0 && !s.parts[n-1].command {
		s.parts[n-1].script += line
		return
	}
	s.parts = append(s.parts, part{false, line})
}

// forms are those in which the story can be told.
func (s *story) forms() []string {
	if strings.Contains(s.parts[0].script, "have ") {
		return forms
	}
	return forms[:1]
}

// told has a story told, and tells whether a mark is left.
func (p *place) told(s story, form string, command func(script string)) bool {
	head := "export HOME='" + p.home + "' FORM=" + form + "\n" + helpers
	for _, one := range s.parts {
		os.Remove(p.mark())
		if one.command {
			command(head + one.script)
		} else {
			p.run(head + one.script)
		}
	}
	_, err := os.Lstat(p.mark())
	return err == nil
}

// unasked is an agent in mode auto, whom nobody answers.
func unasked(t *testing.T, p *place) (command func(script string)) {
	state := filepath.Join(p.base, "state")
	var asked atomic.Pointer[string] // why, before a command
	ws, err := helve.Open(t.Context(), helve.Options{
		Dirs:    []string{p.work},
		Parts:   everything.Parts(),
		Mode:    "auto",
		Places:  helve.Places{State: state, Cache: filepath.Join(state, "cache")},
		Environ: p.env(),
		Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			if !q.Late {
				asked.Store(&q.Verdict.Reason)
			}
			return tool.Answer{By: tool.Approver{Kind: tool.ByPerson}}, nil
		},
	})
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	session := ws.NewSession()
	return func(script string) {
		const step = "step.sh"
		must(t, os.WriteFile(filepath.Join(p.work, step), []byte(script), 0o644))
		args, err := json.Marshal(map[string]any{"command": "bash " + step, "timeout": 600_000})
		must(t, err)
		res, err := ws.Kit().Call(t.Context(), &tool.Call{Name: "bash", Args: args, Session: session, Dir: p.work})
		must(t, err)
		if why := asked.Load(); why != nil {
			t.Skip("a command that nobody is asked about does not work here: ", *why)
		}
		if res.Need != nil || res.Err != nil && res.Err.Code == tool.Permission {
			t.Errorf("it did not run: %s", res.Text())
		}
		t.Logf("%.1000s", res.Text())
	}
}

// eachStory runs a share of the stories in every form.
func eachStory(t *testing.T, run func(t *testing.T, s story, form string)) {
	n := 0
	for _, s := range stories() {
		for _, form := range s.forms() {
			if n++; n%*share > 0 && *share > 1 {
				continue
			}
			t.Run(s.name+", "+form, func(t *testing.T) {
				if program, _, _ := strings.Cut(s.name, ":"); !installed(program) {
					t.Skipf("%s is not installed: see scripts/npm-tools", program)
				}
				t.Parallel()
				run(t, s, form)
			})
		}
	}
}

// Nothing that commands leave whom nobody was asked about, in one step or in several, is run or followed afterwards.
func TestNoUnaskedCommandLeavesAMark(t *testing.T) {
	template := trapTemplate(t)
	eachStory(t, func(t *testing.T, s story, form string) {
		p := repositoryPlace(t, template)
		if p.told(s, form, unasked(t, p)) {
			t.Error("it left a mark")
		}
		if p.after(starts) {
			t.Error("it left a mark for another program than the one that it was after")
		}
	})
}

// A story that would leave no mark anyway shows nothing.
func TestTheStoriesLeaveMarksWhereNothingHoldsThem(t *testing.T) {
	template := trapTemplate(t)
	eachStory(t, func(t *testing.T, s story, form string) {
		p := repositoryPlace(t, template)
		if !p.told(s, form, p.run) {
			t.Error("it leaves no mark")
		}
	})
}
