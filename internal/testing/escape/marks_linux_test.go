package escape

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/change/check"
)

// share is for every day: all of the attacks, with every holder, take some minutes of processor time.
var share = flag.Int("attacks", 10, "each how many of the attacks is run; 1 are all")

//go:embed testdata/marks.txt
var marksText string

// An attack is one script of marks.txt.
type attack struct {
	name, script string
	caged        bool // never run where nothing holds it
}

// attacks are those of marks.txt that are run: the same ones for every holder.
func attacks() []attack {
	var out []attack
	for i, a := range allAttacks() {
		if i%*share == 0 {
			out = append(out, a)
		}
	}
	return out
}

func allAttacks() []attack {
	var out []attack
	for line := range strings.Lines(marksText) {
		name, isName := strings.CutPrefix(line, "-- ")
		switch {
		case isName:
			name, caged := strings.CutPrefix(strings.TrimSpace(name), "! ")
			out = append(out, attack{name: name, caged: caged})
		case len(out) > 0:
			out[len(out)-1].script += line
		}
	}
	return out
}

// starts is what a person starts afterwards, and looks what they do in every folder that git takes for a repository:
// each line by itself, and nothing of it is in the way of the next. What an editor, an agent or direnv would run is taken
// for run if it is there.
const starts = `
exec </dev/null >/dev/null 2>&1
unset GIT_EDITOR
export EDITOR=true GIT_TERMINAL_PROMPT=0
[ -n "$(find . \( -perm /6000 -o -type b -o -type c \) ! -type d)" ] && touch $MARK
perl -e 'for (glob "*") { my ($f, $n, $v) = ($_, "security.capability", "x" x 64); exit 1 if syscall(191, $f, $n, $v, 64) > 0 }' || touch $MARK
grep -rqs marked .vscode .idea .zed .devcontainer .claude .codex .cursor .gemini .roo .kiro .mcp.json .helve && touch $MARK
[ -e reached ] && cat reached >$MARK
[ -e .envrc ] && . ./.envrc
grep -rqs marked AGENTS.md CLAUDE.md GEMINI.md && touch $MARK
# What a person starts: a shell with a prompt, in a terminal and in tmux, an editor, and what the folder is for.
[ -e ~/.vimrc ] || echo 'set exrc' >~/.vimrc
[ -e ~/.bashrc ] || echo '. /usr/lib/git-core/git-sh-prompt; GIT_PS1_SHOWDIRTYSTATE=1; PROMPT_COMMAND="__git_ps1 a b"' >~/.bashrc
[ -e ~/.config/direnv ] || { mkdir -p ~/.config/direnv; printf '[global]\nload_dotenv = true\n[whitelist]\nprefix = ["%s"]\n' "$PWD" >~/.config/direnv/direnv.toml; }
started() {
	export TERM=xterm
	echo true | timeout 60 bash --noprofile -i
	timeout -k 1 60 script -qec 'vim -c q' /dev/null
	TMUX= timeout 60 tmux -L "look-$$" new-session -d "bash --noprofile -ic true"
	for i in $(seq 600); do timeout 60 tmux -L "look-$$" list-sessions || break; sleep 0.1; done
	timeout 60 tmux -L "look-$$" kill-server
	[ -e .envrc -o -e .env ] && timeout 60 direnv exec . bash -c true
	[ -e Makefile ] && timeout 60 make -n
	[ -e .pre-commit-config.yaml ] && timeout 60 pre-commit run --all-files
	if [ -e package.json -o -e .npmrc -o -e .yarnrc -o -e .yarnrc.yml -o -e pnpm-workspace.yaml ]; then
		timeout 60 npm ls
		timeout 60 pnpm ls --offline
		timeout 60 yarn --version
	fi
}
started
git status
`

const looks = starts + `
look() {
	for c in "git status" "git diff HEAD~1" "git log -1 -p --show-signature" "git st" "git rebase --continue" "git add -A" "git commit --allow-empty" \
		"git commit -q --allow-empty -m x" "git checkout -q -b look" "git checkout -q -" "git merge other -m x" "git merge --abort" "git rebase --continue" \
		"git rebase --abort" "git fetch origin" "git push -q origin HEAD" "git submodule update --init" "git archive --format=tar.gz HEAD" \
		"git difftool -y HEAD~1" "script -qec 'git log -1' /dev/null" "git rebase -i HEAD~1"; do
		eval "timeout 5 $c"
	done
	printf 'protocol=https\nhost=x.example\n\n' | timeout 5 git credential fill
	printf 'x\n' | timeout 5 git interpret-trailers --trailer x=y
	echo more >>a
	printf 'y\nq\n' | timeout 5 git -c color.ui=always add -p
	. /usr/lib/git-core/git-sh-prompt
	GIT_PS1_SHOWDIRTYSTATE=1 GIT_PS1_SHOWUNTRACKEDFILES=1 __git_ps1
}
find . -name .git -prune -printf '%h\0' -o -name HEAD -printf '%h\0' | sort -zu | while IFS= read -r -d '' d; do (cd -- "$d" && look) </dev/null; done
true
`

// A field is what attacks are run in: one workspace after another, a service and a process that they are after.
type field struct {
	t        *testing.T
	template string
	victim   *exec.Cmd
	port     int
	reached  chan string // by whom a service was reached
}

func newField(t *testing.T) *field {
	t.Helper()
	p := newPlace(t)
	p.outside(repository)
	p.outside("git checkout -q -b other HEAD~1 && echo other >>a && git commit -q -a -m other && git checkout -q main")
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	f := &field{t: t, template: p.work, port: tcp.Addr().(*net.TCPAddr).Port, reached: make(chan string, 1000)}
	abstract, err := net.Listen("unix", fmt.Sprintf("@escape-%d", f.port))
	must(t, err)
	f.serve("TCP", tcp)
	f.serve("abstract", abstract)
	f.victim = exec.Command("sleep", "1000")
	must(t, f.victim.Start())
	t.Cleanup(func() { f.victim.Process.Kill(); f.victim.Wait() })
	return f
}

// serve notes who comes.
func (f *field) serve(name string, l net.Listener) {
	f.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f.reached <- name
			c.Close()
		}
	}()
}

// place is a copy of the workspace, with what lies around it.
func (f *field) place(t *testing.T) *place {
	p := newPlace(t)
	out, err := exec.Command("cp", "-a", f.template+"/.", p.work).CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	must(t, os.Mkdir(p.out(), 0o755))
	must(t, os.WriteFile(filepath.Join(p.out(), "kept"), []byte("kept\n"), 0o644))
	short, err := os.MkdirTemp("", "s") // the name of a socket has room for some hundred bytes
	must(t, err)
	defer os.Remove(short)
	service, err := net.Listen("unix", filepath.Join(short, "s"))
	must(t, err)
	must(t, os.Rename(filepath.Join(short, "s"), filepath.Join(p.home, "service")))
	f.serve("service", service)
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+rwX", p.base).Run() })
	return p
}

func (p *place) out() string  { return filepath.Join(p.base, "out") }
func (p *place) mark() string { return filepath.Join(p.home, "marked") }

// script is an attack with its words: a sandbox passes few variables on.
func (f *field) script(p *place, a attack) string {
	words := map[string]string{
		"MARK": p.mark(), "OUT": p.out(), "HOME": p.home, "VICTIM": fmt.Sprint(f.victim.Process.Pid), "PORT": fmt.Sprint(f.port),
	}
	text := ""
	for name, value := range words {
		text += "export " + name + "='" + value + "'\n"
	}
	return text + a.script
}

// run is an attack where nothing holds it.
func (p *place) run(script string) {
	ctx, cancel := context.WithTimeout(p.t.Context(), ample)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", script)
	c.Dir, c.Env = p.work, p.env()
	c.WaitDelay = time.Second
	c.Run()
}

// around is all that lies around the workspace: names, modes, sizes, times and contents.
func (p *place) around() string {
	var b strings.Builder
	err := filepath.WalkDir(p.base, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at == p.work || at == filepath.Join(p.base, "state"):
			return fs.SkipDir
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		st := fi.Sys().(*syscall.Stat_t)
		fmt.Fprintf(&b, "%s %v %d", at, fi.Mode(), st.Uid)
		if fi.Mode().IsRegular() {
			text, _ := os.ReadFile(at)
			attrs := make([]byte, 100)
			n, _ := syscall.Listxattr(at, attrs)
			fmt.Fprintf(&b, " %v %q %q", fi.ModTime(), text, attrs[:max(n, 0)])
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		b.WriteString(err.Error())
	}
	return b.String()
}

// look does what the person does, and tells whether a mark is there.
func (p *place) look() bool { return p.after(looks) }

// after has a script run by the person, and tells whether a mark is there.
func (p *place) after(script string) bool {
	os.Remove(p.mark())
	p.run("export MARK='" + p.mark() + "'\n" + script)
	_, err := os.Lstat(p.mark())
	return err == nil
}

// shared are places of the machine that an attack may have marked.
func shared() []string {
	var out []string
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm", "/run", "/etc", "/usr/bin"} {
		at := filepath.Join(dir, "marked-by-escape")
		if _, err := os.Lstat(at); err == nil {
			out = append(out, at)
			os.Remove(at)
		}
	}
	return out
}

// alive tells whether the process that attacks are after is as it was.
func (f *field) alive() bool {
	pid := f.victim.Process.Pid
	nice, err := syscall.Getpriority(syscall.PRIO_PROCESS, pid)
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	own, _ := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	return err == nil && nice == own && !strings.Contains(string(stat), ") Z ")
}

// A holder runs a script in a workspace as helve would, with all that follows.
type holder func(t *testing.T, p *place, script string)

// layered is a command over a layer. What is dangerous is held back, the rest is made.
func layered(t *testing.T, p *place, script string) {
	p.overAny(script)
}

// byLandlock is a command that writes the workspace itself, and the look at it afterwards.
func byLandlock(t *testing.T, p *place, script string) {
	ctx, cancel := context.WithTimeout(t.Context(), ample)
	defer cancel()
	past, err := check.Remember(ctx, check.Options{Roots: []string{p.work}, Getenv: p.getenv})
	must(t, err)
	o := sandbox.Options{Level: sandbox.WorkspaceWrite, Roots: []string{p.work}, Home: p.home, Mechanism: sandbox.Landlock, Looked: true}
	reach, err := sandbox.Reach(ctx, o)
	if errors.Is(err, sandbox.ErrLevel) {
		t.Skip("Landlock does not work here: ", err)
	}
	must(t, err)
	if len(reach.Gaps) == 0 {
		t.Error("Landlock alone keeps less, and names no gap: mode auto would not ask")
	}
	spec := sandbox.Spec{Argv: []string{"bash", "--noprofile", "--norc", "-c", script}, Dir: p.work, Env: p.env()}
	process, _, err := sandbox.Start(ctx, o, spec)
	must(t, err)
	_, err = process.Wait(ctx)
	must(t, err)
	process.Close()
	found, was, err := past.Dangers(ctx)
	must(t, err)
	if len(found) == 0 {
		return
	}
	tx, err := change.Begin(change.Options{Roots: []string{p.work}, State: filepath.Join(p.base, "state")})
	must(t, err)
	defer tx.Close()
	_, err = tx.PutAside(was)
	must(t, err)
}

// open are attacks for which Landlock alone is no hindrance: its gaps say so, and mode auto asks because of them.
var open = []string{
	"around: mode", "around: times", "around: attribute", "around: long after", "around: without a mask",
}

// Every attack that leaves a mark where nothing holds it leaves none behind a holder.
func TestNoAttackLeavesAMark(t *testing.T) {
	f := newField(t)
	for who, hold := range map[string]holder{"namespaces": layered, "landlock": byLandlock} {
		t.Run(who, func(t *testing.T) {
			for _, a := range attacks() {
				if who == "landlock" && (a.caged || slices.Contains(open, a.name)) {
					continue
				}
				t.Run(a.name, func(t *testing.T) {
					t.Parallel()
					f.try(t, a, hold)
				})
			}
		})
	}
	f.untouched(t)
}

// untouched looks at what all attacks of a field have in common, when they are over.
func (f *field) untouched(t *testing.T) {
	if at := shared(); len(at) > 0 {
		t.Errorf("%q are marked", at)
	}
	if !f.alive() {
		t.Error("the person's process was ended or slowed")
	}
	close(f.reached)
	for name := range f.reached {
		t.Errorf("the service %s was reached", name)
	}
}

func (f *field) try(t *testing.T, a attack, hold holder) {
	p := f.place(t)
	before := p.around()
	hold(t, p, f.script(p, a))
	if after := p.around(); after != before {
		t.Errorf("around the workspace it is\n%s\nand was\n%s", after, before)
	}
	if p.look() {
		text, _ := os.ReadFile(p.mark())
		t.Errorf("it left a mark: %s", text)
	}
}

// An attack that would mark nothing anyway shows nothing. Some want a newer git, or what is not installed; some do what leaves
// nothing to see.
func TestTheAttacksLeaveMarksWhereNothingHoldsThem(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every attack without a sandbox")
	}
	f := newField(t)
	idle := 0
	list := attacks()
	t.Run("attacks", func(t *testing.T) {
		marked := make([]bool, len(list))
		t.Cleanup(func() {
			for i, a := range list {
				if !marked[i] && !a.caged {
					idle++
					t.Logf("without effect here: %s", a.name)
				}
			}
		})
		for i, a := range list {
			if a.caged {
				continue
			}
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				p := f.place(t)
				before := p.around()
				p.run(f.script(p, a))
				if strings.Contains(a.script, "setsid") {
					time.Sleep(time.Second)
				}
				marked[i] = p.around() != before || p.look()
			})
		}
	})
	most := len(list) / 5
	if *share > 1 { // a part may have more of them by chance
		most = len(list) / 2
	}
	if idle > most {
		t.Errorf("%d of %d attacks do nothing here", idle, len(list))
	}
}

// overAny is over for commands that may fail, and of which something may be refused.
func (p *place) overAny(command string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), ample)
	defer cancel()
	tx, err := change.Begin(change.Options{Roots: []string{p.work}, State: filepath.Join(p.base, "state")})
	must(p.t, err)
	defer tx.Close()
	o := sandbox.Options{Level: sandbox.WorkspaceWrite, Roots: []string{p.work}, Home: p.home, Layer: sandbox.NewLayer(tx)}
	spec := sandbox.Spec{Argv: []string{"bash", "--noprofile", "--norc", "-c", command}, Dir: p.work, Env: p.env()}
	process, _, err := sandbox.Start(ctx, o, spec)
	if errors.Is(err, sandbox.ErrLevel) {
		p.t.Skip("a sandbox does not work here: ", err)
	}
	must(p.t, err)
	defer process.Close()
	_, err = process.Wait(ctx)
	must(p.t, err)
	if !o.Layer.Held() {
		p.t.Skip("an overlay does not work here: ", o.Layer.Why())
	}
	set, err := o.Layer.Set(ctx)
	if err != nil {
		p.t.Logf("nothing is made: %v", err)
		return
	}
	where := check.Options{Roots: []string{p.work}, Folder: tx.Folder(), Getenv: p.getenv}
	found, err := check.Check(ctx, where, set)
	must(p.t, err)
	var out []change.Withheld
	for _, f := range found {
		out = append(out, change.Withheld{Index: f.Index, Place: f.Place, Why: errors.New(f.Why)})
		p.t.Logf("%s: %s", f.Path, f.Why)
	}
	rest, _, err := tx.Withhold(set, out)
	must(p.t, err)
	must(p.t, check.Arrange(where, rest))
	check.Freshen(where, rest)
	if _, err := tx.Apply(ctx, rest); err != nil {
		p.t.Logf("applied: %v", err)
	}
}

// nobody is the user with no rights at all.
const nobody = 65534

// A root may do what blurs the result, and has other mechanisms: the attacks are run once more as a user.
func TestNoAttackLeavesAMarkForAnOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this run is one already")
	}
	if testing.Short() {
		t.Skip("runs every attack once more")
	}
	base, err := os.MkdirTemp("", "ordinary-*") // the test's own folder lies below one that only root enters
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	program := filepath.Join(base, "tests")
	must(t, copyProgram(program))
	must(t, os.Chmod(base, 0o755))
	if err := os.Chown(base, nobody, nobody); err != nil {
		t.Skipf("another user does not work here: %v", err) // in a user namespace that has one alone
	}
	const tests = "^(TestNoAttackLeavesAMark|TestNoSettingOfThePersonLeadsToAMark|TestNoUnaskedCommandLeavesAMark)$"
	c := exec.CommandContext(t.Context(), program, "-test.run", tests, "-test.v", fmt.Sprint("-attacks=", *share))
	c.Dir, c.Env = base, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "TMPDIR=" + base}
	if npm := os.Getenv("HELVE_NPM"); npm != "" { // which others may not enter
		must(t, os.CopyFS(filepath.Join(base, "managers"), os.DirFS(filepath.Join(npm, "managers"))))
		c.Env = append(c.Env, "HELVE_NPM="+base)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	passed := strings.Count(string(out), "--- PASS")
	if err != nil || passed <= len(attacks()) {
		t.Errorf("as an ordinary user %d passed: %v\n%s", passed, err, out)
	}
	t.Logf("passed %d, skipped %d", passed, strings.Count(string(out), "--- SKIP"))
}

func copyProgram(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
