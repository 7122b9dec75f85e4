package corpus

import "testing"

func TestEveryCaseHasAnIdAndAnExpectation(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range append(Attacks(), Controls()...) {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("id %q is empty or used twice", c.ID)
		}
		seen[c.ID] = true
		switch c.Expected {
		case Ask, Blocked, Contained, CleanError, Allow:
		default:
			t.Errorf("%s: expected %q is no word of this package", c.ID, c.Expected)
		}
	}
	if len(seen) < 400 {
		t.Errorf("%d cases, want the whole corpus", len(seen))
	}
}

func TestRulesReadAllowAndDeny(t *testing.T) {
	allow, deny := Case{Policy: "allow:echo,go test deny:curl,rm"}.Rules()
	if len(allow) != 2 || allow[1] != "go test" || len(deny) != 2 || deny[0] != "curl" {
		t.Errorf("allow %q deny %q", allow, deny)
	}
}

func TestEveryGroupOfCommandsIsThere(t *testing.T) {
	for group, least := range map[string]int{"everyday": 290, "catastrophe": 235, "neighbour": 186} {
		if n := len(Commands(group)); n < least {
			t.Errorf("%s: %d commands, want %d at least", group, n, least)
		}
	}
}
