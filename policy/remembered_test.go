package policy_test

import (
	"runtime"
	"testing"
	"weak"

	"helve/tool"
)

// What the rules have worked out for a tool is remembered, but never for more than some thousands of tools: registries
// that change for ever do not fill the memory.
func TestAsManyToolsAreRememberedAsAreOfUse(t *testing.T) {
	r := rules(t, asking, layer("user", "r* = false"))
	look := func(n int) (alive int) {
		all := make([]weak.Pointer[tool.Spec], n)
		for i := range all {
			s := &tool.Spec{Name: "made", Kind: tool.Read, Origin: tool.Origin{Kind: tool.Go, Name: "made"}}
			r.Lists(s)
			all[i] = weak.Make(s)
		}
		runtime.GC()
		for _, s := range all {
			if s.Value() != nil {
				alive++
			}
		}
		return alive
	}
	if alive := look(19_000); alive != 19_000 {
		t.Errorf("%d of 19,000 are remembered", alive)
	}
	if alive := look(60_000); alive > 20_000 {
		t.Errorf("%d of 60,000 are remembered", alive)
	}
	one, other := &tool.Spec{Name: "one", Kind: tool.Read}, &tool.Spec{Name: "other", Kind: tool.Read}
	n := testing.AllocsPerRun(100, func() {
		r.Lists(one)
		r.Lists(other)
	})
	if n != 0 {
		t.Errorf("two tools are worked out again and again: %v allocations", n)
	}
	runtime.KeepAlive(r)
}

// A host is the same with a dot at its end, whatever port stands behind it.
func TestADotBehindAHostChangesNothing(t *testing.T) {
	for _, host := range []string{"example.com", "example.com.", "example.com:8443", "example.com.:8443", "https://example.com.:8443/x"} {
		for rule, want := range map[string]tool.Decision{
			"deny fetch:example.com": tool.Deny, "deny fetch:example.com:8443": tool.Ask, "deny fetch:*.com": tool.Deny, "deny fetch:other.com": tool.Ask,
		} {
			v := rules(t, asking, layer("user", rule)).Judge(job(fetch, host))
			if rule == "deny fetch:example.com:8443" && len(host) > len("example.com.") {
				want = tool.Deny
			}
			if v.Decision != want {
				t.Errorf("%s, %s: %v, want %v", rule, host, v.Decision, want)
			}
		}
	}
}
