package shell

import (
	"slices"
	"testing"
	"time"

	"helve/internal/testing/corpus"
)

// containedInstead are attacks that no reading of the words can tell from a harmless command that must not be asked
// about: a repository's configuration makes git run a program. They run in the read-only sandbox, where they must
// leave no mark.
var containedInstead = map[string]string{
	"arg-injection-016": "git diff, as control-005: diff.external of the repository",
	"arg-injection-017": "git diff: textconv of the repository",
	"arg-injection-018": "git status, as control-001: core.fsmonitor of the repository",
}

// decide is the verdict with the case's deny rules applied, as a policy applies them.
func decide(a Analysis, deny []string) corpus.Expected {
	denied := slices.ContainsFunc(a.Commands, func(c Command) bool {
		return slices.ContainsFunc(deny, func(p string) bool { return Touches(p, c) })
	})
	switch {
	case a.Err != nil && !isSyntax(a.Err):
		return corpus.CleanError
	case denied || a.Verdict == Catastrophic:
		return corpus.Blocked
	case a.Verdict == ReadOnly:
		return corpus.Allow
	}
	return corpus.Ask
}

func TestEveryShellAttackOfTheCorpusIsAskedAboutOrRefused(t *testing.T) {
	groups := []string{"shell-chain", "shell-quoting", "shell-redirect", "arg-injection", "wrapper-env"}
	for _, c := range corpus.Attacks(groups...) {
		command, ok := c.Command()
		if c.Input.Tool != "bash" || !ok {
			continue // a wrong type is refused by the schema before this package sees it
		}
		t.Run(c.ID, func(t *testing.T) {
			allow, deny := c.Rules()
			a := Analyze(command, Options{ReadOnly: allow, Deadline: time.Minute})
			got := decide(a, deny)
			want := c.Expected
			if containedInstead[c.ID] != "" {
				want = corpus.Allow
			}
			if want == corpus.Contained {
				want = corpus.Ask // before it runs confined, somebody agreed
			}
			if got != want {
				t.Errorf("%.200q\n got %s (%s)\nwant %s: %s\ncommands %.300v", command, got, a.Reason, want, c.Why, a.Commands)
			}
		})
	}
}

func TestHarmlessCommandsOfTheCorpusAreNotAskedAbout(t *testing.T) {
	for _, c := range corpus.Controls() {
		command, _ := c.Command()
		t.Run(c.ID, func(t *testing.T) {
			if a := Analyze(command, Options{Deadline: time.Minute}); decide(a, nil) != c.Expected {
				t.Errorf("%q: got %s (%s), want %s", command, a.Verdict, a.Reason, c.Expected)
			}
		})
	}
}
