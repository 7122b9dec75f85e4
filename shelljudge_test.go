package helve_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/internal/testing/corpus"
	"helve/policy"
	"helve/tool"
)

// A program that puts a kit together by itself has the shell's judgement too: nobody has to connect the two.
func TestAPolicyUnderstandsTheCommandsOfBash(t *testing.T) {
	home := t.TempDir()
	files, err := builtin.Open(builtin.Options{Dirs: []string{t.TempDir()}, Environ: []string{"HOME=" + home}})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	var reg tool.Registry
	if err := reg.Add(builtin.All(files)...); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line      string
		ask, auto tool.Decision // in modes ask and auto
	}{
		{"ls", tool.Allow, tool.Allow},
		{"git status && ls -la | head", tool.Allow, tool.Allow},
		{"make", tool.Ask, tool.Allow},
		{"ls; make", tool.Ask, tool.Allow},
		{"curl https://example.com", tool.Ask, tool.Allow},
		{"rm -rf /", tool.Deny, tool.Deny},
		{"ls; sudo rm -rf /*", tool.Deny, tool.Deny},
	} {
		for mode, want := range map[policy.Mode]tool.Decision{policy.AskFirst: c.ask, policy.Auto: c.auto} {
			if got := judged(t, &reg, mode, c.line); got != want {
				t.Errorf("%s in mode %v: %v, want %v", c.line, mode, got, want)
			}
		}
	}
}

// Of what only looks hardly anything is asked about; what changes, sends or runs what may do either always is, as the
// policy sees it. Nothing runs.
func TestLookingIsNotAskedAboutAndActingIs(t *testing.T) {
	r, err := sandbox.Reach(t.Context(), sandbox.Options{})
	if err != nil || !r.Confined {
		t.Skipf("reads are not confined here, and then words judge: %+v %v", r, err)
	}
	files, err := builtin.Open(builtin.Options{
		Dirs:    []string{t.TempDir()},
		Environ: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")},
		Sandbox: builtin.Sandbox{Level: sandbox.WorkspaceWrite},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	var reg tool.Registry
	if err := reg.Add(builtin.All(files)...); err != nil {
		t.Fatal(err)
	}
	looking := corpus.Looking()
	asked := 0
	for _, line := range looking {
		if judged(t, &reg, policy.AskFirst, line) != tool.Allow {
			asked++
			t.Logf("asked: %s", line)
		}
	}
	t.Logf("%d of %d lines that look are asked about", asked, len(looking))
	if asked*50 > len(looking) {
		t.Errorf("%d of %d lines that only look are asked about, want at most one in fifty", asked, len(looking))
	}
	for _, line := range corpus.Acting() {
		if judged(t, &reg, policy.AskFirst, line) == tool.Allow {
			t.Errorf("%s: runs unasked", line)
		}
	}
}

// judged is what becomes of a command line that is judged and not run: what bash itself refuses is denied.
func judged(t *testing.T, reg *tool.Registry, mode policy.Mode, line string) tool.Decision {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		t.Fatal(err)
	}
	j, err := reg.Kit(tool.KitOptions{Policy: mode}).Understand(context.Background(), &tool.Call{Name: "bash", Args: args})
	if err != nil {
		return tool.Deny
	}
	return mode.Judge(j).Decision
}
