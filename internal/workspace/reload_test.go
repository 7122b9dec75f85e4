package workspace_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/tool"

	. "helve/internal/workspace"
)

func TestAConfigurationThatIsReadAgainHoldsInEveryKit(t *testing.T) {
	p := newPlace(t).put(userConfig, `{"clients":{"reviewer":{"tools":{"write":false}}}}`)
	w := p.open()
	plain := w.Kit()
	reviewer, err := w.NewKit(KitOptions{Profile: "reviewer"})
	if err != nil {
		t.Fatal(err)
	}
	planned, err := w.NewKit(KitOptions{Mode: "ask"}) // which is asked for by name
	if err != nil {
		t.Fatal(err)
	}
	p.put(userConfig, `{"mode":"plan","disabled_tools":["fetch"],"clients":{"reviewer":{"mode":"ask","tools":{"bash":false}}}}`)
	if err := w.Reload(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		who                string
		kit                *tool.Kit
		write, bash, fetch bool
	}{
		{"the workspace's", plain, false, true, false}, // plan runs what only looks
		{"the reviewer's", reviewer, true, false, false},
		{"the one in mode ask", planned, true, true, false},
	} {
		v := c.kit.View()
		if v.Has("write") != c.write || v.Has("bash") != c.bash || v.Has("fetch") != c.fetch || !v.Has("read") {
			t.Errorf("%s kit: write %v, bash %v, fetch %v", c.who, v.Has("write"), v.Has("bash"), v.Has("fetch"))
		}
	}
	if w.Mode().String() != "plan" {
		t.Errorf("mode %v", w.Mode())
	}
	e, err := w.Why(t.Context(), &tool.Call{Name: "fetch"})
	if err != nil || e.List.Verdict != tool.Deny {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestAConfigurationThatBreaksLeavesTheRulesAsTheyWere(t *testing.T) {
	for _, tolerant := range []bool{false, true} {
		p := newPlace(t).put(userConfig, `{"disabled_tools":["fetch"]}`)
		w := p.open(func(o *Options) { o.Tolerant = tolerant })
		for _, broken := range []string{`{"tools":`, `{"mode":"wild"}`, `{"rules":[{"deny":""}]}`} {
			p.put(userConfig, broken)
			if err := w.Reload(); err == nil {
				t.Errorf("tolerant %v: %s was taken", tolerant, broken)
			}
			if v := w.Kit().View(); v.Has("fetch") || !v.Has("write") || w.Mode().String() != "ask" {
				t.Errorf("tolerant %v: %s: other rules stand", tolerant, broken)
			}
		}
		p.put(userConfig, `{}`)
		if err := w.Reload(); err != nil || !w.Kit().View().Has("fetch") {
			t.Errorf("tolerant %v: mended: %v", tolerant, err)
		}
	}
}

// What another program puts in the place of a configuration makes a server read-only as long as it stands there.
func TestAServerWorksAgainWhenItsConfigurationCanBeRead(t *testing.T) {
	p := newPlace(t)
	at := filepath.Join(p.dir, ".mcp.json")
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	w := p.open(func(o *Options) { o.Tolerant = true })
	err := w.Unreadable()
	if err == nil || !strings.Contains(err.Error(), at+": is a directory, want a file: move it away, or remove it") {
		t.Errorf("%v", err)
	}
	if w.Kit().View().Has("write") {
		t.Error("it can write without its configuration")
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if err := w.Reload(); err != nil || w.Unreadable() != nil || !w.Kit().View().Has("write") {
		t.Errorf("mended: %v, %v", err, w.Unreadable())
	}
}

// Trust is bound to the content, also while a workspace is open: for the run it was given for what stood there.
func TestAChangedProjectIsNotTrustedBecauseItWas(t *testing.T) {
	loose := `{"tools":{"bash":"allow"}}`
	allowed := func(w *Assembly) bool {
		e, err := w.Why(t.Context(), &tool.Call{Name: "bash", Args: json.RawMessage(`{"command":"make"}`)})
		if err != nil {
			t.Fatal(err)
		}
		return e.Call.Verdict == tool.Allow
	}
	p := newPlace(t).put(".helve/config.json", loose)
	w := p.open(func(o *Options) { o.Trust = true })
	if !allowed(w) {
		t.Fatal("it was trusted for this run")
	}
	p.put(".helve/config.json", `{"tools":{"bash":"allow","write":"allow"}}`)
	if err := w.Reload(); err != nil || allowed(w) || !strings.Contains(p.said.String(), "not trusted") {
		t.Errorf("%v; another content is trusted; said %q", err, p.said)
	}
	p.put(".helve/config.json", loose)
	if err := w.Reload(); err != nil || !allowed(w) {
		t.Errorf("%v; what was trusted no longer is", err)
	}
}

func TestWhatCountsFromTheNextStartIsSaid(t *testing.T) {
	p := newPlace(t).put(userConfig, `{"mcp_servers":{"hub":{"command":"hub","trust":true}}}`)
	w := p.open()
	p.put(userConfig, `{"profile":"codebase-index","sandbox":{"network":true},"mcp_servers":{"hub":{"command":"other","trust":true}}}`)
	if err := w.Reload(); err != nil {
		t.Fatal(err)
	}
	if said := p.said.String(); !strings.Contains(said, "profile, sandbox, mcp_servers: what changed there counts when helve is started again") {
		t.Errorf("said %q", said)
	}
	// What runs is not what the new entry trusts.
	if w.Trusts("hub") {
		t.Error("a server is trusted for the command of another")
	}
}

func TestFilesOfTheConfigurationAreThoseThatAreRead(t *testing.T) {
	p := newPlace(t)
	w := p.open()
	for _, name := range []string{".helve/config.json", ".helve/config.local.toml", ".mcp.json", ".mcp-codebase-index.toml", userConfig, "trust"} {
		before := StampsOf(w.ConfigFiles())
		switch name {
		case "trust":
			trust := filepath.Join(p.home, ".local/state/helve/trust.json")
			if err := os.MkdirAll(filepath.Dir(trust), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(trust, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			p.put(name, "")
		}
		if SameStamps(before, StampsOf(w.ConfigFiles())) {
			t.Errorf("%s: nobody looks at it", name)
		}
	}
}
