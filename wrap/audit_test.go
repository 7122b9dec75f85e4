package wrap_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"helve/tool"
	"helve/wrap"
)

func TestEveryCallIsRecordedRefusalsIncluded(t *testing.T) {
	var lines []string
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	audit := wrap.Audit(wrap.AuditOptions{Write: func(b []byte) error { lines = append(lines, string(b)); return nil }, Now: func() time.Time { now = now.Add(time.Second); return now }})
	r := &tool.Registry{}
	if err := r.Add(tool.New(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("12345"), nil }),
		tool.New(tool.Spec{Name: "w", Kind: tool.Write}, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return nil, errors.New("no") })); err != nil {
		t.Fatal(err)
	}
	no := func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{}, nil }
	k := r.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{audit}, Ask: no})
	s := &tool.Session{ID: "s1", Principal: "me"}
	for _, name := range []string{"x", "w", "gone"} {
		k.Call(t.Context(), &tool.Call{ID: "c", Name: name, Session: s, Args: json.RawMessage(`{}`)})
	}
	if len(lines) != 3 {
		t.Fatalf("%d records of 3 calls: %q", len(lines), lines)
	}
	for i, want := range []string{
		`"principal":"me","session":"s1","call":"c","name":"x","origin":{"kind":"go","name":"x"}`,
		`"verdict":{"decision":"ask"`,
		`"name":"gone","verdict":{"decision":"deny","reason":"no tool has this name","layer":"lookup"},"outcome":"unknown_tool"`,
	} {
		if !strings.Contains(lines[i], want) || !json.Valid([]byte(lines[i])) || strings.Contains(lines[i], `"args"`) {
			t.Errorf("record %d: %s\nwant %s", i, lines[i], want)
		}
	}
	for i, want := range []string{`"outcome":"ok","ms":1000,"in":2,"out":5`, `"outcome":"permission_error"`, `"in":2`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("record %d: %s\nwant %s", i, lines[i], want)
		}
	}
}

func TestArgumentsAreRecordedOnlyWhenAskedForAndTheCallGoesOnWithoutARecord(t *testing.T) {
	var line string
	var failed error
	audit := wrap.Audit(wrap.AuditOptions{Args: true, Write: func(b []byte) error { line = string(b); return errors.New("disk full") }, Fail: func(err error) { failed = err }})
	call := audit(func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Textf("ok"), nil })
	res, err := call(t.Context(), &tool.Call{Name: strings.Repeat("x", 10_000), Args: json.RawMessage(`{"secret":1}`)})
	if err != nil || res.Text() != "ok" || failed == nil || !strings.Contains(line, `"args":{"secret":1}`) || len(line) > 2000 {
		t.Errorf("%v, %v, %v, %s", res, err, failed, line)
	}
}

// What nobody relies on when the answer is out may come after it; the rest may not.
func TestOnlyTheRecordsOfUnaskedReadsAndForeignCallsMayWait(t *testing.T) {
	job := func(origin tool.OriginKind, effects ...tool.Effect) *tool.Job {
		spec := &tool.Spec{Name: "x", Kind: tool.Exec, Origin: tool.Origin{Kind: origin, Name: "x"}}
		return &tool.Job{Spec: spec, Call: &tool.Call{Name: "x"}, Effects: effects}
	}
	read, write := tool.Effect{Kind: tool.Read, Target: "a"}, tool.Effect{Kind: tool.Write, Target: "a"}
	failed := tool.ErrorOf(tool.Execution, "x", "no")
	for name, c := range map[string]struct {
		res  tool.Result
		late bool
	}{
		"a read":                        {tool.Result{Job: job(tool.Builtin, read), Approver: tool.Approver{Kind: tool.ByMode}}, true},
		"a read that a person approved": {tool.Result{Job: job(tool.Builtin, read), Approver: tool.Approver{Kind: tool.ByPerson}}, false},
		"a read that was approved once": {tool.Result{Job: job(tool.Builtin, read), Approver: tool.Approver{Kind: tool.ByGrant}}, false},
		"a read that failed":            {tool.Result{Job: job(tool.Builtin, read), Approver: tool.Approver{Kind: tool.ByMode}, Err: failed}, false},
		"a change":                      {tool.Result{Job: job(tool.Builtin, read, write), Approver: tool.Approver{Kind: tool.ByRule}}, false},
		"a command":                     {tool.Result{Job: job(tool.Builtin), Approver: tool.Approver{Kind: tool.ByRule}}, false},
		"a server's tool":               {tool.Result{Job: job(tool.MCP), Approver: tool.Approver{Kind: tool.ByRule}}, true},
		"a server's tool, asked about":  {tool.Result{Job: job(tool.MCP), Approver: tool.Approver{Kind: tool.ByClient}}, false},
		"a refusal":                     {tool.Result{Err: tool.ErrorOf(tool.Permission, "x", "no")}, false},
		"a question":                    {tool.Result{Job: job(tool.MCP), Approver: tool.Approver{Kind: tool.ByMode}, Need: &tool.Need{}}, false},
	} {
		var now, later int
		audit := wrap.Audit(wrap.AuditOptions{
			Write: func([]byte) error { now++; return nil },
			Later: func([]byte) { later++ },
		})
		call := audit(func(context.Context, *tool.Call) (*tool.Result, error) { return &c.res, nil })
		if _, err := call(t.Context(), &tool.Call{Name: "x"}); err != nil {
			t.Fatal(err)
		}
		if wantLater := map[bool]int{true: 1}[c.late]; later != wantLater || now != 1-wantLater {
			t.Errorf("%s: written %d, later %d; want later %d", name, now, later, wantLater)
		}
	}
}
