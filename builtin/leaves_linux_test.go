package builtin_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/tool"
)

// leavesSo is a policy that lets every call run without a word, and says what becomes of what commands leave.
type leavesSo struct {
	allowAll
	leaves tool.Leaves
	review bool
}

func (p leavesSo) Judge(j *tool.Job) tool.Verdict {
	return tool.Verdict{Decision: tool.Allow, Leaves: p.leaves, Review: p.review && j.Review != nil}
}

// TestThePolicySaysWhatBecomesOfWhatACommandLeaves: made, asked about, or refused whatever anybody says, each kind by
// itself; and where a person looks at all of it.
func TestThePolicySaysWhatBecomesOfWhatACommandLeaves(t *testing.T) {
	if r, err := sandbox.Reach(t.Context(), sandbox.Options{Level: sandbox.WorkspaceWrite}); err != nil || r.Mechanism != sandbox.Namespaces {
		t.Skip("nothing can be held back here: ", r, err)
	}
	all := []tool.Leaving{tool.LeftMade, tool.LeftAsked, tool.LeftRefused}
	for _, steer := range all {
		for _, fresh := range all {
			for _, yes := range []bool{false, true} {
				for _, review := range []bool{false, true} {
					h := open(t, builtin.Options{})
					reg := &tool.Registry{}
					if err := reg.Add(builtin.All(h.ws)...); err != nil {
						t.Fatal(err)
					}
					h.kit = reg.Kit(tool.KitOptions{
						Policy: leavesSo{leaves: tool.Leaves{Steer: steer, New: fresh}, review: review},
						Ask:    func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: yes}, nil },
					})
					h.call("bash", args{"command": "echo x >.envrc; echo x >.newtool; echo x >plain"})
					for name, kind := range map[string]tool.Leaving{".envrc": steer, ".newtool": fresh, "plain": tool.LeftMade} {
						want := kind == tool.LeftMade || kind == tool.LeftAsked && yes
						if review {
							want = yes && kind != tool.LeftRefused
						}
						_, err := os.Stat(filepath.Join(h.dir, name))
						if made := err == nil; made != want {
							t.Errorf("steering %d, new %d, yes %v, review %v: %s is there: %v", steer, fresh, yes, review, name, made)
						}
					}
				}
			}
		}
	}
}
