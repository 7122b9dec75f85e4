package policy_test

import (
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"helve/policy"
	"helve/tool"
)

// The index and the quick looks are there for speed: what doublestar matches, a rule that allows matches, and nothing else.
func FuzzPathPattern(f *testing.F) {
	for _, s := range [][2]string{{"a/**", "a/b"}, {"**/.env", "x/.env"}, {"*.go", "a.go"}, {"{a,b}/*", "b/c"}, {"a/[b-d]?", "a/cx"}, {`a\*`, "a*"}, {"a/**/b/*.x", "a/q/b/c.x"},
		{"a/[X-c]x", "a/Yx"}, {"a/[^A]x", "a/ax"}, {"[!a-zA-Y]", "Z"}, {`[\]-a]`, "A"}, {"{[A,b],C}", "a"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, target string) {
		r, err := policy.New(policy.Options{Mode: policy.AskFirst}, policy.Layer{Rules: []policy.Rule{{Decision: tool.Allow, Text: "edit:" + pattern}}})
		if err != nil || pattern == "*" || pattern == "**" || target == "*" || !clean(target) || !clean(pattern) {
			return
		}
		want := doublestar.MatchUnvalidated(pattern, target)
		if got := r.Judge(job(edit, "write|"+target)).Decision == tool.Allow; got != want {
			t.Errorf("%q on %q: allowed %v, doublestar says %v", pattern, target, got, want)
		}
		deny, err := policy.New(policy.Options{Mode: policy.AskFirst}, policy.Layer{Rules: []policy.Rule{{Decision: tool.Deny, Text: "edit:" + pattern}}})
		if err != nil {
			t.Fatal(err)
		}
		if want && deny.Judge(job(edit, "write|"+target)).Decision != tool.Deny {
			t.Errorf("%q on %q: allowed by a rule, and not denied by it", pattern, target)
		}
	})
}

// clean texts are those that neither the rule nor the place brings into another form.
func clean(s string) bool {
	if s == "" || len(s) > 200 || s[0] == '/' || s[0] == '~' || s[len(s)-1] == '/' {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f || i > 0 && s[i] == '/' && s[i-1] == '/' || s[i] == '.' && (i == 0 || s[i-1] == '/' || s[i-1] == '.') || s[i] == ':' {
			return false
		}
	}
	return true
}
