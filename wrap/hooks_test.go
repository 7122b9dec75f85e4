package wrap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/tool"
	"helve/wrap"
)

// The hooks of these tests are the test binary itself, started again as "test-binary hook WHAT".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "hook" {
		hook(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func hook(what string) {
	in, _ := io.ReadAll(os.Stdin)
	var q struct {
		Tool    string
		Args    map[string]any
		Effects []map[string]string
		Result  *struct{ Text string }
	}
	if err := json.Unmarshal(in, &q); err != nil {
		panic(err)
	}
	switch what {
	case "deny":
		fmt.Printf(`{"decision":"deny","note":"%s is not for %v (%s)"}`, q.Tool, q.Args["path"], q.Effects[0]["kind"])
	case "rewrite":
		fmt.Print(`{"args":{"path":"rewritten"}}`)
	case "spoil":
		fmt.Print(`{"args":{"path":{"deep":[1]}}}`)
	case "note":
		fmt.Print(`{"decision":"allow","note":"mind the gap"}`)
	case "exit":
		fmt.Fprint(os.Stderr, "linter not installed")
		os.Exit(1)
	case "hang":
		time.Sleep(time.Hour) // not select {}, which without cgo is a deadlock that Go sees
	case "junk":
		fmt.Print("ok!")
	case "word":
		fmt.Print(`{"decision":"maybe"}`)
	case "flood":
		for {
			if _, err := fmt.Print(strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	case "secret":
		if strings.Contains(q.Result.Text, "secret") {
			fmt.Print(`{"decision":"deny"}`)
		}
	}
}

type openIn struct {
	Path string `json:"path" jsonschema:"description=Which"`
}

// hooked is a kit of one tool that says its path, with hooks.
func hooked(t *testing.T, list ...wrap.Hook) (*tool.Kit, *int) {
	t.Helper()
	return hookedBy(t, list, nil)
}

// hookedBy is the same where run stands for the hooks' processes.
func hookedBy(t *testing.T, list []wrap.Hook, run func(context.Context, []string, []byte) ([]byte, error)) (*tool.Kit, *int) {
	t.Helper()
	ran := 0
	r := &tool.Registry{}
	err := r.Add(tool.New(tool.Spec{Name: "open", Kind: tool.Read}, func(_ context.Context, _ *tool.Call, in openIn) (*tool.Result, error) {
		ran++
		return tool.Textf("opened %s", in.Path), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	var k *tool.Kit
	h := &wrap.Hooks{List: list, Environ: os.Environ(), Run: run}
	h.Understand = func(ctx context.Context, c *tool.Call) (*tool.Job, error) { return k.Understand(ctx, c) }
	k = r.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{h.Around}})
	return k, &ran
}

func say(what string) wrap.Hook {
	return wrap.Hook{Argv: []string{os.Args[0], "hook", what}, Timeout: 2 * time.Minute}
}

func open(t *testing.T, k *tool.Kit, path string) *tool.Result {
	t.Helper()
	res, err := k.Call(t.Context(), &tool.Call{Name: "open", Args: json.RawMessage(fmt.Sprintf(`{"path":%q}`, path))})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// R2.15.
func TestAHookMayDenyRewriteAndAddANote(t *testing.T) {
	k, ran := hooked(t, say("deny"))
	if res := open(t, k, "a"); res.Err == nil || res.Err.Code != tool.Permission || !strings.Contains(res.Text(), "open is not for a (read)") || *ran != 0 {
		t.Errorf("%q, %v, ran %d", res.Text(), res.Err, *ran)
	}
	k, _ = hooked(t, say("rewrite"), say("note"))
	if res := open(t, k, "a"); res.Text() != "opened rewritten\nmind the gap" {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
	k, ran = hooked(t, say("spoil"))
	if res := open(t, k, "a"); res.Err == nil || !strings.Contains(res.Text(), "rewrote the arguments") || *ran != 0 {
		t.Errorf("rewritten arguments were not checked: %q", res.Text())
	}
}

func TestARewriteTooManyIsARefusal(t *testing.T) {
	list := make([]wrap.Hook, 17)
	for i := range list {
		list[i] = wrap.Hook{Argv: []string{"rewriter"}}
	}
	k, ran := hookedBy(t, list, func(context.Context, []string, []byte) ([]byte, error) {
		return []byte(`{"args":{"path":"rewritten"}}`), nil
	})
	if res := open(t, k, "a"); res.Err == nil || !strings.Contains(res.Text(), "17th to rewrite") || *ran != 0 {
		t.Errorf("17 rewrites: %q, ran %d", res.Text(), *ran)
	}
	k, ran = hookedBy(t, list[1:], func(context.Context, []string, []byte) ([]byte, error) {
		return []byte(`{"args":{"path":"rewritten"}}`), nil
	})
	if res := open(t, k, "a"); res.Text() != "opened rewritten" || *ran != 1 {
		t.Errorf("16 rewrites: %q, ran %d", res.Text(), *ran)
	}
}

func TestTheRefusalOfAHookHasTheHookForItsReason(t *testing.T) {
	before, after := say("deny"), say("secret")
	after.After = true
	for _, h := range []wrap.Hook{before, after, {}} {
		k, _ := hooked(t, h)
		res := open(t, k, "a secret")
		v := res.Verdict
		if res.Err == nil || v.Decision != tool.Deny || v.Layer != "hooks" || !strings.HasPrefix(v.Rule, "hook ") || v.Reason == "" || res.Job == nil {
			t.Errorf("%q: verdict %+v, job %v", res.Text(), v, res.Job)
		}
	}
}

// R2.15: what a hook was to prevent must not happen because it broke.
func TestAFailingHookDenies(t *testing.T) {
	for what, want := range map[string]string{"exit": "linter not installed", "hang": "no answer within", "junk": "not understood", "word": "neither allow nor deny", "flood": "more than"} {
		h := say(what)
		if what == "hang" {
			h.Timeout = 300 * time.Millisecond
		}
		k, ran := hooked(t, h)
		if res := open(t, k, "a"); res.Err == nil || res.Err.Code != tool.Permission || !strings.Contains(res.Text(), want) || *ran != 0 {
			t.Errorf("%s: %q, ran %d", what, res.Text(), *ran)
		}
	}
	k, ran := hooked(t, wrap.Hook{Argv: []string{"no-such-hook-anywhere"}})
	if res := open(t, k, "a"); res.Err == nil || *ran != 0 {
		t.Errorf("%q", res.Text())
	}
}

func TestAHookAfterACallMayWithholdTheResult(t *testing.T) {
	h := say("secret")
	h.After = true
	k, ran := hooked(t, h)
	if res := open(t, k, "a secret"); res.Err == nil || strings.Contains(res.Text(), "opened") || *ran != 1 {
		t.Errorf("%q, ran %d", res.Text(), *ran)
	}
	if res := open(t, k, "a file"); res.Err != nil {
		t.Errorf("%v", res.Err)
	}
}

func TestAHookIsGivenABoundedPartOfAResult(t *testing.T) {
	for _, c := range []struct {
		size int
		data bool
	}{{100, true}, {1 << 20, false}} {
		var asked string
		h := &wrap.Hooks{
			List: []wrap.Hook{{After: true, Argv: []string{"any"}}},
			Understand: func(context.Context, *tool.Call) (*tool.Job, error) {
				return &tool.Job{Spec: &tool.Spec{}, Call: &tool.Call{}}, nil
			},
			Run: func(_ context.Context, _ []string, in []byte) ([]byte, error) {
				asked = string(in)
				return nil, nil
			},
		}
		call := h.Around(func(context.Context, *tool.Call) (*tool.Result, error) {
			long := strings.Repeat("x", c.size)
			return tool.Textf("%s", long).WithData(map[string]string{"x": long}), nil
		})
		res, err := call(t.Context(), &tool.Call{Name: "any", Args: json.RawMessage(`{}`)})
		if err != nil || res.Err != nil || len(res.Data) < c.size {
			t.Fatalf("%v, %v", res, err)
		}
		left := fmt.Sprintf(`"dataBytes":%d`, len(res.Data))
		if strings.Contains(asked, `"data":{"x":"xx`) != c.data || strings.Contains(asked, left) == c.data || len(asked) > 300<<10 {
			t.Errorf("of %d bytes of data the hook was given %d: %.100s… …%s", len(res.Data), len(asked), asked, asked[len(asked)-60:])
		}
	}
}

func TestHooksAreAskedAboutTheToolsThatTheyMatch(t *testing.T) {
	h := say("deny")
	h.Match = func(s *tool.Spec) bool { return s.Name == "other" }
	k, _ := hooked(t, h)
	if res := open(t, k, "a"); res.Err != nil {
		t.Error(res.Err)
	}
	res, err := k.Call(t.Context(), &tool.Call{Name: "nope"})
	if err != nil || res.Err.Code != tool.UnknownTool {
		t.Errorf("%v, %v", res.Err, err)
	}
}

func TestAHookLeavesNoChildBehind(t *testing.T) {
	for range 20 {
		k, _ := hooked(t, say("note"))
		open(t, k, "a")
	}
	left := children()
	for end := time.Now().Add(time.Minute); left != "" && time.Now().Before(end); left = children() {
		time.Sleep(time.Millisecond) // one that an earlier test ended may still be waited for
	}
	if left != "" {
		t.Errorf("children are left: %s", left)
	}
}

// children are the processes that this one started and nobody has waited for.
func children() string {
	var out strings.Builder
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, l := range lists {
		b, _ := os.ReadFile(l)
		out.Write(b)
	}
	return out.String()
}

// R1.22: what nobody used for a day goes, ours never.
func TestUnusedToolsOfOthersAreDropped(t *testing.T) {
	r := &tool.Registry{}
	own := func(name string, o tool.Origin) tool.Tool {
		tl, err := tool.Raw(tool.Spec{Name: name, Kind: tool.Read, Origin: o}, func(context.Context, *tool.Call, json.RawMessage) (*tool.Result, error) {
			return tool.Textf(""), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return tl
	}
	if err := errors.Join(
		r.Add(own("read", tool.Origin{Kind: tool.Builtin, Name: "read"})),
		r.Set("s", []tool.Tool{own("used", tool.Origin{Kind: tool.MCP, Server: "s", Name: "used"}), own("idle", tool.Origin{Kind: tool.MCP, Server: "s", Name: "idle"})}),
		r.Set("command", []tool.Tool{own("found", tool.Origin{Kind: tool.Command, Name: "found"})}),
	); err != nil {
		t.Fatal(err)
	}
	i := &wrap.Idle{}
	k := r.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{i.Mark}})
	start := time.Now().Add(-23 * time.Hour)
	if gone := i.Sweep(r, wrap.UnusedTime, start); gone != nil {
		t.Errorf("%q went at once", gone)
	}
	if _, err := k.Call(t.Context(), &tool.Call{Name: "mcp__s__used"}); err != nil {
		t.Fatal(err)
	}
	if gone := i.Sweep(r, wrap.UnusedTime, start.Add(wrap.UnusedTime)); strings.Join(gone, " ") != "found mcp__s__idle" {
		t.Errorf("%q", gone)
	}
	if !r.View().Has("read") || !r.View().Has("used") {
		t.Error("too much went")
	}
}
