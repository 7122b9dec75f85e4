package wrap_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"helve/policy"
	"helve/tool"
	"helve/wrap"
)

// recorded is what the audit keeps of the calls of a kit with the tools read, w (which writes) and off (switched off).
func recorded(t *testing.T, mode policy.Mode, o tool.KitOptions, calls ...*tool.Call) []wrap.Record {
	t.Helper()
	var out []wrap.Record
	audit := wrap.Audit(wrap.AuditOptions{Write: func(line []byte) error {
		var r wrap.Record
		defer func() { out = append(out, r) }()
		return json.Unmarshal(line, &r)
	}})
	type in struct {
		Path string `json:"path,omitempty"`
	}
	work := func(context.Context, *tool.Call, in) (*tool.Result, error) { return tool.Textf("done"), nil }
	r := &tool.Registry{}
	err := r.Add(
		tool.New(tool.Spec{Name: "look", Kind: tool.Read, ReadOnly: true}, work),
		tool.New(tool.Spec{Name: "w", Kind: tool.Write}, work),
		tool.New(tool.Spec{Name: "off", Kind: tool.Exec}, work),
	)
	if err != nil {
		t.Fatal(err)
	}
	o.Policy, err = policy.New(policy.Options{Mode: mode, Own: []string{"look", "w", "off"}}, policy.Layer{
		Name:     "user",
		Disabled: []policy.Name{{Name: "off"}},
		Rules:    []policy.Rule{{Decision: tool.Allow, Text: "look"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Around = append(o.Around, audit)
	k := r.Kit(o)
	for _, c := range calls {
		if _, err := k.Call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func says(a tool.Answer) tool.Asker {
	return func(context.Context, *tool.Question) (tool.Answer, error) { return a, nil }
}

func TestARecordSaysWhoApproved(t *testing.T) {
	person := tool.Approver{Kind: tool.ByPerson, Via: "terminal"}
	grants := policy.NewGrants(policy.GrantOptions{Workspace: "/w", Store: policy.Memory()})
	for _, c := range []struct {
		name string
		tool string
		o    tool.KitOptions
		want tool.Approver
	}{
		{"a rule", "look", tool.KitOptions{}, tool.Approver{Kind: tool.ByRule}},
		{"nobody", "w", tool.KitOptions{}, tool.Approver{}},
		{"a person", "w", tool.KitOptions{Ask: says(tool.Answer{Yes: true, By: person})}, person},
		{"a person who says no", "w", tool.KitOptions{Ask: says(tool.Answer{By: person})}, person},
		{"an Asker that says nothing of itself", "w", tool.KitOptions{Ask: says(tool.Answer{Yes: true})}, tool.Approver{Kind: tool.ByProgram}},
		{"nobody behind a client", "w", tool.KitOptions{Ask: says(tool.Answer{Unasked: true, By: person})}, tool.Approver{}},
		{"a person, for always", "w", tool.KitOptions{Grants: grants, Ask: says(tool.Answer{Yes: true, For: tool.Always, By: person})}, person},
	} {
		got := recorded(t, policy.AskFirst, c.o, &tool.Call{Name: c.tool})
		if len(got) != 1 || got[0].Approver != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got[0].Approver, c.want)
		}
	}
	got := recorded(t, policy.AskFirst, tool.KitOptions{Grants: grants}, &tool.Call{Name: "w"})
	if by := got[0].Approver; by.Kind != tool.ByGrant || len(by.Grant) != 12 {
		t.Errorf("what was approved for always: %+v", by)
	}
	reads := recorded(t, policy.AskFirst, tool.KitOptions{}, &tool.Call{Name: "look"})
	if reads[0].Approver.Kind != tool.ByRule || reads[0].Verdict.Rule == "" {
		t.Errorf("a rule: %+v %+v", reads[0].Approver, reads[0].Verdict)
	}
}

func TestAYesIsKeptOverTheRoundsOfACall(t *testing.T) {
	person := tool.Approver{Kind: tool.ByPerson, Via: "elicitation"}
	var got wrap.Record
	audit := wrap.Audit(wrap.AuditOptions{Write: func(line []byte) error { return json.Unmarshal(line, &got) }})
	work := func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		if c.Resume == nil {
			return &tool.Result{Need: &tool.Need{Requests: json.RawMessage(`{}`)}}, nil
		}
		return tool.Textf("done"), nil
	}
	r := &tool.Registry{}
	if err := r.Add(tool.New(tool.Spec{Name: "w", Kind: tool.Write}, work)); err != nil {
		t.Fatal(err)
	}
	k := r.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{audit}, Ask: says(tool.Answer{Yes: true, By: person})})
	res, err := k.Call(t.Context(), &tool.Call{Name: "w"})
	if err != nil || res.Need == nil || got.Outcome != "need" || got.Approver != person || got.ResultDigest != "" {
		t.Fatalf("%+v, %v, %+v", res, err, got)
	}
	back := &tool.Resume{State: res.Need.State, Answers: json.RawMessage(`{}`)}
	if _, err := k.Call(t.Context(), &tool.Call{Name: "w", Resume: back}); err != nil || got.Outcome != "ok" || got.Approver != person {
		t.Errorf("%v, %+v", err, got)
	}
}

// What shows only when a job has run is asked about then: the record has who decided about that, and not their thinking.
func TestARecordSaysWhoApprovedWhatShowedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		person := tool.Approver{Kind: tool.ByPerson, Via: "terminal"}
		var got wrap.Record
		audit := wrap.Audit(wrap.AuditOptions{Write: func(line []byte) error { return json.Unmarshal(line, &got) }})
		work := func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			time.Sleep(2 * time.Second)
			a, err := c.Ask(ctx, tool.Late{Title: "let x change .git/config", Why: "git runs it"})
			if err != nil || !a.Yes {
				t.Errorf("%+v, %v", a, err)
			}
			return tool.Textf("done"), nil
		}
		var steps []string
		o := tool.KitOptions{Around: []func(tool.Caller) tool.Caller{audit}}
		o.Watch = func(_ context.Context, e tool.Event) { steps = append(steps, e.Step.String()) }
		o.Ask = func(context.Context, *tool.Question) (tool.Answer, error) {
			time.Sleep(time.Minute)
			return tool.Answer{Yes: true, By: person}, nil
		}
		r := &tool.Registry{}
		if err := r.Add(tool.New(tool.Spec{Name: "x", Kind: tool.Read, ReadOnly: true}, work)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Kit(o).Call(t.Context(), &tool.Call{Name: "x"}); err != nil {
			t.Fatal(err)
		}
		if got.Approver != person || got.Asked != 60_000 || got.Duration != 2000 {
			t.Errorf("%+v", got)
		}
		if want := "understood judged began asked answered"; strings.Join(steps, " ") != want {
			t.Errorf("%q, want %q", steps, want)
		}
	})
}

func TestARefusalBeforeTheCallWasUnderstoodNamesItsTool(t *testing.T) {
	got := recorded(t, policy.AskFirst, tool.KitOptions{},
		&tool.Call{Name: "off"},
		&tool.Call{Name: "w", Args: json.RawMessage(`{"path":1.5}`)},
		&tool.Call{Name: "nothing"})
	for i, want := range []tool.Effect{{Kind: tool.Exec, Target: "*"}, {Kind: tool.Write, Target: "*"}} {
		r := got[i]
		if r.Origin == nil || r.Origin.Name != r.Name || len(r.Effects) != 1 || r.Effects[0] != want {
			t.Errorf("%s: origin %v, effects %v, want %v", r.Name, r.Origin, r.Effects, want)
		}
	}
	if got[2].Origin != nil || got[2].Effects != nil {
		t.Errorf("a tool that is none: %+v", got[2])
	}
}

func TestDigestsStandForWhatIsNotKept(t *testing.T) {
	sum := func(s string) string { b := sha256.Sum256([]byte(s)); return hex.EncodeToString(b[:]) }
	args := `{ "path": "a" }`
	got := recorded(t, policy.AskFirst, tool.KitOptions{}, &tool.Call{Name: "look", Args: json.RawMessage(args)})[0]
	if got.ArgsDigest != sum(args) || got.ResultDigest != sum("done") || got.Args != nil {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		r    *tool.Result
		want string
	}{
		{tool.NewResult(tool.Text("a"), tool.Text("b")), "a\nb"},
		{&tool.Result{Parts: []tool.Part{tool.Text("a")}, Data: json.RawMessage(`{"x":1}`)}, "a\n" + `{"x":1}`},
		{tool.NewResult(tool.Image{MIME: "image/png", Data: []byte("png")}, tool.Foreign(`{"type":"x"}`)), "png\n" + `{"type":"x"}`},
		{tool.NewResult(tool.Audio{MIME: "audio/wav", Data: []byte("wav")}), "wav"},
		{tool.NewResult(tool.Resource{URI: "a:b", Blob: []byte("c")}, tool.Link{URI: "d"}), "a:b\nc\nd"},
		{tool.Fail(errors.New("x")), tool.Fail(errors.New("x")).Text()},
	} {
		if got := wrap.DigestResult(c.r); got != sum(c.want) {
			t.Errorf("%+v: not that of %q", c.r, c.want)
		}
	}
}
