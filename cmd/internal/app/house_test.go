package app

import (
	"context"
	"strings"
	"testing"

	"helve/tool"
)

// R1.25: an allow-list skips every other registration, with a warning that names the tool.
func TestAnAllowListKeepsOthersToolsOutOfTheRegistry(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"allowed_tools":["read","good"]}`)
	a, _, errs := v.app()
	h, err := a.open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, name := range []string{"good", "bad"} {
		tl := tool.New(tool.Spec{Name: name, Origin: tool.Origin{Kind: tool.Command, Name: name}}, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return nil, nil })
		if err := h.reg.Set(name, []tool.Tool{tl}); err != nil {
			t.Fatal(err)
		}
	}
	if view := h.kit.View(); view.Len() != 2 || !view.Has("read") || !view.Has("good") || h.reg.View().Has("bad") {
		t.Errorf("%d tools are offered", view.Len())
	}
	if !strings.Contains(errs.String(), "command:bad is not among the allowed_tools, skipped") {
		t.Errorf("said %q", errs)
	}
}

// A profile stands above the plain layers and below the flags; an untrusted project's cannot loosen.
func TestAProfileStandsBelowTheFlagsOnly(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"mode":"plan","clients":{"free":{"mode":"auto","tools":{"bash":false}},"mine":{}}}`).
		put(".helve/config.json", `{"tools":{"bash":true},"clients":{"mine":{"mode":"auto","tools":{"write":"allow"}},"evil":{"mode":"auto"}}}`)
	for _, c := range []struct{ profile, flag, mode string }{
		{"default", "", "plan"}, {"free", "", "auto"}, {"free", "ask", "ask"}, {"mine", "", "plan"}, {"evil", "", "plan"},
	} {
		a, _, _ := v.app()
		a.flags.profile, a.flags.mode = c.profile, c.flag
		h, err := a.open(nil)
		if err != nil {
			t.Fatal(err)
		}
		if h.mode.String() != c.mode {
			t.Errorf("profile %s with --mode %q: %v, want %s", c.profile, c.flag, h.mode, c.mode)
		}
		if h.kit.View().Has("bash") && c.profile == "free" {
			t.Errorf("profile %s offers bash", c.profile)
		}
		h.Close()
	}
}

func TestEveryClientOfAServerHasItsProfile(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"clients":{"reviewer":{"tools":{"@write":false,"@exec":false}}}}`)
	h := v.open()
	for name, want := range map[string]bool{"": true, "reviewer": false} {
		o, err := (&app{env: Environment{Managed: h.dir}}).profiled(h, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if view := h.reg.Kit(o).View(); view.Has("write") != want || view.Has("bash") != want || !view.Has("read") {
			t.Errorf("profile %q: write %v, bash %v", name, view.Has("write"), view.Has("bash"))
		}
	}
	if _, err := (&app{}).profiled(h, "nobody", nil); err == nil {
		t.Error("there is no such profile")
	}
}

// ⚑11: a server starts read-only with what it can read; everything else refuses.
func TestAServerStartsReadOnlyWithABrokenFile(t *testing.T) {
	v := newVictim(t).put(".helve/config.json", `{"tools": {`)
	v.wantError(".helve/config.json", "list")
	a, _, errs := v.app()
	a.tolerant = true
	h, err := a.open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	view := h.kit.View()
	if view.Has("write") || view.Has("bash") || !view.Has("read") || !strings.Contains(errs.String(), "starting read-only") {
		t.Errorf("%d tools; said %q", view.Len(), errs)
	}
}

// A project, trusted or not, cannot have a sandbox open what decides about rights.
func TestNoSandboxOpensOurOwnState(t *testing.T) {
	v := newVictim(t)
	a, _, errs := v.app()
	state := v.home + "/.local/state/helve"
	got := a.openable([]string{"/", v.home, state, state + "/x", v.home + "/.config/helve", v.home + "/src", "/tmp/elsewhere"})
	if len(got) != 2 || got[0] != v.home+"/src" || strings.Count(errs.String(), "is left out") != 5 {
		t.Errorf("opens %q; said %q", got, errs)
	}
}
