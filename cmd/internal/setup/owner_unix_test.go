//go:build unix

package setup

import (
	"os"
	"strings"
	"testing"
)

// Somebody else's file is not replaced, even by root, who could: it would be root's afterwards, and its owner's client
// could not write it any more.
func TestAFileOfSomebodyElseIsLeftAlone(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	h := home(t, "linux")
	c, _ := Find("gemini")
	put(t, c.File(h), "{}\n")
	if err := os.Chown(c.File(h), 12345, 12345); err != nil {
		t.Skip("to give a file away does not work here: ", err)
	}
	_, err := Plan(c, h, c.LineFor("helve", false, ""))
	if err == nil || !strings.Contains(err.Error(), "belongs to user 12345") || !strings.Contains(err.Error(), c.File(h)) {
		t.Errorf("got %v, want the file and its owner", err)
	}
	if got := get(t, c.File(h)); got != "{}\n" {
		t.Errorf("it holds %q now", got)
	}
}
