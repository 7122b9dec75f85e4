package workspace_test

import (
	"context"
	"strings"
	"testing"

	"helve/tool"

	. "helve/internal/workspace"
)

// R1.25: an allow-list skips every other registration, with a warning that names the tool.
func TestAnAllowListKeepsOthersToolsOutOfTheRegistry(t *testing.T) {
	p := newPlace(t).put(userConfig, `{"allowed_tools":["read","good"]}`)
	w := p.open()
	for _, name := range []string{"good", "bad"} {
		spec := tool.Spec{Name: name, Origin: tool.Origin{Kind: tool.Command, Name: name}}
		nothing := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return nil, nil }
		if err := w.Registry().Set(name, []tool.Tool{tool.New(spec, nothing)}); err != nil {
			t.Fatal(err)
		}
	}
	view := w.Kit().View()
	if view.Len() != 2 || !view.Has("read") || !view.Has("good") || w.Registry().View().Has("bad") {
		t.Errorf("%d tools are offered", view.Len())
	}
	if !strings.Contains(p.said.String(), "command:bad is not among the allowed_tools, skipped") {
		t.Errorf("said %q", p.said)
	}
}

// A profile stands above the plain layers and below the flags; an untrusted project's cannot loosen.
func TestAProfileStandsBelowTheFlagsOnly(t *testing.T) {
	p := newPlace(t).
		put(userConfig, `{"mode":"plan","clients":{"free":{"mode":"auto","tools":{"bash":false}},"mine":{}}}`).
		put(".helve/config.json", `{"tools":{"bash":true},"clients":{"mine":{"mode":"auto","tools":{"write":"allow"}},"evil":{"mode":"auto"}}}`)
	for _, c := range []struct{ profile, flag, mode string }{
		{"default", "", "plan"}, {"free", "", "auto"}, {"free", "ask", "ask"}, {"mine", "", "plan"}, {"evil", "", "plan"},
	} {
		w := p.open(func(o *Options) { o.Profile, o.Mode = c.profile, c.flag })
		if got := w.Mode().String(); got != c.mode {
			t.Errorf("profile %s with mode %q: %v, want %s", c.profile, c.flag, got, c.mode)
		}
		if w.Kit().View().Has("bash") && c.profile == "free" {
			t.Errorf("profile %s offers bash", c.profile)
		}
	}
}

func TestEveryClientOfAServerHasItsProfile(t *testing.T) {
	w := newPlace(t).put(userConfig, `{"clients":{"reviewer":{"tools":{"@write":false,"@exec":false}}}}`).open()
	for name, want := range map[string]bool{"": true, "reviewer": false} {
		kit, err := w.NewKit(KitOptions{Profile: name})
		if err != nil {
			t.Fatal(err)
		}
		view := kit.View()
		if view.Has("write") != want || view.Has("bash") != want || !view.Has("read") {
			t.Errorf("profile %q: write %v, bash %v", name, view.Has("write"), view.Has("bash"))
		}
	}
	if _, err := w.NewKit(KitOptions{Profile: "nobody"}); err == nil {
		t.Error("there is no such profile")
	}
}

// ⚑11: a tolerant workspace is read-only with what it can read; any other is refused.
func TestATolerantWorkspaceIsReadOnlyWithABrokenFile(t *testing.T) {
	p := newPlace(t).put(".helve/config.json", `{"tools": {`)
	if _, err := Open(t.Context(), p.options()); err == nil || !strings.Contains(err.Error(), ".helve/config.json") {
		t.Errorf("opened: %v", err)
	}
	view := p.open(func(o *Options) { o.Tolerant = true }).Kit().View()
	if view.Has("write") || view.Has("bash") || !view.Has("read") || !strings.Contains(p.said.String(), "starting read-only") {
		t.Errorf("%d tools; said %q", view.Len(), p.said)
	}
}

// A project, trusted or not, cannot have a sandbox open what decides about rights.
func TestNoSandboxOpensOurOwnState(t *testing.T) {
	p := newPlace(t)
	w := p.open()
	state := p.home + "/.local/state/helve"
	folders := []string{"/", p.home, state, state + "/x", p.home + "/.config/helve", p.home + "/src", "/tmp/elsewhere"}
	got := w.Openable("writable", folders)
	if len(got) != 2 || got[0] != p.home+"/src" || strings.Count(p.said.String(), "is left out") != 5 {
		t.Errorf("opens %q; said %q", got, p.said)
	}
}
