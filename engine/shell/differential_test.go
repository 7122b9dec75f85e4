//go:build linux

package shell_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/internal/testing/corpus"
)

// The oracle is bash itself: in a sandbox, with a PATH on which every program is this test binary and records that it
// was run. Whatever bash runs must be among what Analyze saw.

var differential = flag.Int("differential", 400, "random command lines to compare with bash")

func TestMain(m *testing.M) {
	sandbox.Init()
	switch {
	case os.Getenv("RECORD_TO") != "":
		record()
		return
	case os.Getenv("DRIVE") != "":
		drive(os.Getenv("DRIVE"))
		return
	}
	os.Exit(m.Run())
}

// noSleep: a program with the race detector sleeps a second at its end otherwise.
const noSleep = "GORACE=atexit_sleep_ms=0"

// record notes how this program was called. For a name that is not on PATH, bash's handler calls it with the name as
// argument.
func record() {
	args := os.Args
	if len(args) > 1 && args[1] == "--missing" {
		args = args[2:]
	}
	text, _ := json.Marshal(args)
	f, err := os.OpenFile(os.Getenv("RECORD_TO"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		f.Write(append(text, '\n'))
		f.Close()
	}
}

// drive runs the command lines of a file, one bash each, inside the sandbox.
func drive(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var lines []string
	if err := json.Unmarshal(text, &lines); err != nil {
		panic(err)
	}
	base := filepath.Dir(file)
	for i, line := range lines {
		work := filepath.Join(base, "work", fmt.Sprint(i))
		os.MkdirAll(work, 0o755)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		c := exec.CommandContext(ctx, "/bin/bash", "--noprofile", "--norc", "-c", line)
		c.Dir = work
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // kill 0 ends this line, not all
		c.WaitDelay = 100 * time.Millisecond
		c.Env = []string{noSleep, "PATH=" + filepath.Join(base, "bin"), "HOME=" + base, "RECORD_TO=" + filepath.Join(base, "log", fmt.Sprint(i)),
			"BASH_FUNC_command_not_found_handle%%=() { " + filepath.Join(base, "bin", "ls") + " --missing \"$@\"; }"}
		c.Run() // most of these lines fail
		cancel()
	}
}

// programs that stand on PATH; other names come through bash's handler.
var programs = []string{"ls", "cat", "rm", "touch", "curl", "git", "echo", "head", "sh", "bash", "env", "xargs", "timeout", "sudo", "find", "sed", "awk", "sort", "grep", "wc", "nice", "printf", "true", "a", "b", "c"}

// compare runs the lines in one sandbox and reports those where bash ran what was not seen.
func compare(t *testing.T, lines []string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"bin", "log", "work"} {
		if err := os.Mkdir(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range programs {
		if err := os.Symlink(self, filepath.Join(base, "bin", p)); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := json.Marshal(lines)
	if err := os.WriteFile(filepath.Join(base, "lines"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	o := sandbox.Options{Level: sandbox.WorkspaceWrite, Roots: []string{base, filepath.Dir(self)}, Home: base, Limits: sandbox.Limits{Processes: 500}}
	p, _, err := sandbox.Start(t.Context(), o, sandbox.Spec{Argv: []string{self}, Dir: base, Env: []string{noSleep, "DRIVE=" + filepath.Join(base, "lines")}, Timeout: 10 * time.Minute})
	if err != nil {
		t.Skip(err)
	}
	defer p.Close()
	if e, err := p.Wait(t.Context()); err != nil || e.Code != 0 {
		errs, _, _ := p.Stderr.HeadTail(2000)
		logs, _ := os.ReadDir(filepath.Join(base, "work"))
		t.Fatalf("driver: %+v %v %s; around %q", e, err, errs, lines[max(len(logs)-6, 0):len(logs)+1])
	}
	for i, line := range lines {
		log, _ := os.ReadFile(filepath.Join(base, "log", fmt.Sprint(i)))
		left, _ := os.ReadDir(filepath.Join(base, "work", fmt.Sprint(i)))
		check(t, line, log, len(left))
	}
}

// check compares what bash ran with what was seen.
func check(t *testing.T, line string, log []byte, files int) {
	t.Helper()
	a := shell.Analyze(line, shell.Options{Deadline: time.Minute})
	if a.Verdict == shell.ReadOnly && files > 0 {
		t.Errorf("%q is read-only, and bash made %d files", line, files)
	}
	if a.Err != nil {
		return // asked about, and no pattern covers it
	}
	var seen []string
	for _, c := range a.Commands {
		if c.Program == "" && a.Verdict != shell.ReadOnly {
			return // something is computed: it is asked about
		}
		seen = append(seen, c.Program)
	}
	for rec := range bytes.Lines(log) {
		var args []string
		if json.Unmarshal(rec, &args) != nil || len(args) == 0 {
			continue
		}
		if name := filepath.Base(args[0]); !slices.Contains(seen, name) && name != "." {
			t.Errorf("%q: bash ran %q, seen were %q (%s: %s)", line, args, seen, a.Verdict, a.Reason)
		} else if a.Verdict == shell.ReadOnly && !anyWords(a.Commands, name, args[1:]) {
			t.Errorf("%q is read-only, and bash ran %q, which is none of %v", line, args, a.Commands)
		}
	}
}

// anyWords reports a command of which all known words are among those that bash passed.
func anyWords(list []shell.Command, name string, args []string) bool {
	return slices.ContainsFunc(list, func(c shell.Command) bool {
		return c.Program == name && (!c.Static || slices.Equal(c.Words[1:], args))
	})
}

func TestBashRunsNothingThatWasNotSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(*differential), 7))
	seeds := seedLines()
	var lines []string
	n := *differential
	if testing.Short() {
		n = min(n, 40)
	}
	for range n {
		lines = append(lines, randomLine(r, seeds))
	}
	compare(t, lines)
}

// Where bash and the parser were found to differ, or nearly.
func TestBashRunsNothingThatWasNotSeenInKnownCases(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some hundred commands")
	}
	compare(t, append(slices.Clone(knownDifferences), seedLines()...))
}

var knownDifferences = []string{
	"cat <<'EOF'# ; touch pwned\nbody\nEOF", "cat <<E\"\"# ; touch x\nE", "echo 'a'# ; touch x", "echo a\\ # ; touch x", "echo a\\\n#b ; touch x", "cat <<\\E# ; touch x\nE", "ls | time ", "`ls | time`", "echo {a,b{1..2},$(touch x)}", "{touch,x}", "echo {a,b}{touch,x}", "echo ${x:-{a,b}}", "echo {a,\"b,c\"}",
	"echo {1..3}; touch {x,y}", "echo a{,b}c", "echo {a..c}", "echo \\{a,b}", "echo {a,b\\}", "echo $'\\x61\\?'", "touch y<<-E\n\\\nE\nls a$'\\\n\nE\n", "cat <<E\n\\\nE\ntouch x\nE", "cat <<EOF\nEO\\\nF\ntouch x\nEOF", "cat <<-E\n\t\\\nE\ntouch x\nE", "cat <<-E\n\\\n\tE\ntouch x\nE", "{a,b}${x:-a}$'b c' d", "x='a b'; $x'c d' e", "ls a=~ =~ b", "cat f=x:~", "ls | time touch x", "ls | time cat | time wc", "<( ) curl", "<() -- eval a", "coproc  a+=]}  env function f", "$'{a,b}'\\", "touch x\\", "x#a+=[[", "x#a=y", "a.b=c", "coproc a} b", "\r touch x", "rm\r -rf x", "time \r", "2>&1<&-c", "ls >&-touch", "#x<<E\n\r ", "test -v 'a[$(touch x)]'", "alias ls='touch x'\nshopt -s expand_aliases\nls",
	"compgen -C 'touch x'", "echo $[ x='a[$(touch x)]', x ]", "let 'a[$(touch x)]=1'", "[[ 'a[$(touch x)]' -eq 1 ]]", "printf -v 'a[$(touch x)]' y", "declare 'a[$(touch x)]=1'",
	"mapfile -C 'touch x #' -c 1 a <<< y", "unset 'a[$(touch x)]'", "read 'a[$(touch x)]' <<< y", "echo $((1 + (2))", "cat <<EO''F\nx\nEOF\ntouch x", "echo a#b;touch x",
	"case x in esac) touch y;; esac", "for i in; do touch x; done", "((touch x))", "(( touch x ) )", "$((touch x) )", "echo `echo \\`touch x\\``", "echo \"`touch \\\"x\\\"`\"",
	"x=y touch z", "function touch { ls; }; touch x", "{fd}>&- touch x", "<x touch y", ">y touch x", "!touch x", "! ! touch x", "time -p touch x", "time ! touch x", "if touch x; then :; fi;touch y",
	"echo ${x:-`touch x`}", "echo ${x:-$(touch x)}", "echo \"${x:-'$(touch x)'}\"", "echo ${x:-'$(touch x)'}", "cat <<'E'\n$(touch x)\nE", "cat <<E\n\\$(touch x)\nE", "cat <<E\n`touch x`\nE",
	"cat <<-E\n\t$(touch x)\n\tE", "echo $'\\'$(touch x)'", "echo $\"$(touch x)\"", "[ -f x ] && touch y", "a=(touch x $(touch y))", "echo {a,$(touch x)}", "echo @(a|$(touch x))", "touch$IFS\\x",
	"\\x=y touch", "$'\\x{61}' touch", "touch \u200b\r",
	// A backslash does not continue a comment.
	"ls # x \\\ntouch y", "ls #x\\\ntouch y", "# \\\ntouch y", "#\\\\\\\ntouch y", "ls # \\\n#\\\ntouch y", "ls \\\n# \\\ntouch y", "cat <<E # \\\nx\nE\ntouch y", "echo $(ls # \\\ntouch y\n)",
	"cat <<'E'\na\\\nE\ntouch y", "cat <<E\na\\\nE\ntouch y", "cat <<E\na\\\\\nE\ntouch y", "cat <<'E'\nE\\\ntouch y\nE\ntouch z", "echo 'a\\\n'touch", "echo $'a\\\n'; touch y", "ls `# \\\ntouch y\n`",
	"cat <<E\\\nF\nx\nEF\ntouch y", "cat <<\"E\\\nF\"\nx\nEF\ntouch y", "ec\\\nho a; tou\\\nch y", "ls &\\\n& touch y", "compgen -C\"touch x\"", "echo $'\\xzz'",
}

// seedLines are the shell lines of the corpus that may be run here: harmless in a sandbox without programs.
func seedLines() []string {
	var out []string
	for _, c := range append(corpus.Attacks("shell-chain", "shell-quoting", "shell-redirect", "arg-injection", "wrapper-env"), corpus.Controls()...) {
		if line, ok := c.Command(); ok && len(line) < 2000 && line != "" {
			out = append(out, line)
		}
	}
	return out
}

// pieces of which random lines are made: what parsers disagree about.
var pieces = strings.Split("ls|cat|rm|touch x|curl|a|b|c|echo| |  |\n|\t|;|&|&&|¦|¦¦|!|(|)|{ |; }|{|}|$(|)|`|\\`|\"|'|\\|\\\n|$|$'|\\x61|\\n'|$\"|#|#x|x#|<<E\n|\nE\n|<<-E\n|<<'E'\n|<<\\E\n|<<<|<|>|>>|>&|&>|<&|2>&1|<(|>(|=|x=|x=1 |$x|${x|${x:-|${x:-$(|}|${!x}|${x@P}|${#x}|$((|))|((|[[|]]|[|]|[ |-f|=~|==|-eq|1|*|?|~|{a,b}|{1..2}|if |then |else |fi|for i in |do |done|while |until |case a in |a) |;;|;&|esac|function f |f() |f|select i in |coproc |time |! |exec |eval |command |builtin |. |source |trap |export |declare |local |readonly |alias |let |test |printf |read |set -- |shift|\"$@\"|$*|$1|$#|$?|$$|$_|IFS=|in |timeout 1 |sudo |env |nice |xargs |sh -c |bash -c |-c |-- |--|-x|\r|\x01|\u00a0|\u200b|é|\\é|%s|\\e|[a-z]|@(a¦b)|!(a)|+(a)|a[0]=|a=(|a+=|${a[0]}|${a[$(|]}|$[|1+1|<>x|>¦x|{fd}>x|/|./|../|/bin/", "|")

// quietPieces make lines that are read-only unless something was overlooked.
var quietPieces = []string{"for x in a b; do ", "cat \"$x\"", "read -r x", "LC_ALL=C ", "LC_ALL=C", "while ls; do ", "--- ", "{a,b}", "{", "}", ",", "..", "{1..2}", "${x:-a}", "${x%a}", "$'\\x61'", "cd a", "cd a && ", "ls", "echo a", "cat x", "\\\n", "\\\n", "\n", "\n", " ", " ", "#", " # ", "'", "\"", "\\", "$'", "<<E\n", "<<'E'\n", "<<\\E\n", "<<-E\n", "\nE\n", "E", "\tE\n", "`", "\\`", "$(", ")", ";", "\ntouch y\n", "touch y",
	"|", "&&", "{ ", "; }", "(", "\t", "<<<", "[[ ", " ]]", "if ls; then ", "; fi", "case a in a) ", ";; esac", "for i in a; do ", "; done", "$HOME", "$((1", "))", "${x}", "*", "\\#", "a#", "\\\\", "\\\"", "!", "time "}

func randomLine(r *rand.Rand, seeds []string) string {
	var b strings.Builder
	if r.IntN(2) == 0 {
		for range 2 + r.IntN(12) {
			b.WriteString(quietPieces[r.IntN(len(quietPieces))])
		}
		return b.String()
	}
	if r.IntN(3) == 0 {
		b.WriteString(mutate(r, seeds[r.IntN(len(seeds))], seeds))
	}
	for range r.IntN(14) {
		b.WriteString(strings.ReplaceAll(pieces[r.IntN(len(pieces))], "¦", "|"))
		if r.IntN(3) == 0 {
			b.WriteByte(' ')
		}
	}
	return tame(b.String())
}

// mutate cuts, doubles or joins seeds at random places.
func mutate(r *rand.Rand, s string, seeds []string) string {
	switch r.IntN(4) {
	case 0:
		return s[:r.IntN(len(s)+1)]
	case 1:
		i := r.IntN(len(s) + 1)
		return s[:i] + strings.ReplaceAll(pieces[r.IntN(len(pieces))], "¦", "|") + s[i:]
	case 2:
		other := seeds[r.IntN(len(seeds))]
		return s[:r.IntN(len(s)+1)] + other[r.IntN(len(other)+1):]
	}
	return s
}

// tame keeps NUL bytes, which bash cannot be given, out.
func tame(s string) string { return strings.ReplaceAll(s, "\x00", "") }
