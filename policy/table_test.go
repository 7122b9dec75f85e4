package policy_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"helve/policy"
)

var update = flag.Bool("update", false, "write the table of docs/policy.md anew")

// In no row is a freer mode stricter, no row is empty, and every way of asking says who may answer.
func TestAFreerModeIsNowhereStricter(t *testing.T) {
	modes := policy.Modes()
	seen := map[string]bool{}
	for _, a := range policy.Acts() {
		if a.String() == "" || seen[a.String()] {
			t.Errorf("act %d is called %q", a, a)
		}
		seen[a.String()] = true
		for i, m := range modes {
			b := m.Becomes(a)
			asks := b == policy.Waits || b == policy.AsksBeforeKept || b == policy.AsksIfChanged || b == policy.AsksBefore
			if asks != (len(b.Answers()) > 0) {
				t.Errorf("%s: who may answer: %q", b, b.Answers())
			}
			leaves := a == policy.LeavesSteer || a == policy.LeavesNew
			if i > 0 && b > modes[i-1].Becomes(a) && !leaves {
				t.Errorf("%s: mode %s: %s, and in the stricter one: %s", a, m, b, modes[i-1].Becomes(a))
			}
		}
	}
	for _, wrong := range []policy.Mode{9, 255} {
		if wrong.Becomes(policy.RunsHeld) != policy.Refused || policy.Auto.Becomes(200) != policy.Refused {
			t.Error("what is not known is not refused")
		}
	}
}

const docFile = "../docs/policy.md"

// The tables of docs/policy.md are those that decide.
func TestTheTablesOfTheDocAreFresh(t *testing.T) {
	have, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "-run Tables -update -->\n", "<!-- end of modes -->"
	head, rest, ok := strings.Cut(string(have), begin)
	_, tail, ends := strings.Cut(rest, end)
	if !ok || !ends {
		t.Fatal("docs/policy.md has no place for the tables")
	}
	want := head + begin + policy.Tables() + end + tail
	if *update {
		if err := os.WriteFile(docFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(have) {
		t.Error("docs/policy.md is stale: go test ./policy -run Tables -update")
	}
}
