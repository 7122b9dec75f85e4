package tooltest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"helve/tool"
)

// textMax is what a tool may bring in one text without spilling it, in bytes: above it a limit alone saves the host.
const textMax = 16 << 20

// bad are arguments that no tool may choke on; most fail the schema, and those that do not must fail or work, not hang
// or panic.
var bad = []string{
	``,
	`{}`,
	`[]`,
	`null`,
	`"x"`,
	`{`,
	`{"a":1}{"b":2}`,
	`{"x":` + strings.Repeat("[", 10_000) + `}`,
	`{"path":"` + strings.Repeat("../", 2000) + `etc/passwd"}`,
}

// A trial is one call of the tool that is checked, under a policy of the check's own.
type trial struct {
	*testing.T
	tool tool.Tool
	kit  *tool.Kit
	call *tool.Call
}

// checkBadCalls makes calls that a policy denies: whatever the arguments are, nothing may run.
func checkBadCalls(t *testing.T, tl tool.Tool) {
	k := kit(t, tl, deny{})
	for _, args := range bad {
		c := &tool.Call{
			Name:    k.View().Name(tl.Spec()),
			Args:    json.RawMessage(args),
			Session: &tool.Session{},
			Dir:     t.TempDir(),
		}
		what := fmt.Sprintf("a call with %.40q", args)
		quick(t, what, trial{t, tl, k, c}.isRefused)
	}
}

func (t trial) isRefused() {
	args := t.call.Args
	res, err := t.kit.Call(t.Context(), t.call)
	switch {
	case err != nil:
		t.Errorf("%.40q: the host is stopped: %v", args, err)
	case res.Err == nil:
		t.Errorf("%.40q: ran although the policy denies everything", args)
	case res.Err.Code == tool.Unknown:
		t.Errorf("%.40q: %v", args, res.Err)
	}
}

// checkCall makes a call that must succeed. What the call started must be gone when its session is closed: hosts live
// for weeks, and what one call leaves behind adds up.
func checkCall(t *testing.T, tl tool.Tool, c *tool.Call) {
	before := goleak.IgnoreCurrent()
	children := processes()
	own := *c
	if own.Session == nil {
		own.Session = &tool.Session{ID: "tooltest"}
	}
	k := kit(t, tl, allowAll{})
	own.Name = k.View().Name(tl.Spec())
	trial := trial{t, tl, k, &own}
	trial.preparesAlike()
	quick(t, "a job with a done context", trial.runsLate)
	trial.succeeds()
	trial.isWhole()
	if err := own.Session.Close(); err != nil {
		t.Errorf("closing the session: %v", err)
	}
	checkLeaks(t, before)
	if n := left(children); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

func (t trial) succeeds() {
	t.Helper()
	res, err := t.kit.Call(t.Context(), t.call)
	if err != nil || res.Err != nil {
		t.Fatalf("%s: %v, %v", t.call.Args, res, err)
	}
	checkResult(t.T, t.tool.Spec(), res)
	t.agrees(res)
}

// isWhole makes the call once more, as a program: it must get everything. What changes something is not done twice.
func (t trial) isWhole() {
	t.Helper()
	s := t.tool.Spec()
	if s.Output == nil || s.Kind != tool.Read || t.call.Whole > 0 {
		return
	}
	own := *t.call
	own.Whole = tool.MaxWhole
	t.call = &own
	t.succeeds()
}

// agrees: text and data of a result say the same, and a program that wants everything got it.
func (t trial) agrees(res *tool.Result) {
	t.Helper()
	if r, ok := t.tool.(tool.Renderer); ok {
		text, err := r.TextOf(res.Data)
		if err != nil || text != res.Text() {
			t.Errorf("the text is not that of the data (%v)\ndata: %.2000s\nits text: %.2000q\ntext: %.2000q",
				err, res.Data, text, res.Text())
		}
	}
	if t.call.Whole == 0 || t.tool.Spec().Output == nil || t.limited() {
		return
	}
	var is struct {
		Complete *bool  `json:"complete"`
		Why      string `json:"why"`
	}
	err := json.Unmarshal(res.Data, &is)
	if err != nil || is.Complete != nil && !*is.Complete {
		t.Errorf("a program gets a part only: %s (%v)", is.Why, err)
	}
}

// understood is the call with its arguments as the schema leaves them, defaults filled in.
func (t trial) understood() *tool.Call {
	t.Helper()
	args, err := t.tool.Spec().Input.Check(t.call.Args)
	if err != nil {
		t.Fatalf("%s: %v", t.call.Args, err)
	}
	own := *t.call
	own.Args = args
	return &own
}

// preparesAlike: two Prepares of one call agree, since the job that was approved is the job that runs, and each effect
// has a target, since rules are about targets.
func (t trial) preparesAlike() {
	c := t.understood()
	first, second := t.prepared(c), t.prepared(c)
	if first.Digest(nil) != second.Digest(nil) || first.Title != second.Title {
		t.Errorf("two Prepares of one call differ:\n%+v\n%+v", first, second)
	}
	for _, e := range first.Effects {
		if e.Target == "" {
			t.Errorf("an effect of kind %s without a target", e.Kind)
		}
	}
}

func (t trial) prepared(c *tool.Call) *tool.Job {
	t.Helper()
	j, err := t.tool.Prepare(t.Context(), c)
	if err != nil {
		t.Fatalf("prepare %s: %v", c.Args, err)
	}
	j.Spec, j.Call = t.tool.Spec(), c
	return j
}

// runsLate prepares the call in time and runs it when its context is done. What it brings does not matter: it may have
// come too late or just in time.
func (t trial) runsLate() {
	c := *t.call
	c.Args, _ = t.tool.Spec().Input.Check(c.Args) // preparesAlike has found them good
	c.Progress = func(tool.Progress) {}
	over, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-over.Done()
	j, err := t.tool.Prepare(t.Context(), &c)
	if err == nil {
		j.Run(over)
	}
}

// limited tells that the call itself names a limit, and so wants a part.
func (t trial) limited() bool {
	var named map[string]json.RawMessage
	err := json.Unmarshal(t.call.Args, &named)
	return err == nil && slices.ContainsFunc(t.tool.Spec().Limits, func(name string) bool {
		_, ok := named[name]
		return ok
	})
}

// checkResult: what a tool brings can travel to a model, to a client and into a record.
func checkResult(t *testing.T, s *tool.Spec, res *tool.Result) {
	for i, p := range res.Parts {
		text, ok := p.(tool.Text)
		if ok && (len(text) > textMax || !utf8.ValidString(string(text))) {
			t.Errorf("part %d: not valid UTF-8 of at most %d bytes: %.60q", i, textMax, text)
		}
	}
	if res.Meta != nil && !strings.HasPrefix(string(res.Meta), "{") {
		t.Errorf("metadata is no object: %.60s", res.Meta)
	}
	if s.Output != nil {
		_, err := s.Output.Check(res.Data)
		if err != nil {
			t.Errorf("data does not satisfy the output schema: %v", err)
		}
	}
	var back tool.Result
	b, err := json.Marshal(res)
	if err == nil {
		err = json.Unmarshal(b, &back)
	}
	if err != nil {
		t.Errorf("the result does not survive its own JSON: %v", err)
	}
}

// kit offers one tool under a policy. Only our own tools can be added; those of others come from a source.
func kit(t *testing.T, tl tool.Tool, p tool.Policy) *tool.Kit {
	t.Helper()
	r := &tool.Registry{}
	var err error
	switch s := tl.Spec(); s.Origin.Kind {
	case tool.Builtin, tool.Go:
		err = r.Add(tl)
	default:
		err = r.Set(s.Origin.Source(), []tool.Tool{tl})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Kit(tool.KitOptions{Policy: p})
}

// allowAll is the policy of calls that must succeed: what a tool may do is not what is checked.
type allowAll struct{}

var allowed = tool.Verdict{Decision: tool.Allow}

func (allowAll) Lists(*tool.Spec) tool.Verdict { return allowed }
func (allowAll) Judge(*tool.Job) tool.Verdict  { return allowed }

// deny offers a tool and lets it do nothing.
type deny struct{ allowAll }

func (deny) Judge(*tool.Job) tool.Verdict {
	return tool.Verdict{Reason: "tooltest denies everything"}
}
