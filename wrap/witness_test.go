package wrap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"helve/tool"
	"helve/wrap"
)

// What a job has half a second after its time is still its result; later nobody waits for it. A host that ends the job
// by itself gets its word in first.
func TestAJobHasAMomentAfterItsTime(t *testing.T) {
	for _, c := range []struct {
		takes  time.Duration
		remote bool
		want   string
	}{
		{900 * time.Millisecond, false, "what it has"},
		{1400 * time.Millisecond, false, "what it has"},
		{1600 * time.Millisecond, false, ""},
		{2900 * time.Millisecond, true, "what it has"},
		{3400 * time.Millisecond, true, "what it has"},
		{3600 * time.Millisecond, true, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			run := wrap.Timeout(func(*tool.Job) time.Duration { return time.Second })(func(context.Context, *tool.Job) (*tool.Result, error) {
				time.Sleep(c.takes)
				return tool.Textf("what it has"), nil
			})
			j := &tool.Job{Call: &tool.Call{Name: "x"}, Spec: &tool.Spec{Name: "x"}, Remote: c.remote}
			res, err := run(t.Context(), j)
			got := ""
			if err == nil && res.Err == nil {
				got = res.Text()
			}
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("after %v: %q, %v, want %q", c.takes, got, err, c.want)
			}
			time.Sleep(time.Hour)
		})
	}
}

// Where a result is cut, whole lines are left out, about as much is left as there is room for, and the note counts what
// is gone.
func TestACutLeavesWholeLinesAndCountsTheRest(t *testing.T) {
	const line = "123456789\n"
	for _, room := range []int{200, 400, 1000, 4001, 4095} {
		text := strings.Repeat(line, 1000)
		k := kit(t, tool.KitOptions{Wrap: wrap.Standard(wrap.Options{ResultBytes: room})}, tool.Spec{Name: "x"}, func(context.Context) (*tool.Result, error) {
			return tool.NewResult(tool.Text(text)), nil
		})
		res, err := k.Call(t.Context(), &tool.Call{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		head, rest, _ := strings.Cut(res.Text(), "[…")
		note, tail, _ := strings.Cut(rest, "…]\n")
		var lines, gone, all int
		if _, err := fmt.Sscanf(note, " %d lines (%d bytes) cut of %d bytes", &lines, &gone, &all); err != nil {
			t.Fatalf("%d: %q: %v", room, note, err)
		}
		kept := len(head) + len(tail)
		if head != strings.Repeat(line, len(head)/10) || tail != strings.Repeat(line, len(tail)/10) {
			t.Errorf("%d: %q … %q are no whole lines", room, head, tail)
		}
		if all != len(text) || gone+kept != all || lines*10 != gone || kept > room || kept < room-20 {
			t.Errorf("%d: %d bytes are left, %d lines of %d bytes gone of %d", room, kept, lines, gone, all)
		}
	}
}

// Text in one line is cut between characters.
func TestALineIsCutBetweenItsCharacters(t *testing.T) {
	for room := 200; room < 212; room++ {
		text := strings.Repeat("世界", 1000)
		k := kit(t, tool.KitOptions{Wrap: wrap.Standard(wrap.Options{ResultBytes: room})}, tool.Spec{Name: "x"}, func(context.Context) (*tool.Result, error) {
			return tool.NewResult(tool.Text(text)), nil
		})
		res, err := k.Call(t.Context(), &tool.Call{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		head, rest, _ := strings.Cut(res.Text(), "\n[…")
		_, tail, _ := strings.Cut(rest, "…]\n")
		kept := len(head) + len(tail)
		if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || kept > room || kept < room-6 {
			t.Errorf("%d: %d bytes are left: %q … %q", room, kept, head, tail)
		}
	}
}

// What read brings is a window that it was asked for; other tools' results are cut to the room that there is.
func TestTheWindowOfReadIsNotCut(t *testing.T) {
	text := strings.Repeat("123456789\n", 10_000)
	for origin, whole := range map[tool.Origin]bool{
		{Kind: tool.Builtin, Name: "read"}:          true,
		{Kind: tool.Builtin, Name: "grep"}:          false,
		{Kind: tool.MCP, Server: "s", Name: "read"}: false,
		{Kind: tool.Command, Name: "read"}:          false,
	} {
		run := tool.Runner(func(context.Context, *tool.Job) (*tool.Result, error) { return tool.NewResult(tool.Text(text)), nil })
		standard := wrap.Standard(wrap.Options{ResultBytes: 1000})
		for i := range standard {
			run = standard[len(standard)-1-i](run)
		}
		j := &tool.Job{Spec: &tool.Spec{Name: "read", Origin: origin}, Call: &tool.Call{Name: "read"}}
		res, err := run(t.Context(), j)
		if err != nil || (res.Text() == text) != whole {
			t.Errorf("%v: %d bytes, %v", origin, len(res.Text()), err)
		}
	}
}

// The record of a call changes nothing of it: a host's error passes.
func TestARecordHandsTheErrorOn(t *testing.T) {
	stop := errors.New("stop")
	failed := &tool.Result{Err: tool.Errorf(tool.Execution, "the tool's own")}
	for _, res := range []*tool.Result{nil, tool.Textf("half"), failed} {
		audit := wrap.Audit(wrap.AuditOptions{Write: func(line []byte) error {
			if !strings.Contains(string(line), `"outcome":"stopped"`) || !strings.Contains(string(line), `"error":"stop"`) {
				t.Errorf("recorded as %s", line)
			}
			return nil
		}})
		got, err := audit(func(context.Context, *tool.Call) (*tool.Result, error) { return res, stop })(t.Context(), &tool.Call{Name: "x"})
		if err != stop || got != res {
			t.Errorf("%v, %v", got, err)
		}
	}
}

type waitIn struct {
	Time int    `json:"time,omitempty"`
	Unit string `json:"unit,omitempty"`
}

// Defaults of the configuration are what a call has that says nothing, and what the model reads.
func TestDefaultsOfTheConfigurationAreTheTools(t *testing.T) {
	var got waitIn
	wait := tool.New(tool.Spec{Name: "wait", Kind: tool.Read}, func(_ context.Context, _ *tool.Call, in waitIn) (*tool.Result, error) {
		got = in
		return tool.Textf("waited"), nil
	})
	long := `{"unit":"` + strings.Repeat("x", 300<<10) + `"}` // more than a list of tools can have
	for options, want := range map[string]string{`{"nothing":1}`: `no parameter "nothing"`, `{"time":"x"}`: "time", `[]`: "want an object", long: "schema"} {
		if _, err := wrap.Defaults(wait, json.RawMessage(options)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", options, err)
		}
	}
	with, err := wrap.Defaults(wait, json.RawMessage(`{"time":5,"unit":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	reg := &tool.Registry{}
	if err := reg.Add(with); err != nil {
		t.Fatal(err)
	}
	k := reg.Kit(tool.KitOptions{})
	for args, want := range map[string]waitIn{`{}`: {5, "s"}, `{"time":7}`: {7, "s"}, `{"time":0,"unit":"m"}`: {0, "m"}} {
		if res, err := k.Call(t.Context(), &tool.Call{Name: "wait", Args: json.RawMessage(args)}); err != nil || res.Err != nil || got != want {
			t.Errorf("%s: %+v, want %+v: %v %v", args, got, want, res, err)
		}
	}
	if in := string(with.Spec().Input.JSON()); !strings.Contains(in, `"default":5`) || !strings.Contains(in, `"default":"s"`) {
		t.Errorf("the schema: %s", in)
	}
}

func TestALineThatIsNoRecordedCallSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{"{": "unexpected end", `{"name":"x"}`: "it has no result", "x": "invalid character"} {
		if _, err := wrap.ReadCassette(strings.NewReader(text + "\n")); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Two counts of one tool make one, of all that is counted.
func TestCountsOfTwoHostsAreAdded(t *testing.T) {
	early, late := time.Unix(100, 0), time.Unix(200, 0)
	a := wrap.Usage{Tool: "x", Calls: 1, Failed: 2, Refused: 3, Bytes: 4, Duration: 5, Asked: 6, Last: late}
	b := wrap.Usage{Tool: "y", Calls: 10, Failed: 20, Refused: 30, Bytes: 40, Duration: 50, Asked: 60, Last: early}
	want := wrap.Usage{Tool: "x", Calls: 11, Failed: 22, Refused: 33, Bytes: 44, Duration: 55, Asked: 66, Last: late}
	if got := a.Plus(b); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	want.Tool = "y"
	if got := b.Plus(a); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A record is found by a value that JSON writes otherwise.
func TestAValueIsFoundHoweverItIsWritten(t *testing.T) {
	for _, session := range []string{`a"b`, "plain", "tab\t", "ü"} {
		line, err := json.Marshal(wrap.Record{Name: "x", Session: session})
		if err != nil {
			t.Fatal(err)
		}
		for _, asked := range []string{session, session + "x"} {
			if got := (wrap.Query{Session: asked}).Finder().Find(line); (got != nil) != (asked == session) {
				t.Errorf("%q in %s: %v", asked, line, got)
			}
		}
	}
}

// A block that no provider takes is left out with a word, and the tool's own list stays as it is.
func TestWhatIsTooLargeForAProviderIsLeftOut(t *testing.T) {
	parts := []tool.Part{
		tool.Text("before"),
		tool.Image{MIME: "image/png", Data: make([]byte, wrap.DefaultBlobs+1)},
		tool.Image{MIME: "image/png", Data: []byte("small")},
		tool.Text("after"),
	}
	k := kit(t, tool.KitOptions{Wrap: wrap.Standard(wrap.Options{})}, tool.Spec{Name: "x"}, func(context.Context) (*tool.Result, error) {
		return &tool.Result{Parts: parts}, nil
	})
	res, err := k.Call(t.Context(), &tool.Call{Name: "x"})
	if err != nil || res.Err != nil || len(res.Parts) != 4 {
		t.Fatalf("%v, %+v", err, res)
	}
	if said, _ := res.Parts[1].(tool.Text); !strings.Contains(string(said), "was left out") || tool.Size(res.Parts[2]) != 5 || tool.Size(parts[1]) != wrap.DefaultBlobs+1 {
		t.Errorf("%.200v", res.Parts[1])
	}
}

// Only our own programs end themselves: a server's tool that runs things has the time of all tools.
func TestAServersToolHasTheTimeOfAllTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for kind, want := range map[tool.OriginKind]bool{tool.MCP: true, tool.Command: true, tool.Builtin: false} {
			r := &tool.Registry{}
			s := tool.Spec{Name: "x", Kind: tool.Exec, Origin: tool.Origin{Kind: kind, Name: "x", Server: "s"}}
			work := func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
				select {
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-time.After(time.Minute):
					return tool.Textf("done"), nil
				}
			}
			if err := r.Add(tool.New(s, work)); err != nil {
				t.Fatal(err)
			}
			yes := func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: true}, nil }
			k := r.Kit(tool.KitOptions{Wrap: wrap.Standard(wrap.Options{Timeout: time.Second}), Ask: yes})
			name := k.View().Name(k.View().Specs()[0])
			res, err := k.Call(t.Context(), &tool.Call{Name: name})
			if err != nil || (res.Err != nil && res.Err.Code == tool.TimedOut) != want {
				t.Errorf("%v: %v, %v; want that its time is over: %v", kind, res.Err, err, want)
			}
		}
	})
}
