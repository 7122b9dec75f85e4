package wrap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"helve/tool"
	"helve/wrap"
)

func kit(t *testing.T, o tool.KitOptions, s tool.Spec, run func(context.Context) (*tool.Result, error)) *tool.Kit {
	t.Helper()
	s.Kind = tool.Read
	r := &tool.Registry{}
	if err := r.Add(tool.New(s, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) { return run(ctx) })); err != nil {
		t.Fatal(err)
	}
	return r.Kit(o)
}

func TestSerialToolsRunAloneInTheirSession(t *testing.T) {
	for _, serial := range []bool{true, false} {
		var now atomic.Int32
		var mu sync.Mutex
		most := int32(0)
		both := make(chan struct{}, 8)
		k := kit(t, tool.KitOptions{Wrap: wrap.Standard(wrap.Options{})}, tool.Spec{Name: "x", Serial: serial}, func(context.Context) (*tool.Result, error) {
			n := now.Add(1)
			defer now.Add(-1)
			mu.Lock()
			most = max(most, n)
			mu.Unlock()
			both <- struct{}{}
			if !serial { // wait until another is in here, too
				for now.Load() < 2 && len(both) < 2 {
					time.Sleep(time.Millisecond)
				}
			}
			return tool.Textf(""), nil
		})
		s := &tool.Session{}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { k.Call(t.Context(), &tool.Call{Name: "x", Session: s}) })
		}
		wg.Wait()
		if got := most; serial && got != 1 || !serial && got < 2 {
			t.Errorf("serial %v: %d at once", serial, got)
		}
	}
}

// anything is a policy that allows everything.
type anything struct{}

func (anything) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (anything) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

// Command lines that are judged to read only run side by side, though their tool runs alone.
func TestCommandLinesThatOnlyLookRunSideBySide(t *testing.T) {
	for _, looks := range []bool{true, false} {
		var now, most atomic.Int32
		met := make(chan struct{})
		r := &tool.Registry{}
		spec := tool.Spec{Name: "x", Serial: true, Kind: tool.Exec}
		err := r.Add(tool.Plan(spec, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
			j := &tool.Job{
				Effects: []tool.Effect{{Kind: tool.Exec, Target: "ls"}, {Kind: tool.Read, Target: "a"}},
				Line:    &tool.CommandLine{Text: "ls", Decision: tool.Allow},
			}
			if !looks {
				j.Line.Decision = tool.Ask
			}
			j.Run = func(ctx context.Context) (*tool.Result, error) {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				defer now.Add(-1)
				if looks && most.Load() == 2 {
					close(met)
				}
				if looks {
					select {
					case <-met:
					case <-ctx.Done():
					}
				}
				return tool.Textf("done"), nil
			}
			return j, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		k := r.Kit(tool.KitOptions{Policy: anything{}, Wrap: wrap.Standard(wrap.Options{Timeout: time.Minute})})
		s := &tool.Session{}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if res, err := k.Call(t.Context(), &tool.Call{Name: "x", Session: s}); err != nil || res.Text() != "done" {
					t.Error(err, res.Text())
				}
			})
		}
		wg.Wait()
		if got := most.Load(); looks != (got == 2) {
			t.Errorf("it only looks: %v, %d at once", looks, got)
		}
	}
}

// The place is held until Run has really returned: a tool that was left behind must not overlap with the next.
func TestASerialToolThatTimedOutKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside atomic.Int32
		k := kit(t, tool.KitOptions{Wrap: wrap.Standard(wrap.Options{Timeout: time.Second})}, tool.Spec{Name: "x", Serial: true}, func(context.Context) (*tool.Result, error) {
			if inside.Add(1) > 1 {
				t.Error("two at once")
			}
			defer inside.Add(-1)
			time.Sleep(10 * time.Second) // deaf to its context
			return tool.Textf(""), nil
		})
		s := &tool.Session{}
		start := time.Now()
		res, err := k.Call(t.Context(), &tool.Call{Name: "x", Session: s})
		if err != nil || res.Err == nil || res.Err.Code != tool.TimedOut || time.Since(start) > 2*time.Second {
			t.Errorf("%v, %v after %v", res, err, time.Since(start))
		}
		res, err = k.Call(t.Context(), &tool.Call{Name: "x", Session: s}) // waits nine seconds, which do not count
		if err != nil || res.Err == nil || res.Err.Code != tool.TimedOut || time.Since(start) < 10*time.Second {
			t.Errorf("%v, %v after %v", res, err, time.Since(start))
		}
		time.Sleep(20 * time.Second)
	})
}

func TestAWaitingCallCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := kit(t, tool.KitOptions{Wrap: wrap.Standard(wrap.Options{})}, tool.Spec{Name: "x", Serial: true}, func(ctx context.Context) (*tool.Result, error) {
			time.Sleep(time.Minute)
			return tool.Textf(""), nil
		})
		s := &tool.Session{}
		go k.Call(t.Context(), &tool.Call{Name: "x", Session: s})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		res, err := k.Call(ctx, &tool.Call{Name: "x", Session: s})
		if err == nil || res.Err.Code != tool.Cancelled {
			t.Errorf("%v, %v", res.Err, err)
		}
		time.Sleep(2 * time.Minute)
	})
}

func TestAToolThatHeedsItsTimeoutMayAnswerInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := kit(t, tool.KitOptions{Wrap: wrap.Standard(wrap.Options{Timeout: time.Second})}, tool.Spec{Name: "x"}, func(ctx context.Context) (*tool.Result, error) {
			<-ctx.Done()
			return tool.Textf("half of it"), nil
		})
		res, err := k.Call(t.Context(), &tool.Call{Name: "x"})
		if err != nil || res.Err != nil || res.Text() != "half of it" {
			t.Errorf("%v, %v", res, err)
		}
	})
}

func TestATooLongResultIsCutAndKept(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "line %d of a long output\n", i)
	}
	whole := b.String()
	for name, text := range map[string]string{"lines": whole, "one line": strings.Repeat("日本", 50_000), "100 MB": strings.Repeat(whole[:100_000], 1000)} {
		for _, session := range []*tool.Session{nil, {ID: "s"}} {
			k := kit(t, tool.KitOptions{Wrap: wrap.Standard(wrap.Options{ResultBytes: 5000})}, tool.Spec{Name: "x"}, func(context.Context) (*tool.Result, error) {
				return tool.NewResult(tool.Text(text)), nil
			})
			res, err := k.Call(t.Context(), &tool.Call{Name: "x", Session: session})
			if err != nil {
				t.Fatal(err)
			}
			got := res.Text()
			if len(got) > 5500 || !strings.HasPrefix(got, text[:60]) || !strings.HasSuffix(got, text[len(text)-60:]) || strings.ContainsRune(got, '\ufffd') {
				t.Errorf("%s: %d bytes, %.80q … %.80q", name, len(got), got, got[len(got)-80:])
			}
			if session == nil {
				if !strings.Contains(got, "ask for less at once") {
					t.Errorf("%s: no next step in %q", name, got)
				}
				continue
			}
			id := "spill:" + strings.Split(strings.SplitN(got, "spill:", 2)[1], ":")[0]
			blob, err := session.Kept(id)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := io.ReadAll(io.NewSectionReader(blob, 0, blob.Size()))
			if string(kept) != text || err != nil {
				t.Errorf("%s: kept %d bytes of %d, %v", name, len(kept), len(text), err)
			}
			blob.Close()
			session.Close()
		}
	}
}

func TestOnlyWhatIsTooLongIsCut(t *testing.T) {
	parts := []tool.Part{tool.Text("short"), tool.Image{MIME: "image/png", Data: []byte{1}}, tool.Text(strings.Repeat("x", 900)), tool.Text("end")}
	k := kit(t, tool.KitOptions{Wrap: []func(tool.Runner) tool.Runner{wrap.Limit(func(*tool.Job) int { return 400 })}}, tool.Spec{Name: "x"},
		func(context.Context) (*tool.Result, error) { return &tool.Result{Parts: slices.Clone(parts)}, nil })
	res, err := k.Call(t.Context(), &tool.Call{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Parts[0] != parts[0] || len(res.Parts) < 3 || tool.Size(res.Parts[1]) != 1 || tool.Size(res.Parts[2]) > 700 {
		t.Errorf("%v", res.Parts)
	}
}

func TestCountsTellWhatBecameOfTheCalls(t *testing.T) {
	var c wrap.Counter
	fail := false
	k := kit(t, tool.KitOptions{Around: []func(tool.Caller) tool.Caller{c.Count}}, tool.Spec{Name: "x"}, func(context.Context) (*tool.Result, error) {
		if fail {
			return nil, io.ErrUnexpectedEOF
		}
		return tool.Textf("12345"), nil
	})
	for range 3 {
		k.Call(t.Context(), &tool.Call{Name: "X"})
	}
	fail = true
	k.Call(t.Context(), &tool.Call{Name: "x"})
	k.Call(t.Context(), &tool.Call{Name: "unknown"}) // R3.13: not counted
	k.Call(t.Context(), &tool.Call{Name: "x", Args: json.RawMessage(`[]`)})
	k.Call(t.Context(), &tool.Call{Name: "x", Gateway: "7k2m"}) // that one counts it
	u := c.Usage()
	if len(u) != 1 || u[0].Tool != "x" || u[0].Calls != 4 || u[0].Failed != 1 || u[0].Bytes < 15 || u[0].Last.IsZero() {
		t.Errorf("%+v", u)
	}
}
