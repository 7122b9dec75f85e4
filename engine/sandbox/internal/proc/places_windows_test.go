package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Git for Windows brings the bash that commands run in. That of WSL, which stands first in every PATH, has other paths.
func TestTheBashIsThatOfGit(t *testing.T) {
	base := t.TempDir()
	put := func(parts ...string) string {
		file := filepath.Join(append([]string{base}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	wsl := put("Windows", "System32", "bash.exe")
	git := put("Program Files", "Git", "bin", "bash.exe")
	own := put("tools", "bash.exe")
	windows, files := filepath.Join(base, "Windows"), filepath.Join(base, "Program Files")
	for _, c := range []struct {
		env  []string
		want string // "": none
	}{
		{[]string{"Path=" + filepath.Dir(wsl), "SystemRoot=" + windows, "ProgramFiles=" + files}, git},
		{[]string{"PATH=" + filepath.Dir(wsl) + ";" + filepath.Dir(own), "SYSTEMROOT=" + windows, "PROGRAMFILES=" + files}, own},
		{[]string{"PATH=" + filepath.Dir(wsl), "SYSTEMROOT=" + windows}, ""},
		{[]string{`PATH=.;tools`, "SYSTEMROOT=" + windows}, ""},
	} {
		got, err := LookPath("bash", c.env)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q, %v, want %q", c.env, got, err, c.want)
		}
		passed := PassedOver("bash", c.env)
		if hasWSL := strings.Contains(c.env[0], filepath.Dir(wsl)); (passed == wsl) != hasWSL {
			t.Errorf("%q: passed over %q, and %q is there: %v", c.env, passed, wsl, hasWSL)
		}
	}
}
