// Package tooltest checks anyone's Tool or Source: that it keeps the promises on which the rest of helve relies.
//
//	func TestMyTool(t *testing.T) {
//		tooltest.Check(t, MyTool(), &tool.Call{Args: json.RawMessage(`{"path":"a.txt"}`), Dir: dir})
//	}
package tooltest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/internal/testing/leaktest"
	"helve/tool"
)

const (
	// shortMax is how long the one-line description may be, in bytes: it stands in every list and costs tokens at every turn.
	shortMax = 200
	// textMax is what a tool may bring in one text without spilling it: above it a limit alone saves the host.
	textMax = 16 << 20
	// endTime is how long a job with a done context may take to come back, and what it started to be gone: long, for a machine may be busy.
	endTime = 30 * time.Second
)

// Check fails t for every promise that the tool breaks. The calls are run, under a policy that allows everything; each must
// succeed. Without calls only the spec and the handling of bad calls are checked.
func Check(t *testing.T, tl tool.Tool, calls ...*tool.Call) {
	t.Helper()
	t.Run("spec", func(t *testing.T) { checkSpec(t, tl) })
	t.Run("bad calls", func(t *testing.T) { checkBadCalls(t, tl) })
	for i, c := range calls {
		t.Run(fmt.Sprintf("call %d", i), func(t *testing.T) { checkCall(t, tl, c) })
	}
}

// CheckSource lists a source twice, checks every tool's spec, and closes the source if it can be closed.
func CheckSource(t *testing.T, src tool.Source) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	if src.Name() == "" {
		t.Error("the source has no name")
	}
	first, second := list(t, src), list(t, src)
	if !reflect.DeepEqual(digests(first), digests(second)) {
		t.Errorf("two listings differ:\n%q\n%q", digests(first), digests(second))
	}
	seen := map[tool.Origin]bool{}
	for _, tl := range first {
		o := tl.Spec().Origin
		if seen[o] {
			t.Errorf("%s is listed twice", o)
		}
		seen[o] = true
		t.Run(o.String(), func(t *testing.T) { checkSpec(t, tl) })
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	quick(t, "a listing under a done context", func() { src.Tools(ctx) })
	if c, ok := src.(interface{ Close() error }); ok {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		checkLeaks(t, before)
	}
}

func list(t *testing.T, src tool.Source) []tool.Tool {
	t.Helper()
	tools, err := src.Tools(t.Context())
	if err != nil {
		t.Fatalf("list %s: %v", src.Name(), err)
	}
	return tools
}

func digests(tools []tool.Tool) []string {
	out := make([]string, len(tools))
	for i, tl := range tools {
		out[i] = tl.Spec().Origin.String() + " " + string(tl.Spec().Digest())
	}
	return out
}

func checkSpec(t *testing.T, tl tool.Tool) {
	s := tl.Spec()
	if again := tl.Spec(); !reflect.DeepEqual(s, again) || s.Digest() != again.Digest() {
		t.Error("Spec is not constant")
	}
	if s.Name == "" || s.Origin.Name == "" || s.Origin.Kind == "" {
		t.Errorf("name %q, origin %+v: a tool needs both", s.Name, s.Origin)
	}
	if s.Origin.Kind == tool.MCP && s.Origin.Server == "" {
		t.Error("a tool of an MCP server does not say which")
	}
	if s.ReadOnly && (s.Kind == tool.Write || s.Kind == tool.Exec) && s.Origin.Kind != tool.MCP {
		t.Errorf("read-only and of kind %s", s.Kind)
	}
	checkDoc(t, s)
	checkSchema(t, s)
}

func checkDoc(t *testing.T, s *tool.Spec) {
	if s.Doc.Short == "" && s.Origin.Kind != tool.MCP && s.Origin.Kind != tool.Command {
		t.Error("no short description")
	}
	if strings.Contains(s.Doc.Short, "\n") || len(s.Doc.Short) > shortMax && s.Origin.Kind == tool.Builtin {
		t.Errorf("the short description is not one line of at most %d bytes: %q", shortMax, s.Doc.Short)
	}
	full := s.Doc.Full()
	if bad := strings.IndexFunc(full, hidden); bad >= 0 || !utf8.ValidString(full) {
		t.Errorf("the description holds a hidden or broken character at byte %d", bad)
	}
	for _, e := range s.Doc.Examples {
		if _, err := s.Input.Check(e.Args); err != nil {
			t.Errorf("example %q: %v", e.Description, err)
		}
	}
}

// hidden are control, format and private characters, with which a description says to the model what a person does not see.
func hidden(r rune) bool {
	return r == '\r' || rawjson.Hidden(r)
}

func checkSchema(t *testing.T, s *tool.Spec) {
	if s.Input == nil {
		t.Error("no input schema")
		return
	}
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(s.Input.JSON(), &head); err != nil || head.Type != "object" {
		t.Errorf("the input schema is of type %q, want object (%v)", head.Type, err)
	}
	again, err := schema.Parse(s.Input.JSON())
	if err != nil || again.Digest() != s.Input.Digest() {
		t.Errorf("the input schema does not survive its own JSON: %v", err)
	}
	if s.Origin.Kind != tool.Builtin {
		return
	}
	for _, p := range s.Input.Properties() {
		if p.Description == "" {
			t.Errorf("parameter %s has no description", p.Name)
		}
	}
}

// bad are arguments that no tool may choke on; most fail the schema, and those that do not must fail or work, not hang or panic.
var bad = []string{``, `{}`, `[]`, `null`, `"x"`, `{`, `{"a":1}{"b":2}`, `{"x":` + strings.Repeat("[", 10_000) + `}`,
	`{"path":"` + strings.Repeat("../", 2000) + `etc/passwd"}`}

func checkBadCalls(t *testing.T, tl tool.Tool) {
	k := kit(t, tl, deny{})
	for _, args := range bad {
		quick(t, fmt.Sprintf("a call with %.40q", args), func() {
			res, err := k.Call(t.Context(), &tool.Call{Name: k.View().Name(tl.Spec()), Args: json.RawMessage(args), Session: &tool.Session{}, Dir: t.TempDir()})
			switch {
			case err != nil:
				t.Errorf("%.40q: the host is stopped: %v", args, err)
			case res.Err == nil:
				t.Errorf("%.40q: ran although the policy denies everything", args)
			case res.Err.Code == tool.Unknown:
				t.Errorf("%.40q: %v", args, res.Err)
			}
		})
	}
}

func checkCall(t *testing.T, tl tool.Tool, c *tool.Call) {
	before, children := goleak.IgnoreCurrent(), processes()
	own := *c
	if own.Session == nil {
		own.Session = &tool.Session{ID: "tooltest"}
	}
	k := kit(t, tl, allowAll{})
	own.Name = k.View().Name(tl.Spec())
	checkPrepare(t, tl, &own)
	checkCancel(t, k, own)
	res, err := k.Call(t.Context(), &own)
	if err != nil || res.Err != nil {
		t.Fatalf("%s: %v, %v", own.Args, res, err)
	}
	checkResult(t, tl.Spec(), res)
	if err := own.Session.Close(); err != nil {
		t.Errorf("closing the session: %v", err)
	}
	checkLeaks(t, before)
	if n := left(children); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

// checkPrepare: two Prepares of one call agree, and what they bring can travel.
func checkPrepare(t *testing.T, tl tool.Tool, c *tool.Call) {
	args, err := tl.Spec().Input.Check(c.Args)
	if err != nil {
		t.Fatalf("%s: %v", c.Args, err)
	}
	own := *c
	own.Args = args
	var jobs [2]*tool.Job
	for i := range jobs {
		if jobs[i], err = tl.Prepare(t.Context(), &own); err != nil {
			t.Fatalf("prepare %s: %v", args, err)
		}
		jobs[i].Spec, jobs[i].Call = tl.Spec(), &own
	}
	if jobs[0].Digest(nil) != jobs[1].Digest(nil) || jobs[0].Title != jobs[1].Title {
		t.Errorf("two Prepares of one call differ:\n%+v\n%+v", jobs[0], jobs[1])
	}
	for _, e := range jobs[0].Effects {
		if e.Target == "" {
			t.Errorf("an effect of kind %s without a target", e.Kind)
		}
	}
}

func checkCancel(t *testing.T, k *tool.Kit, c tool.Call) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	late := runner{ctx}
	quick(t, "a job with a done context", func() { late.call(t, k, &c) })
}

// runner prepares a call in time and runs it too late.
type runner struct{ ctx context.Context }

func (r runner) call(t *testing.T, k *tool.Kit, c *tool.Call) {
	tl, ok := k.View().Get(c.Name)
	if !ok {
		t.Fatalf("%s is not offered", c.Name)
	}
	own := *c
	own.Args, _ = tl.Spec().Input.Check(c.Args)
	own.Progress = func(tool.Progress) {}
	if j, err := tl.Prepare(t.Context(), &own); err == nil {
		j.Run(r.ctx)
	}
}

func checkResult(t *testing.T, s *tool.Spec, res *tool.Result) {
	for i, p := range res.Parts {
		if text, ok := p.(tool.Text); ok && (!utf8.ValidString(string(text)) || len(text) > textMax) {
			t.Errorf("part %d: not valid UTF-8 of at most %d bytes: %.60q", i, textMax, text)
		}
	}
	if res.Meta != nil && !strings.HasPrefix(string(res.Meta), "{") {
		t.Errorf("metadata is no object: %.60s", res.Meta)
	}
	if s.Output != nil {
		if _, err := s.Output.Check(res.Data); err != nil {
			t.Errorf("data does not satisfy the output schema: %v", err)
		}
	}
	b, err := json.Marshal(res)
	var back tool.Result
	if err != nil || json.Unmarshal(b, &back) != nil {
		t.Errorf("the result does not survive its own JSON: %v", err)
	}
}

func checkLeaks(t *testing.T, before goleak.Option) {
	t.Helper()
	if err := leaktest.Find(before); err != nil {
		t.Errorf("goroutines are left: %v", err)
	}
}

// left is how many processes there are more than before; those that are just ending get a moment, as goroutines do.
func left(before int) int {
	n := processes() - before
	for end := time.Now().Add(endTime); n > 0 && time.Now().Before(end); n = processes() - before {
		time.Sleep(10 * time.Millisecond)
	}
	return n
}

// processes counts the children of this process, where the system tells; -1 elsewhere.
func processes() int {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	if len(lists) == 0 {
		return -1
	}
	n := 0
	for _, l := range lists {
		b, _ := os.ReadFile(l)
		n += len(strings.Fields(string(b)))
	}
	return n
}

// quick fails t and ends it when f takes longer than endTime; f is then left behind.
func quick(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(endTime):
		t.Fatalf("%s did not come back within %v", what, endTime)
	}
}

func kit(t *testing.T, tl tool.Tool, p tool.Policy) *tool.Kit {
	t.Helper()
	r := &tool.Registry{}
	var err error
	if s := tl.Spec(); s.Origin.Kind == tool.Builtin || s.Origin.Kind == tool.Go {
		err = r.Add(tl)
	} else {
		err = r.Set(s.Origin.Source(), []tool.Tool{tl})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Kit(tool.KitOptions{Policy: p})
}

type allowAll struct{}

func (allowAll) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (allowAll) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

type deny struct{ allowAll }

func (deny) Judge(*tool.Job) tool.Verdict { return tool.Verdict{Reason: "tooltest denies everything"} }
