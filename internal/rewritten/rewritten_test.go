package rewritten_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/rewritten"
)

// lines are command lines as agents write them, and worse.
var lines = []string{
	"make test",
	"echo 'it''s' \"$HOME\" `date` $(date) \\' \\\\",
	"cat <<'EOF'\na 'b' $c\nEOF\n",
	"cd sub && make",
	"cd sub; cd 'a b'",
	"(cd sub; make)",
	"x=$(cd sub; pwd)",
	"printf '%s\\n' é 日本 🙂",
	"true # a comment",
	"'",
	"\"",
	"\n",
	"",
	" ",
	"helve exec -c 'inner'",
	"a\\",
	`} 8>&1 && builtin cd -- "$d"`,
}

func TestALineIsFoundAgainInItsForm(t *testing.T) {
	for _, client := range []string{"claude-code", "codex", "it's odd"} {
		for _, exe := range []string{"helve", "/opt/my tools/helve", `C:\bin\helve.exe`} {
			for _, background := range []bool{false, true} {
				for _, line := range lines {
					c := rewritten.Command{
						Line:       line,
						Client:     client,
						Exe:        exe,
						Background: background,
						Follow:     rewritten.Follows(client),
					}
					got, ok := rewritten.Inner(c.Text())
					if !ok || got != line {
						t.Errorf("%q as %s: found %q, %v", line, c.Text(), got, ok)
					}
				}
			}
		}
	}
}

func TestTheFormIsStable(t *testing.T) {
	for _, c := range []struct{ client, line, want string }{
		{"codex", "cd a && ls", `helve exec --client codex -c 'cd a && ls'`},
		{"claude-code", "ls -l", `helve exec --client claude-code -c 'ls -l'`},
		{"claude-code", "cd 'a'", `{ d=$(helve exec --client claude-code --cwd-fd 9 -c 'cd '\''a'\''' 9>&1 >&8); } 8>&1 && builtin cd -- "$d"`},
		{"claude-code", "a\x00b", ""},
		{"claude-code", "a\xff", ""},
		{"claude-code", strings.Repeat("x", 1<<20), ""},
	} {
		if got := rewritten.Line(c.client, "helve", c.line); got != c.want {
			t.Errorf("%.40q: %s\nwant %s", c.line, got, c.want)
		}
	}
}

func TestWhatSomebodyTypedIsTheLineItRuns(t *testing.T) {
	for text, want := range map[string]string{
		`helve exec -c 'rm -rf x'`:                   "rm -rf x",
		`helve exec -c "rm \"x\" \\ \a"`:             `rm "x" \ \a`,
		`helve exec -- ls -l 'a b' ""`:               `ls -l 'a b' ''`,
		`helve exec ls '*'`:                          `ls '*'`,
		`/usr/bin/helve exec --json -- true`:         "true",
		`helve exec --client=x --background -- true`: "true",
		"'hel've  exec \\\n -c true # so":            "true",
	} {
		if got, ok := rewritten.Inner(text); !ok || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "helve", "helve exec", "helve exec --", "helve exec -c", "helve exec -c a b", "helve call bash ls",
		"helve exec -c $x", `helve exec -c "$x"`, "helve exec -- ls *", "helve exec -- ls ~", "helve exec -- a{b,c}",
		"helve exec -c true; true", "helve exec -c true | cat", "helve exec -c true > f", "helve exec -c true &",
		"! helve exec -c true", "X=1 helve exec -c true", "(helve exec -c true)", "helve exec -C / -c true",
		"helve exec --mode auto -c true", "helve -C / exec -c true", "nothelve exec -c true", "helve exec -c 'true",
		"{ d=$(helve exec -c true", `{ d=$(helve exec -c true 9>&1 >&8); } 8>&1 && builtin cd -- "$d"; true`,
		"helve exec -c $'true'", "helve exec -c $(true)", "helve exec -c 'a\r\nb'", "helve exec -c " + strings.Repeat("(", 1<<20),
	} {
		if got, ok := rewritten.Inner(text); ok {
			t.Errorf("%.60q is taken for %q", text, got)
		}
	}
}

func TestALineThatMayLeaveItsFolderIsKnown(t *testing.T) {
	for _, line := range []string{
		"cd a", "cd", "true && cd a", "if true; then cd a; fi", "f() { cd a; }; f", "pushd a >/dev/null", "popd",
		"eval 'cd a'", ". ./env", "source env", `"$x" a`, "builtin cd a", "command cd a", "{ cd a; }", "! cd a", `\cd a`,
		"trap 'cd a' EXIT", "x=$(ls) ; cd $x",
	} {
		if !rewritten.Moves(line) {
			t.Errorf("%s: stays", line)
		}
	}
	for _, line := range []string{"ls", "(cd a)", "x=$(cd a)", "cat <(cd a)", "echo cd a", "git -C a log", "cd '", "", "x=1"} {
		if rewritten.Moves(line) {
			t.Errorf("%s: moves", line)
		}
	}
}

// TestTheShellAroundALineFollowsIt: a program in the place of helve does as helve exec does with the descriptor.
func TestTheShellAroundALineFollowsIt(t *testing.T) {
	dir := t.TempDir()
	const stand = "#!/bin/sh\nfor last; do :; done\nsh -c \"$last\"; s=$?\nprintf '%s' \"$TO\" >&9\nexit $s\n"
	helve := filepath.Join(dir, "my tools", "helve")
	if err := os.MkdirAll(filepath.Dir(helve), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(helve, []byte(stand), 0o700); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "to here")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"bash", "zsh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed: not tried", shell)
			continue
		}
		for _, c := range []struct{ line, want string }{
			{"cd x; cat; echo err >&2", "in\n" + to + "\n"},
			{"cd x; exit 3", "status 3\n"},
		} {
			text := rewritten.Line("claude-code", helve, c.line)
			cmd := exec.Command(path, "-c", "eval "+rewritten.Join([]string{text})+` && pwd -P || echo status $?`)
			cmd.Env = append(os.Environ(), "TO="+to)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader("in\n")
			out, err := cmd.Output()
			real, _ := filepath.EvalSymlinks(to)
			if want := strings.ReplaceAll(c.want, to, real); string(out) != want || err != nil {
				t.Errorf("%s: %s: %q, %v, want %q", shell, text, out, err, want)
			}
		}
	}
}

func FuzzInner(f *testing.F) {
	for _, l := range lines {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line string) {
		text := rewritten.Line("claude-code", "helve", line)
		if text == "" || len(line) > 20_000 || strings.ContainsRune(line, '\r') {
			return
		}
		if got, ok := rewritten.Inner(text); !ok || got != line {
			t.Errorf("%q: %q, %v", line, got, ok)
		}
	})
}
