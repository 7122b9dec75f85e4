package browser

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// outside has a client that asks nobody itself be refused, and the person at the page answer in its place.
func (p *tab) outside(c *client) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, ".env"), []byte("KEY=1\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	hook := func(line string) <-chan string {
		event, err := json.Marshal(map[string]any{
			"session_id":      "019a-of-a-client",
			"cwd":             c.dir,
			"hook_event_name": "PreToolUse",
			"tool_name":       "Bash",
			"tool_input":      map[string]string{"command": line},
			"tool_use_id":     "call_1",
		})
		if err != nil {
			p.t.Fatal(err)
		}
		out := make(chan string, 1)
		go func() {
			cmd := exec.Command(c.exe, "hook", "codex", "PreToolUse")
			cmd.Dir, cmd.Stdin = c.dir, strings.NewReader(string(event))
			cmd.Env = []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH")}
			said, err := cmd.Output()
			if err != nil {
				said = append(said, err.Error()...)
			}
			out <- string(said)
		}()
		return out
	}
	ask := func(line, answer string) string {
		p.t.Helper()
		first := hook(line)
		p.view("waiting", line)
		p.sees("asks nobody itself")
		p.axe("a question of a client")
		if n := eval[int](p, `document.querySelectorAll('.question .words').length`); n != 0 {
			p.t.Error("words for a model that cannot hear them")
		}
		p.click(answer)
		p.sees("Nothing waits for an answer")
		if said := <-first; !strings.Contains(said, "Call it again") {
			return said // it waited for the answer
		}
		return <-hook(line)
	}
	if said := ask("cat .env", "Once"); strings.Contains(said, "deny") {
		p.t.Errorf("after a yes: %s", said)
	}
	if said := ask("cat ./.env", "No"); !strings.Contains(said, "a person said no to it") {
		p.t.Errorf("after a no: %s", said)
	}
}
