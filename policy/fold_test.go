package policy_test

import (
	"testing"

	"helve/policy"
	"helve/tool"
)

// A rule that takes a right away means a name however its letters are cased, in a class as outside of one: what a file
// system that ignores case takes for the same file.
func TestADenyMeansEveryCaseOfAName(t *testing.T) {
	for _, c := range []struct {
		pattern, target string
		denied          bool
	}{
		{"[X-c]", "y", true}, // from X to c stand Y and Z, too
		{"[X-c]", "Y", true},
		{"[X-c]", "B", true},
		{"[X-c]", "w", false},
		{"[^a]", "a", true},   // it has A, which is the same file
		{"[^aA]", "a", false}, // it has neither
		{"[^a-zA-Z]", "q", false},
		{"[^a-zA-Y]", "z", true}, // it has Z
		{"[^a-zA-Y]", "y", false},
		{`[\]-a]`, "A", true},
		{`[\]-a]`, "]", true},
		{`[a\-c]`, "-", true},
		{"[a-]", "-", true},
		{"ssh", "ſSH", true}, // a long s is an s in other writing
		{"ſSH", "ssh", true},
		{"kEY", "\u212aey", true}, // and the sign of kelvin a k
		{"[K]ey", "\u212aey", true},
		{"[à-ý]", "É", true},
		{"Σας", "ΣΑΣ", true},
		{`\Ab`, "aB", true},
		{"[İ]x", "İx", true}, // i with a dot has no other case
	} {
		r, err := policy.New(policy.Options{Mode: policy.AskFirst}, policy.Layer{Rules: []policy.Rule{{Decision: tool.Deny, Text: "edit:" + c.pattern}}})
		if err != nil {
			t.Fatal(c.pattern, err)
		}
		if got := r.Judge(job(edit, "write|"+c.target)).Decision == tool.Deny; got != c.denied {
			t.Errorf("%q on %q: denied %v", c.pattern, c.target, got)
		}
	}
}
