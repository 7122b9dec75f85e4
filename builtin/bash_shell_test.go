package builtin_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/tool"
)

// standIn puts a program in PowerShell's place, which prints what it is given and ends with the status 7 if that names
// a file that is not there. No PowerShell is to be had on every machine that tests this.
func standIn(t *testing.T, name string) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a script is no program on Windows; scripts/try-windows has a stand-in of its own")
	}
	dir = t.TempDir()
	script := "#!/bin/sh\nfor a; do echo \"<$a>\"; done\ncase $* in *missing*) exit 7;; esac\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// with opens a workspace whose machine has only these folders of programs.
func withPrograms(t *testing.T, dirs ...string) (*builtin.Toolbox, *tool.Kit) {
	t.Helper()
	home := t.TempDir()
	w, err := builtin.Open(builtin.Options{
		Dirs:    []string{t.TempDir()},
		Environ: []string{"HOME=" + home, "PATH=" + strings.Join(dirs, string(os.PathListSeparator))},
		Sandbox: builtin.Sandbox{Level: sandbox.Off},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	var reg tool.Registry
	if err := reg.Add(builtin.All(w)...); err != nil {
		t.Fatal(err)
	}
	return w, reg.Kit(tool.KitOptions{Policy: allowAll{}})
}

func TestPowerShellIsTakenWhereThereIsNoBash(t *testing.T) {
	bash, newer, older := t.TempDir(), standIn(t, "pwsh"), standIn(t, "powershell")
	if err := os.WriteFile(filepath.Join(bash, "bash"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dirs []string
		want builtin.Shell
	}{
		{[]string{older, newer, bash}, builtin.Shell{Name: "bash", Path: filepath.Join(bash, "bash")}},
		{[]string{older, newer}, builtin.Shell{Name: "powershell", Path: filepath.Join(newer, "pwsh")}},
		{[]string{older}, builtin.Shell{Name: "powershell", Path: filepath.Join(older, "powershell")}},
		{[]string{"."}, builtin.Shell{Name: "bash"}},
	} {
		if got := builtin.FindShell([]string{"PATH=" + strings.Join(c.dirs, ":")}); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.dirs, got, c.want)
		}
	}
}

// The model must know which language it writes: description, schema and the words for it all say so.
func TestTheToolSaysWhichShellItIs(t *testing.T) {
	w, _ := withPrograms(t, standIn(t, "pwsh"))
	s := builtin.Bash(w).Spec()
	if s.Name != "bash" || !strings.Contains(s.Doc.Short, "PowerShell") || s.Title != "PowerShell Command" {
		t.Errorf("%s %q %q", s.Name, s.Title, s.Doc.Short)
	}
	schema, err := json.Marshal(s.Input)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(schema), "The PowerShell command line") {
		t.Errorf("the schema does not name the shell: %s", schema)
	}
	bashed, _ := withPrograms(t, t.TempDir())
	if bash := builtin.Bash(bashed).Spec(); strings.Contains(bash.Doc.Short, "PowerShell") || bash.Title != "Shell Command" {
		t.Errorf("bash is told of as %q %q", bash.Title, bash.Doc.Short)
	}
}

// A command reaches PowerShell as one argument, word for word, and its exit status comes back.
func TestACommandReachesPowerShellAsItWasWritten(t *testing.T) {
	_, kit := withPrograms(t, standIn(t, "pwsh"), "/usr/bin", "/bin")
	if _, err := exec.LookPath("/bin/bash"); err == nil {
		_, kit = withPrograms(t, standIn(t, "pwsh"))
	}
	for _, command := range []string{
		"make 'all of it' \"$x\"",
		"Write-Output 'a'\nmake b",
		"make Büro `",
		"make --% \"\\\"",
	} {
		res := callShell(t, kit, command)
		text := res.Text()
		for _, want := range []string{"<-NoProfile>", "<-NonInteractive>", "<-Command>", ";" + command + "\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q: no %q in\n%s", command, want, text)
			}
		}
	}
	res := callShell(t, kit, "make missing")
	if res.Err == nil || !strings.Contains(res.Text(), "7") {
		t.Errorf("the exit status is lost: %s", res.Text())
	}
}

func callShell(t *testing.T, kit *tool.Kit, command string) *tool.Result {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	res, err := kit.Call(t.Context(), &tool.Call{Name: "bash", Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// What destroys the machine is refused in PowerShell's words, too; nothing is started for it.
func TestPowerShellIsJudgedByItsOwnWords(t *testing.T) {
	w, kit := withPrograms(t, standIn(t, "pwsh"))
	res := callShell(t, kit, "Remove-Item -Recurse -Force /")
	if res.Err == nil || res.Err.Code != tool.Permission || !strings.Contains(res.Text(), "dangerous") {
		t.Errorf("%s", res.Text())
	}
	for command, want := range map[string]tool.Decision{
		"Get-ChildItem | Select-Object -First 3": tool.Allow,
		"Get-ChildItem | Remove-Item":            tool.Ask,
		"ls -la":                                 tool.Ask, // bash would say yes
	} {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		job, err := builtin.Bash(w).Prepare(t.Context(), &tool.Call{Name: "bash", Args: args})
		if err != nil {
			t.Fatal(err)
		}
		if job.Line.Decision != want {
			t.Errorf("%s: %v, want %v: %s", command, job.Line.Decision, want, job.Line.Reason)
		}
	}
}

// Without any shell the call says what is missing, and what to do.
func TestWithoutAnyShellTheCallSaysSo(t *testing.T) {
	_, kit := withPrograms(t, t.TempDir())
	res := callShell(t, kit, "make all")
	if res.Err == nil || !strings.Contains(res.Text(), "bash") || !strings.Contains(res.Text(), "install") {
		t.Errorf("%s", res.Text())
	}
}
