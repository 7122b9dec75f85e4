package helve_test

import (
	"context"
	"encoding/json"
	"testing"

	"helve/builtin"
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
