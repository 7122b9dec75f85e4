package sandbox

import (
	"strings"
	"testing"
)

func TestTheProfileDeniesAfterItAllows(t *testing.T) {
	got := seatbelt(WorkspaceWrite, []string{"/w", "/tmp/x"}, []string{"/w/.helve", "/w/.git/hooks"}, []string{"/w/.git"}, []string{"/Users/me/.ssh"}, false)
	order := []string{"(version 1)\n(deny default)\n", `(allow file-read*)`, `(allow file-write* (subpath "/w"))`, `(deny file-write* (subpath "/w/.helve"))`,
		`(deny file-write-unlink (literal "/w/.git"))`, `(deny file-read* file-write* (subpath "/Users/me/.ssh"))`}
	at := 0
	for _, want := range order {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing after offset %d in\n%s", want, at, got)
		}
		at += i
	}
	if strings.Contains(got, "network") {
		t.Errorf("network is allowed without being granted:\n%s", got)
	}
	if strings.Count(got, "(") != strings.Count(got, ")") {
		t.Errorf("brackets do not match:\n%s", got)
	}
}

func TestTheProfileGrantsNetworkOnlyWhereItIsAskedFor(t *testing.T) {
	if got := seatbelt(WorkspaceWrite, nil, nil, nil, []string{"/var/run/docker.sock"}, true); !strings.Contains(got, "(allow network*)") ||
		!strings.Contains(got, `(deny network-outbound (literal "/var/run/docker.sock"))`) {
		t.Errorf("granted network:\n%s", got)
	}
	if got := seatbelt(ReadOnly, nil, nil, nil, nil, true); strings.Contains(got, "(allow network*)") {
		t.Errorf("read-only with network:\n%s", got)
	}
}

func TestAPathCannotEndAProfileString(t *testing.T) {
	evil := `/w") (allow default) (allow file-write* (subpath "/`
	got := seatbelt(WorkspaceWrite, []string{evil}, nil, nil, nil, false)
	if strings.Contains(got, `(allow default)`) && !strings.Contains(got, `\") (allow default)`) {
		t.Errorf("the path became a rule:\n%s", got)
	}
}
