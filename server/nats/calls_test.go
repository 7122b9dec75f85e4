package natsbus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	natsworker "helve/server/nats"
	"helve/tool"
)

func wantError(t *testing.T, res *tool.Result, code tool.Code, words string) {
	t.Helper()
	if res.Err == nil || res.Err.Code != code || !strings.Contains(res.Err.Text(), words) {
		t.Errorf("%v, want %s with %q", res.Err, code, words)
	}
}

// asks is a policy that asks about everything.
type asks struct{ allowAll }

func (asks) Judge(*tool.Job) tool.Verdict {
	return tool.Verdict{Decision: tool.Ask, Reason: "it is asked"}
}

// denies is a policy that denies everything.
type denies struct{ allowAll }

func (denies) Judge(*tool.Job) tool.Verdict { return tool.Verdict{Reason: "not on this worker"} }

func TestWhatAPersonSawIsWhatAWorkerRuns(t *testing.T) {
	there := open(t, t.TempDir())
	file := filepath.Join(there.dir, "a.txt")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, asks{}, there.tools...), 2)
	meanwhile := func() {}
	var saw string
	ask := func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		if q.Preview != nil {
			saw = q.Preview.String()
		}
		meanwhile()
		return tool.Answer{Yes: true}, nil
	}
	kit := gatewayKit(t, join(t, b.URL(), there.dir), tool.KitOptions{Policy: asks{}, Ask: ask}, there.tools...)
	edit := `{"file_path":"a.txt","old_string":"one","new_string":"1"}`

	put("one\n")
	if res := call(t, kit, nil, "edit", edit); res.Err != nil || !strings.Contains(saw, "+1") {
		t.Errorf("%v; shown: %q", res.Err, saw)
	}
	put("one\n")
	meanwhile = func() { put("two\none\n") }
	wantError(t, call(t, kit, nil, "edit", edit), tool.Permission, "what would run is not what was approved")
	if got, _ := os.ReadFile(file); string(got) != "two\none\n" {
		t.Errorf("the file was changed: %q", got)
	}
}

func TestAWorkersOwnRulesMayDenyMore(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	tools := workTools(record)
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, denies{}, tools...), 2)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tools...)
	wantError(t, call(t, kit, nil, "work", `{"n":"1"}`), tool.Permission, "not on this worker")
	if _, err := os.Stat(record); err == nil {
		t.Error("it ran all the same")
	}
}

func TestAConversationStaysWithItsWorkerAndIsToldWhenThatIsGone(t *testing.T) {
	there := open(t, t.TempDir())
	if err := os.WriteFile(filepath.Join(there.dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := startBroker(t)
	pool := join(t, b.URL(), there.dir)
	kit := gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, there.tools...)
	var workers []*natsworker.Worker
	for range 3 {
		workers = append(workers, offer(t, b.URL(), workerKit(t, allowAll{}, there.tools...), 2))
	}
	wait(t, "three workers are known", func() bool { return len(pool.Members()) == 3 })
	s := &tool.Session{ID: "one"}
	defer s.Close()
	call(t, kit, s, "read", `{"file_path":"a.txt"}`)
	for range 5 { // the worker that has seen the file lets it be changed
		if res := call(t, kit, s, "edit", `{"file_path":"a.txt","old_string":"one","new_string":"one"}`); res.Err == nil || res.Err.Code == tool.Permission {
			t.Fatalf("an edit that changes nothing: %v", res.Err)
		}
		if res := call(t, kit, s, "write", `{"file_path":"a.txt","contents":"one\n"}`); res.Err != nil {
			t.Fatal(res.Err)
		}
	}
	if err := os.WriteFile(filepath.Join(there.dir, "a.txt"), []byte("other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, w := range workers {
		w.Drain(t.Context())
	}
	offer(t, b.URL(), workerKit(t, allowAll{}, there.tools...), 2)
	res := call(t, kit, s, "read", `{"file_path":"a.txt"}`)
	if res.Err != nil || !strings.Contains(res.Text(), "another has taken over") {
		t.Errorf("%v, %q", res.Err, res.Text())
	}
	if res = call(t, kit, s, "read", `{"file_path":"a.txt"}`); strings.Contains(res.Text(), "taken over") {
		t.Errorf("it is told twice: %q", res.Text())
	}
}

// A worker has 0.4 s to say what it has. On a busy machine it may need more, and so is tried again.
func TestACancelledCallBringsWhatItsWorkerHas(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	tools := workTools(record)
	b := startBroker(t)
	w := offer(t, b.URL(), workerKit(t, allowAll{}, tools...), 2)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tools...)
	cancelled := func(id string) bool {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan *tool.Result, 1)
		go func() {
			res, _ := kit.Call(ctx, &tool.Call{Name: "work", Args: json.RawMessage(`{"n":"` + id + `","take":60000}`)})
			done <- res
		}()
		wait(t, "it runs", func() bool {
			got, _ := os.ReadFile(record)
			return strings.Contains(string(got), id)
		})
		cancel()
		res := <-done
		if res != nil && res.Err != nil && res.Err.Code == tool.Cancelled {
			return false
		}
		if res == nil || res.Err != nil || res.Text() != "stopped "+id {
			t.Fatalf("%+v", res)
		}
		return true
	}
	n := 0
	wait(t, "a worker says what it has", func() bool { n++; return cancelled(fmt.Sprintf("call%d.", n)) })
	wait(t, "the worker is free again", func() bool { return w.Running() == 0 })
}

func TestALongResultArrivesAsItWasMade(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 8<<20/16)
	show := tool.New(tool.Spec{Name: "show", Kind: tool.Read, Doc: tool.Doc{Short: "Shows."}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
			return tool.NewResult(tool.Text("a picture"), tool.Image{MIME: "image/png", Data: want}), nil
		})
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, show), 2)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, show)
	res := call(t, kit, nil, "show", `{}`)
	if res.Err != nil || len(res.Parts) != 2 {
		t.Fatalf("%v, %d parts", res.Err, len(res.Parts))
	}
	if got := res.Parts[1].(tool.Image); !bytes.Equal(got.Data, want) {
		t.Errorf("%d bytes, want %d", len(got.Data), len(want))
	}
}

// What a server keeps for a client is bounded: large results that come at once must not cost the gateway its connection.
func TestLargeResultsThatComeAtOnceAllArrive(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves a hundred MiB")
	}
	want := bytes.Repeat([]byte("0123456789abcdef"), 9<<20/16)
	show := tool.New(tool.Spec{Name: "show", Kind: tool.Exec, Doc: tool.Doc{Short: "Shows."}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
			return tool.NewResult(tool.Image{MIME: "image/png", Data: want}), nil
		})
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, show), 10)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, show)
	at(10, 10, func(int) {
		res := call(t, kit, nil, "show", `{}`)
		if res.Err != nil {
			t.Error(res.Err)
			return
		}
		if got, ok := res.Parts[0].(tool.Image); !ok || !bytes.Equal(got.Data, want) {
			t.Errorf("%T of %d bytes, want %d", res.Parts[0], len(got.Data), len(want))
		}
	})
}

func TestAQuestionOfARunningJobIsAskedAtTheGateway(t *testing.T) {
	late := tool.New(tool.Spec{Name: "late", Kind: tool.Exec, Doc: tool.Doc{Short: "Asks late."}},
		func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			a, err := c.Ask(ctx, tool.Late{Title: "let it", Why: "it showed", Effects: []tool.Effect{{Kind: tool.Write, Target: "x"}}, Preview: tool.Summary("this")})
			if err != nil {
				return nil, err
			}
			return tool.Textf("%v %s", a.Yes, a.Note), nil
		})
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, late), 2)
	var asked []string
	ask := func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		asked = append(asked, q.Job.Title+": "+q.Preview.String())
		return tool.Answer{Yes: true, Note: "fine"}, nil
	}
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}, Ask: ask}, late)
	res := call(t, kit, nil, "late", `{}`)
	if res.Text() != "true fine" || len(asked) != 1 || asked[0] != "let it: this" {
		t.Errorf("%v %q, asked %q", res.Err, res.Text(), asked)
	}
}

func TestATwoRoundCallFindsItsWorkAgainAtAWorker(t *testing.T) {
	rounds := tool.New(tool.Spec{Name: "rounds", Kind: tool.Exec, Doc: tool.Doc{Short: "Wants to know."}},
		func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			if c.Resume == nil {
				return &tool.Result{Need: &tool.Need{State: []byte("half"), Requests: json.RawMessage(`{"q":1}`)}}, nil
			}
			return tool.Textf("%s %s", c.Resume.State, c.Resume.Answers), nil
		})
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, asks{}, rounds), 2)
	yes := func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: true}, nil }
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: asks{}, Ask: yes}, rounds)
	res := call(t, kit, nil, "rounds", `{}`)
	if res.Need == nil {
		t.Fatalf("%v, %q: want a need", res.Err, res.Text())
	}
	res, err := kit.Call(t.Context(), &tool.Call{Name: "rounds", Resume: &tool.Resume{State: res.Need.State, Answers: json.RawMessage(`{"a":2}`)}})
	if err != nil || res.Text() != `half {"a":2}` {
		t.Errorf("%v, %v", res, err)
	}
}

func TestWorkersThatCannotTakeACallAreNamed(t *testing.T) {
	spec := tool.Spec{Name: "work", Kind: tool.Read, Doc: tool.Doc{Short: "Another definition."}}
	other := tool.New(spec, func(context.Context, *tool.Call, workIn) (*tool.Result, error) { return tool.Textf("x"), nil })
	tools := workTools(filepath.Join(t.TempDir(), "record"))
	b := startBroker(t)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tools...)
	wantError(t, call(t, kit, nil, "work", `{"n":"1"}`), tool.Execution, "Start one in the same workspace")
	elsewhere, err := natsworker.Offer(connect(t, b.URL()), workerKit(t, allowAll{}, tools...), natsworker.Options{
		Pool: poolName, Workspace: "other", Session: func() *tool.Session { return &tool.Session{} }})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, call(t, kit, nil, "work", `{"n":"1"}`), tool.Execution, "another workspace")
	elsewhere.Drain(t.Context())
	offer(t, b.URL(), workerKit(t, allowAll{}, other), 2)
	wantError(t, call(t, kit, nil, "work", `{"n":"1"}`), tool.Execution, "another definition")
}

func TestCallsWaitForASlotInTurn(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	tools := workTools(record)
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, tools...), 1)
	kits := []*tool.Kit{ // of two gateways, which do not know of each other
		gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tools...),
		gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tools...),
	}
	done := make(chan *tool.Result)
	for i := range 10 {
		go func() {
			res, _ := kits[i%2].Call(context.Background(), &tool.Call{Name: "work", Args: json.RawMessage(`{"n":"x","take":10}`)})
			done <- res
		}()
	}
	for range 10 {
		if res := <-done; res == nil || res.Err != nil {
			t.Errorf("%+v", res)
		}
	}
}
