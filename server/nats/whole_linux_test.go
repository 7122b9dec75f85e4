package natsbus_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// A remote is a folder whose tools work at a worker, under a gateway's policy.
type remotely struct {
	*testing.T
	dir    string
	kit    *tool.Kit
	answer tool.Answer
	seen   []*tool.Question
}

func openRemotely(t *testing.T, p tool.Policy) *remotely {
	t.Helper()
	there := open(t, t.TempDir())
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, asks{}, there.tools...), 4)
	r := &remotely{T: t, dir: there.dir}
	ask := func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		r.seen = append(r.seen, q)
		return r.answer, nil
	}
	r.kit = gatewayKit(t, join(t, b.URL(), there.dir), tool.KitOptions{Policy: p, Ask: ask}, there.tools...)
	return r
}

func (r *remotely) put(name, text string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

func (r *remotely) get(name string) string {
	b, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		return "none"
	}
	return string(b)
}

func (r *remotely) bash(command string) *tool.Result {
	r.Helper()
	args, _ := json.Marshal(map[string]string{"command": command})
	return call(r.T, r.kit, nil, "bash", string(args))
}

// needLayer skips where the sandbox cannot hold back what a command changes.
func (r *remotely) needLayer() {
	r.Helper()
	r.answer = tool.Answer{}
	r.put("probe", "one")
	if res := r.bash("echo two >probe"); r.get("probe") != "one" {
		r.Skipf("nothing is held back on this machine: %s", res.Text())
	}
	r.seen = nil
}

// What a command changed at a worker is shown to the gateway's person before any of it is made, and made or not as they
// say.
func TestAReviewAtAWorkerIsAnsweredAtTheGateway(t *testing.T) {
	for _, yes := range []bool{true, false} {
		r := openRemotely(t, policy.Review)
		r.needLayer()
		r.put("a.txt", "one\n")
		r.answer = tool.Answer{Yes: yes}
		res := r.bash("echo two >a.txt; echo fresh >b.txt; echo spoken")
		if len(r.seen) != 1 || !r.seen[0].Late || !strings.Contains(r.seen[0].Preview.String(), "+two") {
			t.Fatalf("asked %d times: %q", len(r.seen), res.Text())
		}
		wantA, wantB := "one\n", "none"
		if yes {
			wantA, wantB = "two\n", "fresh\n"
		}
		if a, b := r.get("a.txt"), r.get("b.txt"); a != wantA || b != wantB {
			t.Errorf("yes %v: %q and %q: %q", yes, a, b, res.Text())
		}
	}
}

// confines allows everything where it can change nothing.
type confines struct{ allowAll }

func (confines) Judge(*tool.Job) tool.Verdict {
	return tool.Verdict{Decision: tool.Allow, Confined: true}
}

func TestWhatAGatewayConfinesIsConfinedAtItsWorker(t *testing.T) {
	confined := false
	looks := tool.Plan(tool.Spec{Name: "looks", Kind: tool.Exec, Doc: tool.Doc{Short: "Looks."}},
		func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
			return &tool.Job{
				Confine: func() { confined = true },
				Run:     func(context.Context) (*tool.Result, error) { return tool.Textf("confined: %v", confined), nil },
			}, nil
		})
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, asks{}, looks), 4)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: confines{}}, looks)
	if res := call(t, kit, nil, "looks", `{}`); res.Text() != "confined: true" {
		t.Errorf("%v, %q", res.Err, res.Text())
	}

	r := openRemotely(t, confines{})
	wantError(t, r.bash("echo x >made"), tool.Permission, "confined")
	wantError(t, call(t, r.kit, nil, "write", `{"file_path":"made","contents":"x"}`), tool.Permission, "confined")
	if made := r.get("made"); made != "none" {
		t.Errorf("what cannot be confined ran: %q", made)
	}
}

// What a worker changed can be taken back through the gateway, with an approval of its own, and brought back.
func TestWhatAWorkerChangedIsTakenBackThroughTheGateway(t *testing.T) {
	r := openRemotely(t, asks{})
	r.answer = tool.Answer{Yes: true}
	r.put("a.txt", "one\n")
	r.put("b.txt", "kept\n")
	s := &tool.Session{ID: "one"}
	defer s.Close()
	call(t, r.kit, s, "read", `{"file_path":"a.txt"}`)
	for _, c := range [][2]string{
		{"edit", `{"file_path":"a.txt","old_string":"one","new_string":"two"}`},
		{"bash", `{"command":"rm b.txt"}`},
	} {
		if res := call(t, r.kit, s, c[0], c[1]); res.Err != nil {
			t.Fatalf("%s: %v", c[0], res.Err)
		}
	}
	if res := call(t, r.kit, s, "history", `{}`); !strings.Contains(res.Text(), "a.txt") {
		t.Errorf("history: %v, %q", res.Err, res.Text())
	}
	both := func(a, b string) {
		t.Helper()
		if gotA, gotB := r.get("a.txt"), r.get("b.txt"); gotA != a || gotB != b {
			t.Errorf("%q and %q, want %q and %q", gotA, gotB, a, b)
		}
	}
	both("two\n", "none")
	r.seen = nil
	call(t, r.kit, s, "undo", `{}`)
	both("two\n", "kept\n")
	if len(r.seen) != 1 || !strings.Contains(r.seen[0].Preview.String(), "+kept") {
		t.Errorf("undo was asked about %d times", len(r.seen))
	}
	call(t, r.kit, s, "undo", `{}`)
	both("one\n", "kept\n")
	call(t, r.kit, s, "redo", `{}`)
	both("two\n", "kept\n")
	r.answer = tool.Answer{}
	wantError(t, call(t, r.kit, s, "undo", `{}`), tool.Permission, "declined")
	both("two\n", "kept\n")
}
