package policy_test

import (
	"testing"

	"helve/policy"
	"helve/tool"
)

// ofPool is a tool that the workers of a pool bring.
func ofPool(pool, name string) *tool.Spec {
	s := *mcp(pool, name)
	s.Origin.Kind = tool.Remote
	return &s
}

func TestToolsOfAPoolAreSelectedByThePoolAndByNothingElse(t *testing.T) {
	deploy := ofPool("build", "deploy")
	for name, want := range map[string]tool.Decision{
		"pool__build__deploy":  tool.Allow,
		"pool__build__*":       tool.Allow,
		"pool__build":          tool.Allow,
		"@remote":              tool.Allow,
		"@mcp":                 tool.Ask,
		"mcp__build__deploy":   tool.Ask,
		"mcp__build":           tool.Ask,
		"mcp__build/*":         tool.Ask,
		"pool__other__*":       tool.Ask,
		"deploy":               tool.Ask, // a bare name gives no rights to what others bring
		"build__deploy":        tool.Ask,
		"pool__build__deploys": tool.Ask,
	} {
		r := rules(t, asking, layer("user", name+" = allow"))
		if v := r.Judge(job(deploy)); v.Decision != want {
			t.Errorf("%q: %v, want %v", name, v.Decision, want)
		}
	}
	for _, name := range []string{"pool__build__deploy", "pool__build/deploy", "pool__build", "deploy", "@remote"} {
		r := rules(t, policy.Options{Mode: policy.Auto}, layer("user", "deny "+name))
		if v := r.Judge(job(deploy)); v.Decision != tool.Deny {
			t.Errorf("deny %q: %v", name, v.Decision)
		}
	}
}

// A server cannot be named so that its tools have a pool's rights, nor a pool so that its tools have a server's.
func TestPoolsAndServersDoNotMeet(t *testing.T) {
	for name, s := range map[string]*tool.Spec{
		"pool__build__deploy": mcp("pool", "build__deploy"),
		"pool__build":         mcp("pool", "build"),
		"mcp__a__b":           ofPool("a", "b"),
		"a__b":                ofPool("a", "b"),
		"pool__a__b__c":       ofPool("a__b", "c"),
	} {
		r := rules(t, asking, layer("user", name+" = allow"))
		if v := r.Judge(job(s)); v.Decision != tool.Ask {
			t.Errorf("%q allows %s: %+v", name, s.Origin, v)
		}
	}
}

func TestATrustedPoolIsNoTrustedServer(t *testing.T) {
	o := asking
	o.Trusted = func(source string) bool { return source == "pool:build" }
	r := rules(t, o)
	wantJudged(t, r, job(ofPool("build", "deploy")), tool.Allow)
	wantJudged(t, r, job(ofPool("other", "deploy")), tool.Ask)
	wantJudged(t, r, job(mcp("build", "deploy")), tool.Ask)
}
