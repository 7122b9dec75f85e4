package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"helve/policy"
	"helve/tool"
)

// Kits of one profile and mode are judged by the same rules, which change together when the configuration is read again.
func TestKitsOfOneProfileShareTheirRules(t *testing.T) {
	s := stands(t)
	s.user(`{"rules":[{"deny":"read:secret/**"}],"clients":{"reviewer":{"mode":"plan"}}}`)
	g := s.guard()
	own, _, err := g.policyOf(KitOptions{Profile: "default"})
	if err != nil || own != g.live {
		t.Fatalf("the workspace's own profile has rules of its own: %v", err)
	}
	one, _, err := g.policyOf(KitOptions{Profile: "reviewer"})
	if err != nil {
		t.Fatal(err)
	}
	two, settings, err := g.policyOf(KitOptions{Profile: "reviewer"})
	if err != nil || one != two || one == g.live || settings.mode.String() != "plan" {
		t.Fatalf("%v; the same rules %v, mode %v", err, one == two, settings.mode)
	}
	if !g.denied("secret/key") || g.denied("open/key") || g.deniedWrite("open/key") {
		t.Errorf("denied: secret %v, open %v; written: open %v", g.denied("secret/key"), g.denied("open/key"), g.deniedWrite("open/key"))
	}
	s.user(`{"rules":[{"deny":"read:open/**"}],"clients":{"reviewer":{"mode":"plan"}}}`)
	if err := g.reload(); err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]*policy.Live{"the workspace": g.live, "reviewer": one} {
		if l.Rules().Denies(tool.Read, "secret/key") || !l.Rules().Denies(tool.Read, "open/key") {
			t.Errorf("%s: the rules are the old ones", name)
		}
	}
	if _, _, err := g.policyOf(KitOptions{Profile: "nobody"}); err == nil {
		t.Error("a profile that there is not")
	}
}

// A configuration that cannot be read leaves the rules as they were.
func TestRulesStayWhereTheirFileIsBroken(t *testing.T) {
	s := stands(t)
	s.user(`{"rules":[{"deny":"read:secret/**"}]}`)
	g := s.guard()
	s.user(`{"rules":[`)
	if err := g.reload(); err == nil || !g.denied("secret/key") {
		t.Errorf("%v; denied: %v", err, g.denied("secret/key"))
	}
}

// Trust in a server is for the one that was started: an entry that changed since speaks of another.
func TestTrustIsForTheServerThatRuns(t *testing.T) {
	s := stands(t)
	s.o.Parts = []Part{keyed("mcp_servers")}
	s.user(`{"mcp_servers":{"a":{"command":"one","trust":true}}}`)
	g := s.guard()
	if !g.trusts(g.conf.now.Load(), "a") || g.trusts(g.conf.now.Load(), "b") {
		t.Error("trust does not count as it stands")
	}
	s.user(`{"mcp_servers":{"a":{"command":"two","trust":true}}}`)
	if err := g.reload(); err != nil {
		t.Fatal(err)
	}
	if g.trusts(g.conf.now.Load(), "a") {
		t.Error("another server is trusted under the name of the one that runs")
	}
}

// A keyed part has keys, and brings nothing.
type keyed string

func (k keyed) Keys() []string { return []string{string(k)} }

func (keyed) Open(context.Context, *Site) error { return nil }

// A file that nobody writes is known by another name of it, and what is missing of one by the first name on the way.
func TestGuardedFilesAreKnownByOtherNames(t *testing.T) {
	s := stands(t)
	held, other := filepath.Join(s.dir, "held"), filepath.Join(s.dir, "other")
	if err := os.WriteFile(held, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(held, other); err != nil {
		t.Skipf("no second names here: %v", err)
	}
	s.o.Guards = Guards{Within: []string{held, filepath.Join(s.dir, ".git", "hooks", "x")}}
	g := s.guard()
	for target, want := range map[string]bool{"other": true, "none": false, tool.AnyTarget: false} {
		_, found := g.guardedInode([]tool.Effect{{Kind: tool.Write, Target: target}})
		if found != want {
			t.Errorf("%s: %v, want %v", target, found, want)
		}
	}
	if here := g.askingHere(); !slices.Contains(here, held) {
		t.Errorf("guarded here: %q", here)
	}
	if got := firstMissing(s.dir, filepath.Join(s.dir, ".git", "hooks", "x")); got != filepath.Join(s.dir, ".git") {
		t.Errorf("missing first: %q", got)
	}
}
