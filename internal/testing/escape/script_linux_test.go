package escape

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve"
	"helve/engine/sandbox"
	"helve/parts/everything"
	scripts "helve/parts/script"
	"helve/script"
	"helve/tool"
)

// approving is a person who lets every command run, and nothing be made of what is dangerous about it.
func approving(_ context.Context, q *tool.Question) (tool.Answer, error) {
	return tool.Answer{Yes: !q.Late, By: tool.Approver{Kind: tool.ByPerson}}, nil
}

// byScript is a command that a script calls, in a workspace as helve opens one.
func byScript(t *testing.T, p *place, command string) {
	ctx, cancel := context.WithTimeout(t.Context(), ample)
	defer cancel()
	state := filepath.Join(p.base, "state")
	ws, err := helve.Open(ctx, helve.Options{
		Dirs:    []string{p.work},
		Parts:   append(everything.Parts(), scripts.Part(scripts.Options{On: true})),
		Places:  helve.Places{State: state, Cache: filepath.Join(state, "cache")},
		Environ: p.env(),
		Ask:     approving,
	})
	must(t, err)
	defer ws.Close()
	args, err := json.Marshal(map[string]any{
		"script":  "value, error = try_call(bash, command=inputs)\nerror.message if error else value.exit_code",
		"inputs":  command,
		"timeout": 600_000,
	})
	must(t, err)
	res, err := ws.Kit().Call(ctx, &tool.Call{Name: script.Name, Args: args, Session: ws.NewSession(), Dir: p.work})
	must(t, err)
	t.Logf("%.300s", res.Text())
	if res.Err != nil && !strings.Contains(res.Text(), "bash") {
		t.Error("the script came to nothing")
	}
}

// landlockAlone tells that commands are confined by nothing else here.
func landlockAlone(t *testing.T) bool {
	dir := t.TempDir()
	reach, err := sandbox.Reach(t.Context(), sandbox.Options{Level: sandbox.WorkspaceWrite, Roots: []string{dir}, Home: dir})
	must(t, err)
	return reach.Mechanism == sandbox.Landlock
}

// What a script has a command do leaves no mark either: it is the same command, behind the same door.
func TestNoAttackOfAScriptLeavesAMark(t *testing.T) {
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	f := newField(t)
	alone := landlockAlone(t)
	t.Run("attacks", func(t *testing.T) {
		for _, a := range attacks() {
			if a.caged { // here nobody looks first whether something holds
				continue
			}
			if alone && slices.Contains(open, a.name) { // the person is asked because of it, and says yes
				continue
			}
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				f.try(t, a, byScript)
			})
		}
	})
	f.untouched(t)
}
