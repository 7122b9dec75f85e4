package natsbus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	natsworker "helve/server/nats"
	"helve/tool"
)

// conversations is how many a worker keeps at once, at most.
const conversations = 10_000

// counted is something that a conversation keeps at its worker.
type counted struct{ left *atomic.Int64 }

func (c *counted) Close() error { c.left.Add(-1); return nil }

// keeper is a tool that keeps something in each conversation.
func keeper(left *atomic.Int64) tool.Tool {
	return tool.New(tool.Spec{Name: "keep", Kind: tool.Read, Doc: tool.Doc{Short: "Keeps."}},
		func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			tool.Of(c.Session, func() *counted { left.Add(1); return &counted{left} })
			return tool.Textf("kept"), nil
		})
}

// at calls f for so many numbers, some at once.
func at(n, together int, f func(int)) {
	next := make(chan int)
	var all sync.WaitGroup
	for range together {
		all.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}

func TestTenThousandConversationsComeAndGo(t *testing.T) {
	if testing.Short() {
		t.Skip("ten thousand conversations take some seconds")
	}
	var left atomic.Int64
	b := startBroker(t)
	keep := keeper(&left)
	offer(t, b.URL(), workerKit(t, allowAll{}, keep), 16)
	pool := join(t, b.URL(), "")
	kit := gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, keep)
	keepIn := func(s *tool.Session) *tool.Result { return call(t, kit, s, "keep", `{}`) }
	keepIn(&tool.Session{ID: "first"})
	before := runtime.NumGoroutine()

	all := make([]*tool.Session, conversations-1) // and the first
	at(len(all), 16, func(i int) {
		all[i] = &tool.Session{ID: fmt.Sprint(i)}
		if res := keepIn(all[i]); res.Err != nil {
			t.Errorf("%d: %v", i, res.Err)
		}
	})
	if n := left.Load(); n != conversations {
		t.Errorf("the worker keeps %d conversations, want %d", n, conversations)
	}
	late := &tool.Session{ID: "late"}
	wantError(t, keepIn(late), tool.Busy, "keeps 10000 conversations already")
	at(len(all), 16, func(i int) {
		if err := all[i].Close(); err != nil {
			t.Error(err)
		}
	})
	if n := left.Load(); n != 1 {
		t.Errorf("the worker keeps %d conversations, want 1", n)
	}
	if res := keepIn(late); res.Err != nil {
		t.Error(res.Err)
	}
	if err := late.Close(); err != nil {
		t.Error(err)
	}
	wait(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before+2 })
}

// A worker of another version is as good as any if its tools are the same.
func TestAWorkersVersionAloneDecidesNothing(t *testing.T) {
	tools := workTools(filepath.Join(t.TempDir(), "record"))
	b := startBroker(t)
	nc := connect(t, b.URL())
	w, err := natsworker.Offer(nc, workerKit(t, allowAll{}, tools...), natsworker.Options{
		Pool: poolName, Workspace: workspaceName, Session: func() *tool.Session { return &tool.Session{} },
		Version: "of another age"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Drain(t.Context())
	pool := join(t, b.URL(), "")
	kit := gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, tools...)
	if res := call(t, kit, nil, "work", `{"n":"1"}`); res.Err != nil {
		t.Error(res.Err)
	}
	if all := found(t, nc, 1); all[0].Version != "of another age" {
		t.Errorf("%+v", all)
	}
}

// Where the same path has other files, what one worker showed is not what another one runs.
func TestWhatOneWorkerShowedDoesNotRunOnTheFilesOfAnother(t *testing.T) {
	b := startBroker(t)
	first, second := open(t, t.TempDir()), open(t, t.TempDir())
	put := func(p *place, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, "a.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(first, "one\n")
	put(second, "other\none\n")
	goes := offer(t, b.URL(), workerKit(t, allowAll{}, first.tools...), 2)
	ask := func(context.Context, *tool.Question) (tool.Answer, error) {
		if goes != nil { // while the person looks
			offer(t, b.URL(), workerKit(t, allowAll{}, second.tools...), 2)
			goes.Drain(context.Background())
			goes = nil
		}
		return tool.Answer{Yes: true}, nil
	}
	kit := gatewayKit(t, join(t, b.URL(), first.dir), tool.KitOptions{Policy: asks{}, Ask: ask}, first.tools...)
	edit := `{"file_path":"a.txt","old_string":"one","new_string":"1"}`
	wantError(t, call(t, kit, nil, "edit", edit), tool.Permission, "what would run is not what was approved")
	for _, p := range []*place{first, second} {
		if got, _ := os.ReadFile(filepath.Join(p.dir, "a.txt")); string(got) == "1\n" || string(got) == "other\n1\n" {
			t.Errorf("%q was made", got)
		}
	}
	if res := call(t, kit, nil, "edit", edit); res.Err != nil { // judged anew, by the files that are there
		t.Error(res.Err)
	}
}
