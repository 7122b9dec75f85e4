package app

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/cmd/internal/serve"
)

func TestEachTokenOfAFileIsAPrincipal(t *testing.T) {
	v := newVictim(t).put("a.txt", "text\n")
	file := filepath.Join(v.home, "tokens")
	line := func(name, token string) string {
		return fmt.Sprintf("%s sha256:%x\n", name, sha256.Sum256([]byte(token)))
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# who may come in\n" + line("ann", "ann's own token") + "\n" + line("bob", "bob's own token"))
	r := v.running(t, "--tokens", file)
	if r.token != "" {
		t.Errorf("a token was made: %s", r.token)
	}
	ann := stateless{t: t, url: r.url, token: "ann's own token", name: "twin", conversation: "same"}
	bob, eve := ann, ann
	bob.token, eve.token = "bob's own token", "another token"
	const read, edit = `{"file_path":"a.txt"}`, `{"file_path":"a.txt","contents":"x"}`
	if got := eve.call("read", read, ""); !strings.Contains(got, "401") {
		t.Errorf("a stranger: %s", got)
	}
	if got := ann.call("write", edit, "always"); strings.Contains(got, "needs approval") {
		t.Errorf("ann: %s", got)
	}
	ann.call("read", read, "")
	if got := ann.call("write", edit, "always"); !strings.Contains(got, "Successfully") {
		t.Errorf("ann: %s", got)
	}
	bob.call("read", read, "")
	if got := bob.call("write", edit, ""); !strings.Contains(got, `"requestState"`) {
		t.Errorf("bob has ann's approval: %s", got)
	}
	_, records, _ := v.run("audit", "--json")
	if !strings.Contains(records, `"principal":"ann"`) || !strings.Contains(records, `"principal":"bob"`) {
		t.Errorf("%s", records)
	}

	// Who is taken out no longer comes in; a file that breaks changes nothing.
	write(line("ann", "ann's own token"))
	waitFor(t, "bob is out", func() bool { return strings.Contains(bob.call("read", read, ""), "401") })
	write("ann sha256:short\n")
	time.Sleep(serve.PrincipalsEvery + 100*time.Millisecond)
	if got := ann.call("read", read, ""); strings.Contains(got, "401") {
		t.Errorf("ann is out: %s", got)
	}
}
