package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"helve/tool"
)

// A list shows what the listing says; a call is one of the tool that it means, checked and judged as that.
func TestAListingChangesWhatListsShowAlone(t *testing.T) {
	type in struct {
		Text string `json:"text"`
	}
	named := func(name string) tool.Tool {
		return tool.New(tool.Spec{Name: name, Kind: tool.Read, Touches: tool.Nothing, Doc: tool.Doc{Short: "Says " + name + " at length."}},
			func(_ context.Context, c *tool.Call, v in) (*tool.Result, error) {
				return tool.NewResult(tool.Text(name + " " + v.Text + " as " + c.Name)), nil
			})
	}
	reg := &tool.Registry{}
	if err := reg.Add(named("one"), named("two"), named("three")); err != nil {
		t.Fatal(err)
	}
	of := func(name string) tool.Origin { return tool.Origin{Kind: tool.Go, Name: name} }
	k := reg.Kit(tool.KitOptions{
		Policy: refusing("three"),
		Listing: &tool.Listing{
			Specs: func(all []*tool.Spec) []*tool.Spec {
				short := *all[0] // one, three, two
				short.Doc = tool.Doc{Short: "One."}
				return []*tool.Spec{&short}
			},
			Meant: func(s *tool.Spec, args json.RawMessage) (tool.Origin, json.RawMessage, bool) {
				for _, name := range []string{"two", "three", "none"} {
					if s.Name == "one" && bytes.Contains(args, []byte(name)) {
						return of(name), json.RawMessage(`{"text":"meant"}`), true
					}
				}
				return tool.Origin{}, nil, false
			},
		},
	})
	v := k.View()
	if len(v.Specs()) != 1 || v.Specs()[0].Doc.Short != "One." || len(v.Unlisted()) != 2 || v.Name(v.Specs()[0]) != "one" {
		t.Fatalf("listed %v, unlisted %v", v.Specs(), v.Unlisted())
	}
	if own := v.Own(v.Specs()[0]); own.Doc.Short != "Says one at length." || v.Own(own) != own {
		t.Errorf("its own definition is %v", own)
	}
	if v != k.View() {
		t.Error("a view changed with nothing")
	}
	if came, gone := tool.Changes(v, reg.Kit(tool.KitOptions{}).View()); len(came) != 1 || len(gone) != 1 {
		t.Errorf("to a list in the tools' own words %d came and %d went, want the one that is said otherwise", len(came), len(gone))
	}
	for args, want := range map[string]string{
		`{"text":"one"}`:  "one one as one",
		`{"text":"two"}`:  "two meant as two",
		`{"text":"none"}`: "one none as one", // which nobody offers
	} {
		r, err := k.Call(t.Context(), &tool.Call{Name: "one", Args: json.RawMessage(args)})
		if err != nil || r.Text() != want {
			t.Errorf("%s: %q, %v, want %q", args, r.Text(), err, want)
		}
	}
	r, err := k.Call(t.Context(), &tool.Call{Name: "one", Args: json.RawMessage(`{"text":"three"}`)})
	if err != nil || r.Err == nil || r.Err.Code != tool.Permission {
		t.Errorf("what is refused by its own name: %v, %v", r, err)
	}
}

// refusing allows all but the tool of this name.
type refusing string

func (refusing) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }

func (r refusing) Judge(j *tool.Job) tool.Verdict {
	if j.Spec.Name == string(r) {
		return tool.Verdict{Decision: tool.Deny}
	}
	return tool.Verdict{Decision: tool.Allow}
}
