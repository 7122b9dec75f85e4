package builtin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/internal/testing/corpus"
	"helve/tool"
)

// The attacks of the group file-input that are commands, each by its id: what they would hold up, fill or end stays as it is. A command
// that would end every process it sees ends one that stands for them.
func TestCommandAttacksOnTheAgentItself(t *testing.T) {
	needBash(t)
	h := open(t, builtin.Options{})
	if r := h.call("bash", args{"command": "true"}); !strings.Contains(string(r.Meta), `"level":"workspace-write"`) && !strings.Contains(string(r.Meta), `"level":"read-only"`) {
		t.Skipf("no sandbox on this machine: %s", r.Meta)
	}
	victim := exec.Command("sleep", "600")
	if err := victim.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { victim.Process.Kill(); victim.Wait() }()
	mark := fmt.Sprintf("1000.%d", os.Getpid()) // how long the left-behind ones sleep
	checks := map[string]struct {
		change func(command string) string
		good   func(r *tool.Result) bool
	}{
		"file-input-033": {nil, func(r *tool.Result) bool { return len(r.Text()) < 256<<10 && code(r) == tool.TimedOut }},
		"file-input-035": {nil, func(r *tool.Result) bool { return r.Text() == "(no output)" }},
		"file-input-038": {func(s string) string { return strings.ReplaceAll(s, "1000", mark) },
			func(r *tool.Result) bool { return code(r) == tool.TimedOut && !sleeps(mark) }},
		"file-input-042": {func(s string) string {
			return strings.Replace(s, "kill -9 -1", fmt.Sprint("kill -9 ", victim.Process.Pid), 1)
		},
			func(r *tool.Result) bool { return alive(victim.Process.Pid) }},
		"file-input-043": {nil, func(r *tool.Result) bool { return strings.Contains(r.Text(), "/dev/tty") }}, // "No such device or address"
	}
	for _, c := range corpus.Attacks("file-input") {
		if c.Input.Tool != "bash" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			command, _ := c.Command()
			check, ok := checks[c.ID]
			if !ok {
				t.Fatal("no case for it")
			}
			if check.change != nil {
				command = check.change(command)
			}
			start := time.Now()
			limit := 60_000
			if c.ID == "file-input-033" || c.ID == "file-input-038" { // they never end
				limit = 1000
			}
			r := h.call("bash", args{"command": command, "timeout": limit})
			if took := time.Since(start); !check.good(r) || took > 2*time.Minute {
				t.Errorf("%s: %s: %s %.300q after %v", c.Why, command, code(r), r.Text(), took)
			}
		})
	}
}

// sleeps tells whether a process lives that was started as sleep with this argument.
func sleeps(arg string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, l := range lines {
		if b, err := os.ReadFile(l); err == nil && strings.Contains(string(b), "sleep\x00"+arg) {
			return true
		}
	}
	return false
}

// alive tells whether a child of ours runs, rather than waiting to be reaped.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}
