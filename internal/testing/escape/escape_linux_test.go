package escape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/script/interpreter"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	interpreter.Init()
	os.Exit(m.Run())
}

// ample bounds what must come, on a machine that does much else.
const ample = 5 * time.Minute

// A place is a home with a workspace in it.
type place struct {
	t          *testing.T
	base       string
	home, work string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	p := &place{t, base, filepath.Join(base, "home"), filepath.Join(base, "home", "work")}
	must(t, os.MkdirAll(p.work, 0o755))
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p *place) env() []string {
	path := os.Getenv("PATH")
	if dir := managers(); dir != "" {
		path += ":" + dir
	}
	return []string{"PATH=" + path, "HOME=" + p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_DATE=2026-01-01T00:00:00Z", "GIT_EDITOR=true", "LC_ALL=C"}
}

// getenv is a variable of the person's environment.
func (p *place) getenv(name string) string {
	for _, e := range p.env() {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// outside runs a command as the person would.
func (p *place) outside(command string) string {
	p.t.Helper()
	c := exec.Command("bash", "--noprofile", "--norc", "-ec", command)
	c.Dir, c.Env = p.work, p.env()
	out, err := c.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// over runs a command over a layer, holds back what is dangerous, and makes the rest.
func (p *place) over(command string) []check.Finding {
	p.t.Helper()
	return p.overLayer(command, change.Options{Roots: []string{p.work}, State: filepath.Join(p.base, "state")}, false, 0)
}

// overLayer is over with a layer in memory, if that is wanted, and a pause between the command and the reading of it.
func (p *place) overLayer(command string, where change.Options, memory bool, pause time.Duration) []check.Finding {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), ample)
	defer cancel()
	tx, err := change.Begin(where)
	must(p.t, err)
	defer tx.Close()
	o := sandbox.Options{Level: sandbox.WorkspaceWrite, Roots: []string{p.work}, Home: p.home, Layer: sandbox.NewLayer(tx)}
	if memory {
		o.Layer.InMemory(64 << 20)
	}
	spec := sandbox.Spec{Argv: []string{"bash", "--noprofile", "--norc", "-ec", command}, Dir: p.work, Env: p.env()}
	process, _, err := sandbox.Start(ctx, o, spec)
	if errors.Is(err, sandbox.ErrLevel) {
		p.t.Skip("a sandbox does not work here: ", err)
	}
	must(p.t, err)
	defer process.Close()
	exit, err := process.Wait(ctx)
	must(p.t, err)
	if !o.Layer.Held() {
		p.t.Skip("an overlay does not work here: ", o.Layer.Why())
	}
	if exit.Code != 0 {
		head, tail, _ := process.Stderr.HeadTail(4000)
		p.t.Fatalf("%s: %+v %s%s", command, exit, head, tail)
	}
	time.Sleep(pause)
	set, err := o.Layer.Set(ctx)
	must(p.t, err)
	at := check.Options{Roots: []string{p.work}, Folder: tx.Folder(), Getenv: p.getenv}
	found, err := check.Check(ctx, at, set)
	must(p.t, err)
	var out []change.Withheld
	for _, f := range found {
		out = append(out, change.Withheld{Index: f.Index, Place: f.Place, Why: errors.New(f.Why)})
	}
	rest, _, err := tx.Withhold(set, out)
	must(p.t, err)
	must(p.t, check.Arrange(at, rest))
	check.Freshen(at, rest)
	r, err := tx.Apply(ctx, rest)
	must(p.t, err)
	for _, x := range r.Refused {
		p.t.Errorf("refused %s: %v", x.Path, x.Why)
	}
	return found
}

// list is everything that can be seen of a workspace but git's index, which holds times and numbers of files.
func (p *place) list() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	must(p.t, filepath.WalkDir(p.work, func(at string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Base(at) == "index" {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			text = strings.ReplaceAll(string(b), p.base, "BASE")
		case fi.Mode()&fs.ModeSymlink != 0:
			text, _ = os.Readlink(at)
		}
		rel, _ := filepath.Rel(p.work, at)
		out[rel] = fmt.Sprint(fi.Mode(), " ", text)
		return nil
	}))
	return out
}

const repository = `
git init -q -b main . && git config user.name n && git config user.email e@x && git config gc.auto 0
echo one >a && mkdir -p d/e && echo two >d/b && echo three >d/e/c && ln -s a l && printf '#!/bin/sh\n' >run && chmod +x run
git add . && git commit -q -m one && echo four >>a && git commit -q -a -m two
git checkout -q -b side HEAD~1 && echo side >s && git add s && git commit -q -m side && git checkout -q main
`

// The same work with and without a layer gives the same tree, and git finds nothing to object to.
func TestWorkComesOutTheSameOverALayer(t *testing.T) {
	for name, command := range map[string]string{
		"edit":        "echo x >>a && sed -i s/two/2/ d/b && rm d/e/c && mkdir n && echo new >n/f && chmod -x run && ln -sf d l",
		"commit":      "echo x >x && git add x && git commit -q -m x",
		"move":        "git mv d moved && git mv moved/b b && git commit -q -m moved",
		"checkout":    "git checkout -q side",
		"merge":       "git merge -q side -m merged",
		"rebase":      "git rebase -q side",
		"stash":       "echo x >>a && git stash -q && echo y >>d/b && git stash pop -q",
		"worktree":    "git worktree add -q wt side && git -C wt commit -q --allow-empty -m x",
		"submodule":   "git clone -q --no-hardlinks --bare . ../work/lib.git && git -c protocol.file.allow=always submodule --quiet add ./lib.git sub && git commit -q -m sub",
		"clean":       "mkdir -p junk/a && touch junk/a/b && git clean -qfdx && git reset -q --hard HEAD~1",
		"replace":     "rm -rf d && mkdir d && echo other >d/b",
		"file to dir": "rm a && mkdir a && echo in >a/x && rm -rf d && echo file >d",
		"archive":     "git archive -o out.tar HEAD && mkdir x && tar -xf out.tar -C x",
		"links":       "echo x >h1 && ln h1 h2 && mkdir sub && ln h1 sub/h3",
		"move all":    "mv d e2 && mv .git g && mv g .git && git status --porcelain >/dev/null",
		"read-only":   "mkdir ro && echo x >ro/f && chmod 444 ro/f && chmod 555 ro",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct, layered := newPlace(t), newPlace(t)
			direct.outside(repository)
			layered.outside(repository)
			direct.outside(command)
			for _, f := range layered.over(command) {
				t.Errorf("found %s: %s", f.Path, f.Why)
			}
			want, got := direct.list(), layered.list()
			for at, text := range want {
				if got[at] != text {
					t.Errorf("%s: %.80q over a layer, %.80q without", at, got[at], text)
				}
			}
			for at := range got {
				if _, there := want[at]; !there {
					t.Errorf("%s is too much", at)
				}
			}
			layered.outside("git fsck --strict 2>&1")
			// Without a look at the files' content: what the index knows of their times must be right.
			if a, b := direct.outside("git diff-files"), layered.outside("git diff-files"); len(a) != len(b) {
				t.Errorf("git diff-files: %q over a layer, %q without", b, a)
			}
			a, b := direct.outside("git status --porcelain"), layered.outside("git status --porcelain")
			if a != b {
				t.Errorf("git status: %q over a layer, %q without", b, a)
			}
			direct.outside("chmod -R u+w .")
			layered.outside("chmod -R u+w .")
		})
	}
}

// The reading of a layer gives files a new time of change: the overlay's own attributes go, or all is copied. Git's index
// knows the files all the same, also where that comes a second and more after the command, as on a busy machine.
func TestGitKnowsWhatComesOutOfALayerLater(t *testing.T) {
	const command = "git mv d moved && git mv moved/b b && echo new >n && git add n && git commit -q -m moved"
	// A layer in memory is copied by the launcher itself, before anybody can wait: a slow command does.
	const slow = command + " && sleep 1.2"
	for name, c := range map[string]struct {
		command string
		memory  bool
		other   bool // the state lies on another file system
		pause   time.Duration
	}{
		"on the disk":       {command: command, pause: 1200 * time.Millisecond},
		"in memory":         {command: slow, memory: true},
		"on another disk":   {command: command, other: true, pause: 1200 * time.Millisecond},
		"in memory, copied": {command: slow, memory: true, other: true, pause: 1200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.outside(repository)
			where := change.Options{Roots: []string{p.work}, State: filepath.Join(p.base, "state")}
			if c.other {
				where.State = otherDisk(t, p.work)
			}
			p.overLayer(c.command, where, c.memory, c.pause)
			if out := p.outside("git diff-files"); out != "" {
				t.Errorf("git diff-files: %s", out)
			}
			if out := p.outside("git status --porcelain"); out != "" {
				t.Errorf("git status: %s", out)
			}
		})
	}
}

// otherDisk is a folder on another file system than a path.
func otherDisk(t *testing.T, path string) string {
	t.Helper()
	const shared = "/dev/shm"
	device := func(path string) uint64 {
		var st syscall.Stat_t
		must(t, syscall.Stat(path, &st))
		return uint64(st.Dev)
	}
	if _, err := os.Stat(shared); err != nil || device(shared) == device(path) {
		t.Skip("there is no other file system")
	}
	dir, err := os.MkdirTemp(shared, "state-*")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// After each attack git runs outside, as the person would run it, and leaves no mark.
func TestAttacksOverALayerLeaveNoMark(t *testing.T) {
	const evil = `printf '[core]\n\tfsmonitor = "touch %s/marked; false"\n\trepositoryformatversion = 0\n\tbare = false\n' "$HOME"`
	for name, a := range map[string]struct{ attack, look string }{
		"commondir": {`mkdir -p build/evil && cp -r .git/objects .git/refs build/evil && ` + evil + ` >build/evil/config && echo ../build/evil >.git/commondir`, "git status"},
		"settings":  {`git config core.fsmonitor "touch $HOME/marked; false"`, "git status"},
		"a nested repository": {`git init -q sub && ` + evil + ` >>sub/.git/config && git -C sub -c core.fsmonitor=false -c user.name=n -c user.email=e commit -q --allow-empty -m x && git -c core.fsmonitor=false add sub`,
			"git status; git -C sub status"},
		"a bare repository in the root": {`rm .git/HEAD && cp -r .git/objects .git/refs .git/index . && echo "ref: refs/heads/main" >HEAD && ` + evil + ` >config && printf "\tworktree = .\n" >>config`, "git status"},
		"a worktree's settings":         {`git config extensions.worktreeConfig true && ` + evil + ` >.git/config.worktree`, "git status"},
		"a hook":                        {`printf "#!/bin/sh\ntouch $HOME/marked" >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit`, "git commit -q --allow-empty -m x"},
		"a renamed folder of hooks":     {`mkdir h && printf "#!/bin/sh\ntouch $HOME/marked" >h/pre-commit && chmod +x h/pre-commit && rm -rf .git/hooks && mv h .git/hooks`, "git commit -q --allow-empty -m x"},
		"a program with others' rights": {`cp /usr/bin/id x; chmod 4755 x || true`, `test ! -u x || touch $HOME/marked`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.outside(repository)
			found := p.over(a.attack)
			for _, f := range found {
				t.Logf("%s: %s", f.Path, f.Why)
			}
			os.Remove(filepath.Join(p.home, "marked"))
			p.outside(a.look)
			if _, err := os.Stat(filepath.Join(p.home, "marked")); err == nil {
				t.Error("it left a mark")
			}
		})
	}
}
