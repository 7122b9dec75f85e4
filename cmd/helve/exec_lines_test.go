package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"helve/internal/rewritten"
	"helve/internal/testing/scripttest"
)

// execLines are command lines as agents and people write them, with what shells are known to be particular about.
var execLines = []string{
	// what ends how
	"true", "false", "exit 42", "(exit 3); echo $?", "! true", "true && false || echo fell", "set -e; false; echo no",
	"set -euo pipefail; x=$(false); echo no", "nosuchprogram", "./plain.txt", "kill -TERM $$", "bash -c 'kill -INT $$'; echo $?",
	"sh -c 'exit 300'", "if", "echo 'open", "echo $((1/0))", "cat nothere", "return 3",
	// quoting
	`echo 'single $HOME' "double ${x:-none}" back\ slash \' \"`, `printf '%s|' "a b" 'c'"d" e\ f; echo`, `echo $'tab\there' $'\x41'`,
	"echo \"nested $(echo \"in 'side' $(echo deep))\")\"", `x='a  b'; echo $x "$x" '$x'`, `echo "it's" 'say "hi"'`, "echo é 日本 🙂 'ü'",
	`echo -e 'a\nb'`, `echo \\ \\\\ '\\'`, "echo a#b # comment",
	// here-documents and input
	"cat <<EOF\nx $((1+1)) `echo y`\nEOF", "cat <<'EOF'\n$x `y` \\\nEOF", "cat <<-EOF\n\tindented\n\tEOF", "cat <<<\"here $((2*3))\"",
	"read a b; echo \"$b-$a\"", "while read -r l; do echo \"[$l]\"; done", "cat; cat", "head -c 3; echo; cat", "cat - plain.txt <&0",
	// pipes, subshells, groups
	"printf '%s\\n' c a b | sort | head -2", "false | true; echo ${PIPESTATUS[*]}", "set -o pipefail; false | true", "(cd dir; pwd | sed 's,.*/,,'); echo $OLDPWD",
	"{ echo a; echo b >&2; } 2>&1 | cat", "diff <(echo a) <(echo b)", "echo a | tee t1 t2 >/dev/null; cat t1 t2", "yes | head -3",
	// files and redirections
	"echo one >f; echo two >>f; cat <f >g; cat g", "echo err >&2; echo out", "exec >log; echo logged", "ls nothere 2>err.txt; wc -l <err.txt",
	"mkdir -p a/b/c && touch a/b/c/d && find a | sort", "rm -r dir", "mv plain.txt moved.txt; ln -s moved.txt link; chmod 755 moved.txt",
	"echo x >/dev/stderr; echo y >/dev/stdout; echo z >/dev/null", "set -o noclobber; echo x >plain.txt", "echo x >'a b'; cat a\\ b; rm 'a b'",
	"printf 'a\\0b\\377' >bin; cat bin", "umask 077; touch private; stat -c %a private", ": >plain.txt; test -s plain.txt || echo empty",
	// expansions
	"echo *.txt", "echo d?r [d]ir/*", "echo {a,b}{1..3}", "shopt -s nullglob; echo x*y end", "x=abcdef; echo ${x:1:3} ${x/b/B} ${#x} ${x^^} ${y:-no}",
	"a=(1 2 3); echo ${a[1]} ${#a[@]}", "declare -A m=([k]=v); echo ${m[k]}", "echo $((2**10 % 7)) $((0x1f)) $((i++)) $i", "for i in 1 2 3; do printf $i; done; echo",
	"case abc in a*) echo yes;; *) echo no;; esac", "f() { local x=$1; echo \"f:$x:$#\"; return 4; }; f 'p q' r; echo $?", "echo ~+ | sed 's,.*/,,'", "set -- x 'y z'; echo $# \"$2\" $0",
	// signals, traps, jobs
	"trap 'echo bye' EXIT; exit 5", "trap 'echo term' TERM; kill -TERM $$; echo on", "sleep 0.1 & wait; echo done", "sleep 5 & kill $!; wait $!; echo $?",
	"trap '' INT; kill -INT $$; echo still", "(sleep 0.1; echo late) & wait $!; echo $?", "timeout 0.1 sleep 5; echo $?", "trap 'echo $?' ERR; false; true",
	// folders
	"cd dir && pwd | sed 's,.*/,,'", "cd dir; false", "cd nothere; echo $?", "pushd dir >/dev/null; touch in; popd >/dev/null; touch out", "cd dir; exit 0", "eval 'cd dir'", "cd /; cd - >/dev/null", "mkdir -p new/er && cd new/er",
	// much
	"seq 1 20000", "head -c 3000000 /dev/zero | tr '\\0' x", "seq 1 5000 >&2; exit 9", "printf '%0.s-' {1..5000}", "env -i /bin/sh -c 'echo $0 $x'", "awk 'BEGIN{for(i=0;i<1000;i++)print i > \"many\"}'; wc -l <many",
}

// A lineEnd is how a line ended.
type lineEnd struct {
	exit        int
	out, err    string
	tree, where string
}

// TestALineRunsAsInBash: each line does the same by helve exec as by bash, and leaves the same.
func TestALineRunsAsInBash(t *testing.T) {
	t.Parallel()
	skipWithoutBash(t)
	env := execEnviron(t)
	for _, line := range execLines {
		want := endOf(t, env, "bash", "--noprofile", "--norc", "-c", line)
		got := endOf(t, env, "helve", "exec", "--yes", "-c", line)
		compareEnds(t, line, got, want)
	}
	t.Logf("%d lines", len(execLines))
}

// TestARewrittenLineRunsAsWithoutHooks: in the shell of a client that looks where it ended.
func TestARewrittenLineRunsAsWithoutHooks(t *testing.T) {
	t.Parallel()
	skipWithoutBash(t)
	env := execEnviron(t)
	for i, line := range execLines {
		if i%*share != 0 {
			continue
		}
		text := strings.Replace(rewritten.Line("claude-code", "helve", line), "exec --client", "exec --yes --client", 1)
		want := endOf(t, env, "bash", "--noprofile", "--norc", "-c", asClaude(line))
		got := endOf(t, env, "bash", "--noprofile", "--norc", "-c", asClaude(text))
		compareEnds(t, line, got, want)
	}
}

// asClaude is a line in the words that Claude Code 2.1 puts around it.
func asClaude(line string) string {
	return "eval " + rewritten.Quote(line) + " < /dev/null && pwd -P >| \"$WHERE\""
}

func skipWithoutBash(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("lines are confined by Linux's means")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
}

// execEnviron is the same small environment for both.
func execEnviron(t *testing.T) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb"}
	scripttest.Home(t.TempDir(), func(k, v string) { env = append(env, k+"="+v) }, t.Cleanup)
	return env
}

// endOf runs a command in a new folder with a few files, and a little input.
func endOf(t *testing.T, env []string, argv ...string) lineEnd {
	t.Helper()
	above := t.TempDir()
	dir := filepath.Join(above, "ws")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "dir"), 0o755),
		os.WriteFile(filepath.Join(dir, "plain.txt"), []byte("plain\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "dir", "inner.txt"), []byte("inner\n"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(slices.Clip(env), "WHERE="+filepath.Join(above, "where"))
	cmd.Stdin = strings.NewReader("one two\nthree\n")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatalf("%q: %v", argv, err)
	}
	where, err := os.ReadFile(filepath.Join(above, "where"))
	if err != nil && shellStatus(cmd) == 0 { // the client stays where it was
		where = []byte(dir + "\n")
	}
	plain := strings.NewReplacer(above, "ABOVE")
	return lineEnd{
		exit:  shellStatus(cmd),
		out:   plain.Replace(out.String()),
		err:   plain.Replace(errs.String()),
		tree:  plain.Replace(treeOf(t, dir)),
		where: plain.Replace(string(where)),
	}
}

// shellStatus is the exit status as a shell tells it.
func shellStatus(cmd *exec.Cmd) int {
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	return signalStatus(cmd.ProcessState)
}

// treeOf lists a folder with types, modes and contents.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%s %v", rel, info.Mode())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", text)
		}
		if to, err := os.Readlink(path); err == nil {
			b.WriteString(" -> " + to)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func compareEnds(t *testing.T, line string, got, want lineEnd) {
	t.Helper()
	if got == want {
		return
	}
	t.Errorf("%s\n exit %d, want %d\n out %.300q\nwant %.300q\n err %.300q\nwant %.300q\n tree %.600s\nwant %.600s\n where %q, want %q",
		line, got.exit, want.exit, got.out, want.out, got.err, want.err, got.tree, want.tree, got.where, want.where)
}
