package sandbox

import (
	"strings"
	"testing"
)

func TestTheProfileDeniesAfterItAllows(t *testing.T) {
	s := seatbelt{
		level:    WorkspaceWrite,
		writable: []string{"/w", "/tmp/x"},
		guarded:  []string{"/w/.helve", "/w/.git/hooks"},
		pinned:   []string{"/w/.git"},
		masked:   []string{"/Users/me/.ssh"},
	}
	got := s.profile()
	order := []string{
		"(version 1)\n(deny default)\n",
		`(allow file-read*)`,
		`(allow file-write* (subpath "/w"))`,
		`(deny file-write* (subpath "/w/.helve"))`,
		`(deny file-write-unlink (literal "/w/.git"))`,
		`(deny file-read* file-write* (subpath "/Users/me/.ssh"))`,
	}
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
	granted := seatbelt{level: WorkspaceWrite, masked: []string{"/var/run/docker.sock"}, network: true}
	for _, want := range []string{"(allow network*)", `(deny network-outbound (literal "/var/run/docker.sock"))`} {
		if got := granted.profile(); !strings.Contains(got, want) {
			t.Errorf("granted network: %s is missing in\n%s", want, got)
		}
	}
	readOnly := seatbelt{level: ReadOnly, network: true}
	if got := readOnly.profile(); strings.Contains(got, "(allow network*)") {
		t.Errorf("read-only with network:\n%s", got)
	}
}

func TestAPathCannotEndAProfileString(t *testing.T) {
	evil := `/w") (allow default) (allow file-write* (subpath "/`
	got := seatbelt{level: WorkspaceWrite, writable: []string{evil}}.profile()
	if strings.Contains(got, `(allow default)`) && !strings.Contains(got, `\") (allow default)`) {
		t.Errorf("the path became a rule:\n%s", got)
	}
}
