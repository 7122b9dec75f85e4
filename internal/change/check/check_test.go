//go:build unix

package check_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/change"
	"helve/internal/change/check"
)

// A ground is a workspace before and after: what a command did to it stands in the transaction's folder.
type ground struct {
	t      *testing.T
	home   string
	root   string
	folder string
	tx     *change.Transaction
}

func newGround(t *testing.T) *ground {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{t: t, home: filepath.Join(base, "home"), root: filepath.Join(base, "work")}
	for _, d := range []string{g.home, g.root} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// begin begins the transaction, which holds on to the workspace as it is.
func (g *ground) begin() {
	g.t.Helper()
	tx, err := change.Begin(change.Options{Roots: []string{g.root}, State: filepath.Join(filepath.Dir(g.root), "state")})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { tx.Close() })
	g.tx, g.folder = tx, tx.Folder()
}

// sh runs a command in the workspace.
func (g *ground) sh(command string) {
	g.t.Helper()
	if out, err := g.try(g.root, command); err != nil {
		g.t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func (g *ground) try(dir, command string) (string, error) {
	cmd := exec.Command("bash", "--noprofile", "--norc", "-ec", command)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_DATE=2026-01-01T00:00:00Z", "GIT_EDITOR=true", "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// after runs a command and returns what it did as a set: the workspace itself is as before.
func (g *ground) after(command string) *change.Set {
	g.t.Helper()
	saved := g.root + ".saved"
	g.sh("cp -a . " + saved)
	g.sh(command)
	must(g.t, os.Rename(g.root, g.root+".after"))
	must(g.t, os.Rename(saved, g.root))
	g.begin()
	must(g.t, os.Rename(g.root+".after", filepath.Join(g.folder, "after")))
	s := &change.Set{}
	g.compare(s, ".")
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// compare adds what differs in a directory of both trees.
func (g *ground) compare(s *change.Set, dir string) {
	g.t.Helper()
	before, err := change.OpenTree(g.root)
	must(g.t, err)
	defer before.Close()
	after, err := change.OpenTree(filepath.Join(g.folder, "after"))
	must(g.t, err)
	defer after.Close()
	g.compareDir(s, before, after, change.Name(dir))
}

func (g *ground) compareDir(s *change.Set, before, after *change.Tree, dir change.Name) {
	g.t.Helper()
	a, err := before.Names(dir)
	must(g.t, err)
	b, err := after.Names(dir)
	must(g.t, err)
	names := append(a, b...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		p := change.Place{Path: dir}.Child(name).Path
		was, err := before.Look(p)
		must(g.t, err)
		will, err := after.Look(p)
		must(g.t, err)
		c := change.Change{Path: p, Was: was, Will: will}
		switch {
		case will.Type == change.Dir && was.Type == change.Dir:
			g.compareDir(s, before, after, p)
			continue
		case was.Type == change.File && will.Type == change.File && g.same(p):
			if was.Mode == will.Mode {
				continue
			}
		case was.Type == change.Link && will.Type == change.Link && was.Target == will.Target:
			continue
		case will.Type == change.Dir:
			c.Whole, c.From = true, "after/"+p
		case will.Type == change.None:
			c.Whole = was.Type == change.Dir
		default:
			c.From, c.Whole = "after/"+p, was.Type == change.Dir
		}
		s.Changes = append(s.Changes, c)
	}
}

func (g *ground) same(p change.Name) bool {
	a, err := os.ReadFile(filepath.Join(g.root, string(p)))
	must(g.t, err)
	b, err := os.ReadFile(filepath.Join(g.folder, "after", string(p)))
	must(g.t, err)
	return string(a) == string(b)
}

func (g *ground) options() check.Options {
	return check.Options{Roots: []string{g.root}, Folder: g.folder, Getenv: g.getenv}
}

// getenv is the environment of the person whose home the ground has.
func (g *ground) getenv(name string) string {
	return map[string]string{"HOME": g.home, "PATH": os.Getenv("PATH")}[name]
}

func (g *ground) check(s *change.Set) []check.Finding {
	g.t.Helper()
	found, err := check.Check(g.t.Context(), g.options(), s)
	must(g.t, err)
	if !slices.IsSortedFunc(found, func(a, b check.Finding) int { return a.Index - b.Index }) {
		g.t.Errorf("not in the order of the changes: %+v", found)
	}
	return found
}

// commit makes the set without what was found, and returns what was held back.
func (g *ground) commit(s *change.Set, found []check.Finding) *change.Report {
	g.t.Helper()
	var out []change.Withheld
	for _, f := range found {
		out = append(out, change.Withheld{Index: f.Index, Place: f.Place, Why: errors.New(f.Why)})
	}
	rest, _, err := g.tx.Withhold(s, out)
	must(g.t, err)
	must(g.t, check.Arrange(g.options(), rest))
	r, err := g.tx.Apply(g.t.Context(), rest)
	must(g.t, err)
	return r
}

// list is a tree as text.
func list(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		text := ""
		switch {
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text = string(b)
		case fi.Mode()&fs.ModeSymlink != 0:
			text, _ = os.Readlink(p)
		}
		out[rel] = fmt.Sprint(fi.Mode(), " ", text)
		return nil
	}))
	return out
}

// repository is a workspace with two commits and the person's own settings, hook and filter.
const repository = `
git init -q -b main . && git config user.name n && git config user.email e@x
echo one >a && mkdir d && echo two >d/b && git add . && git commit -q -m one
echo three >>a && git commit -q -a -m two
git checkout -q -b side HEAD~1 && echo side >c && git add c && git commit -q -m side && git checkout -q main
`

// model is a workspace with the repository, to be copied.
func model(t *testing.T) string {
	t.Helper()
	g := newGround(t)
	g.sh(repository)
	return g.root
}

// What git itself does with its files passes, and comes out as it was.
func TestWhatGitDoesPassesUnchanged(t *testing.T) {
	needGit(t)
	model := model(t)
	for name, command := range map[string]string{
		"init":               "mkdir new && git -C new init -q",
		"clone":              "git clone -q . copy",
		"clone bare":         "git clone -q --bare . copy.git",
		"commit":             "echo x >x && git add x && git commit -q -m x",
		"commit all":         "echo x >>a && git commit -q -a -m x",
		"branch":             "git branch new && git checkout -q new",
		"branch renamed":     "git branch -m main trunk",
		"switch":             "git checkout -q side",
		"merge":              "git merge -q side -m merged",
		"rebase":             "git rebase -q side",
		"rebase with a stop": "git rebase -q -i side; git reset -q --hard HEAD~1",
		"stash":              "echo x >>a && git stash -q && git stash pop -q",
		"tag":                "git tag -a v1 -m v1",
		"worktree":           "git worktree add -q ../" + "work/wt side",
		"submodule":          "git clone -q --bare . ../lib.git && git -c protocol.file.allow=always submodule -q add ../lib.git sub && git commit -q -m sub",
		"submodule moved":    "git clone -q --bare . ../lib.git && git -c protocol.file.allow=always submodule -q add ../lib.git sub && git commit -q -m sub && git mv sub moved && git submodule deinit -q -f moved",
		"gc":                 "git gc -q",
		"pack refs":          "git pack-refs --all && git branch -D side",
		"remote":             "git clone -q --bare . ../up.git && git remote add origin ../up.git && git push -q -u origin main",
		"fetch":              "git clone -q --bare . ../up.git && git remote add origin ../up.git && git fetch -q",
		"cherry-pick":        "git cherry-pick side >/dev/null",
		"revert":             "git revert --no-edit HEAD >/dev/null",
		"conflict":           "git checkout -q side && echo other >a && git commit -q -a -m other && ! git merge -q main",
		"sparse":             "git sparse-checkout set d",
		"sha256":             "git init -q --object-format=sha256 new && cd new && echo x >x && git add x && git -c user.name=n -c user.email=e commit -q -m x",
		"reset":              "git reset -q --hard HEAD~1",
		"notes":              "git notes add -m note",
		"bisect":             "git bisect start -q HEAD HEAD~1 >/dev/null",
		"archive":            "git archive HEAD | tar -x -C d",
		"settings":           "git config pull.rebase true && git config branch.main.description x && git config core.fsmonitor false",
		"init with a name":   "git init -q -b other new && git -C new remote add origin https://example.com/x.git",
		"setgid folder":      "mkdir shared && chmod g+s shared && echo x >shared/x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			must(t, os.WriteFile(filepath.Join(g.home, ".gitconfig"), []byte("[alias]\n\tx = !sh -c true\n[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n"), 0o644))
			g.sh("cp -a " + model + "/. .")
			g.sh(`git config filter.own.clean "sed s/a/b/" && git config alias.all '!git add -A' && printf '#!/bin/sh\nexit 0\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit`)
			s := g.after(command)
			for _, f := range g.check(s) {
				t.Errorf("found %s: %s", f.Path, f.Why)
			}
			if len(s.Changes) == 0 {
				t.Fatal("nothing was changed")
			}
			want := list(t, filepath.Join(g.folder, "after"))
			for _, r := range g.commit(s, nil).Refused {
				t.Errorf("refused %s: %v", r.Path, r.Why)
			}
			got := list(t, g.root)
			for p, text := range want {
				if got[p] != text {
					t.Errorf("%s: got %.60q, want %.60q", p, got[p], text)
				}
			}
			for p := range got {
				if _, there := want[p]; !there {
					t.Errorf("%s is too much", p)
				}
			}
			g.sh("git fsck --strict 2>&1; git status >/dev/null")
		})
	}
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// evil is a configuration that leaves a mark when git looks at anything.
const evil = `printf '[core]\n\tfsmonitor = "touch %s/marked; false"\n\trepositoryformatversion = 0\n\tbare = %s\n' "$HOME"`

// Each attack leaves a mark when git runs outside, if its set is made as it is; without what is found, it leaves none.
func TestWhatAttacksThroughGitIsFound(t *testing.T) {
	needGit(t)
	model := model(t)
	for name, a := range map[string]struct{ setup, attack, look string }{
		"configuration":         {attack: evil + ` false >>.git/config`},
		"by git config":         {attack: `git config core.fsmonitor "touch $HOME/marked; false"`},
		"an alias of a command": {attack: `git config alias.st "!touch $HOME/marked"`, look: "git st"},
		"a hook":                {attack: `printf "#!/bin/sh\ntouch $HOME/marked" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`, look: "git commit -q --allow-empty -m x"},
		"a hook by its mode":    {setup: `printf "#!/bin/sh\ntouch $HOME/marked" >.git/hooks/pre-commit; chmod -x .git/hooks/pre-commit`, attack: "chmod +x .git/hooks/pre-commit", look: "git commit -q --allow-empty -m x"},
		"another folder of hooks": {attack: `mkdir h; printf "#!/bin/sh\ntouch $HOME/marked" >h/pre-commit; chmod +x h/pre-commit; git config core.hooksPath h`,
			look: "git commit -q --allow-empty -m x"},
		"the folder of hooks": {setup: `mkdir h && git config core.hooksPath h`, attack: `printf "#!/bin/sh\ntouch $HOME/marked" >h/pre-commit; chmod +x h/pre-commit`,
			look: "git commit -q --allow-empty -m x"},
		"a folder of hooks that is not there": {setup: `git config core.hooksPath .githooks/x`, attack: `mkdir -p .githooks/x; printf "#!/bin/sh\ntouch $HOME/marked" >.githooks/x/pre-commit; chmod +x .githooks/x/pre-commit`,
			look: "git commit -q --allow-empty -m x"},
		"an included file": {setup: `git config include.path ../my.cfg; touch my.cfg`, attack: evil + ` false >my.cfg`},
		"commondir":        {attack: `mkdir -p build/evil && cp -r .git/objects .git/refs build/evil && ` + evil + ` false >build/evil/config && echo ../build/evil >.git/commondir`},
		"commondir of what was there": {setup: `mkdir -p build/evil && cp -r .git/objects .git/refs build/evil && ` + evil + ` false >build/evil/config`,
			attack: `echo ../build/evil >.git/commondir`},
		"a nested repository": {attack: `git init -q sub && ` + evil + ` false >>sub/.git/config`, look: "git -C sub status"},
		"a gitlink": {setup: `git init -q sub && git -C sub -c user.name=n -c user.email=e commit -q --allow-empty -m x && ` + evil + ` false >>sub/.git/config`,
			attack: `git update-index --add --cacheinfo 160000,$(cat sub/.git/refs/heads/ma*),sub`},
		"a bare repository in the root": {attack: `rm .git/HEAD && cp -r .git/objects .git/refs . && cp .git/index . && echo "ref: refs/heads/main" >HEAD && ` + evil + ` false >config && printf "\tworktree = .\n" >>config`},
		"a bare repository in the root that was there": {setup: `cp -r .git/objects .git/refs .git/index . && echo "ref: refs/heads/main" >HEAD && ` + evil + ` false >config && printf "\tworktree = .\n" >>config`,
			attack: `rm .git/HEAD`},
		"a bare repository around": {setup: `cp -r .git/objects .git/refs .git/index . && echo "ref: refs/heads/main" >HEAD && ` + evil + ` false >config && printf "\tworktree = .\n" >>config`,
			attack: `mv .git moved`},
		"a bare repository in a folder": {attack: `git init -q --bare b.git && ` + evil + ` true >b.git/config`, look: "git -C b.git status || git -C b.git rev-parse; git --git-dir=b.git --work-tree=. status"},
		"the last part of a repository": {setup: `mkdir -p p && cp -r .git/objects p && ` + evil + ` true >p/config && echo "ref: refs/heads/main" >p/HEAD`,
			attack: `cp -r .git/refs p`, look: "git --git-dir=p --work-tree=. status"},
		"config.worktree": {setup: "git config extensions.worktreeConfig true", attack: evil + ` false >.git/config.worktree`},
		"a pointer to a folder": {setup: `mkdir e && cp -r .git/objects .git/refs .git/HEAD e && ` + evil + ` false >e/config`,
			attack: `mkdir w && echo "gitdir: ../e" >w/.git`, look: "git -C w status"},
		"hooks by a link": {setup: `mkdir p h && cp -r .git/objects p && printf '[core]\n\tbare = false\n\trepositoryformatversion = 0\n' >p/config && echo "ref: refs/heads/main" >p/HEAD && printf "#!/bin/sh\ntouch $HOME/marked" >h/pre-commit && chmod +x h/pre-commit && ln -s ../h p/hooks`,
			attack: `cp -r .git/refs p`, look: "git --git-dir=p --work-tree=. -c user.name=n -c user.email=e commit -q --allow-empty -m x"},
		"a link to a folder": {setup: `mkdir e && cp -r .git/objects .git/refs .git/HEAD e && ` + evil + ` false >e/config`,
			attack: `mkdir w && ln -s ../e w/.git`, look: "git -C w status"},
		"a pointer in place of the repository": {setup: `mkdir e && cp -r .git/objects .git/refs .git/HEAD .git/index e && ` + evil + ` false >e/config`,
			attack: `mv .git old && echo "gitdir: e" >.git`},
		"a configuration by a link": {attack: evil + ` false >c; cat .git/config >>c; rm .git/config; ln -s ../c .git/config`},
		"a rebase's list":           {attack: `GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git rebase -q -i HEAD~1; echo "exec touch $HOME/marked" >>.git/rebase-merge/git-rebase-todo`, look: "git rebase --continue"},
		"a work tree in the hooks": {attack: `printf "#!/bin/sh\ntouch $HOME/marked\n" >post-checkout; chmod +x post-checkout; git add post-checkout; git commit -q -m tools; git config core.worktree hooks`,
			look: "git checkout ."},
		"a work tree in the repository": {attack: evil + ` false >config; git add config; git commit -q -m x; git config core.worktree ../.git`, look: "git checkout .; git status"},
		"a submodule's update":          {setup: `git config submodule.s.url x`, attack: `git config submodule.s.update "!touch $HOME/marked"`, look: "git config --get submodule.s.update | sed s/.// | sh"},
		"an address that runs":          {attack: `git config remote.o.url "ext::touch $HOME/marked"`, look: "git -c protocol.ext.allow=always fetch o"},
		"a modules folder": {attack: `mkdir -p .git/modules && git init -q --bare .git/modules/s && ` + evil + ` false >.git/modules/s/config && mkdir s && echo "gitdir: ../.git/modules/s" >s/.git`,
			look: "git -C s status"},
		"a program by name": {setup: `mkdir tools && printf "#!/bin/sh\ncat" >tools/clean && chmod +x tools/clean && git config filter.f.clean tools/clean && echo "* filter=f" >.gitattributes`,
			attack: `printf "#!/bin/sh\ntouch $HOME/marked; cat" >tools/clean`, look: "touch a; git add a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a.look == "" {
				a.look = "git status"
			}
			marks := func(held bool) (bool, []check.Finding) {
				g := newGround(t)
				g.sh("cp -a " + model + "/. .")
				if a.setup != "" {
					g.sh(a.setup)
				}
				s := g.after(a.attack)
				found := g.check(s)
				if held {
					g.commit(s, found)
				} else {
					g.commit(s, nil)
				}
				os.Remove(g.home + "/marked")
				out, err := g.try(g.root, a.look)
				_, missing := os.Stat(g.home + "/marked")
				t.Logf("held=%v marked=%v: %v %s", held, missing == nil, err, strings.TrimSpace(out))
				return missing == nil, found
			}
			open, _ := marks(false)
			if !open {
				t.Error("the attack does nothing, even if nothing is held back: it shows nothing")
			}
			marked, found := marks(true)
			for _, f := range found {
				t.Logf("%s: %s", f.Path, f.Why)
			}
			if marked {
				t.Error("it left a mark")
			}
		})
	}
}

// file is a change that makes a file.
func file(p, text string, mode fs.FileMode) change.Change {
	write := func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	return change.Change{Path: change.Name(p), Will: change.Entry{Type: change.File, Mode: mode}, Write: write}
}

// A repository whose folder stays is not lost to a command, nor one that another is put in the place of. With its
// folder it may go, and what git itself does to one is no loss.
func TestALostRepositoryIsFound(t *testing.T) {
	const begin = `git init -q; git config user.name x; git config user.email x; echo 1 >a; git add a; git commit -qm 1; cp -r . ../c; mv ../c sub`
	for command, want := range map[string]string{
		"rm -rf .git":                       ".git",
		"mv .git z":                         ".git",
		"find . -mindepth 1 -delete":        ".git",
		"rm -rf sub/.git":                   "sub/.git",
		"rm -rf .git; git init -q":          ".git/objects",
		"rm .git/HEAD":                      ".git/HEAD",
		"rm -rf .git/objects":               ".git/objects",
		"rm -rf .git; echo gitdir: x >.git": ".git",
		"rm -rf sub":                        "",
		"mv sub other":                      "",
		"git gc -q":                         "",
		"git commit -q --amend -m 2":        "",
		"git checkout -q --orphan n":        "",
		"git init -q new; rm -rf new/.git":  "",
	} {
		t.Run(command, func(t *testing.T) {
			g := newGround(t)
			g.sh(begin)
			var lost []string
			for _, f := range g.check(g.after(command)) {
				if f.Why == check.Loss {
					lost = append(lost, string(f.Path))
				}
			}
			if (want == "") != (len(lost) == 0) || want != "" && !slices.ContainsFunc(lost, func(p string) bool {
				return p == want || strings.HasPrefix(p, want+"/")
			}) {
				t.Errorf("lost: %q, want %q", lost, want)
			}
		})
	}
}

func TestFilesThatProgramsRunLaterAreFound(t *testing.T) {
	g := newGround(t)
	must(t, os.Mkdir(g.root+"/.git", 0o755))
	for p, want := range map[string]bool{
		".vscode/tasks.json": true, ".VSCode/tasks.json": true, ".envrc": true, ".husky/pre-commit": true, ".mcp.json": true, "opencode.json": true,
		".helve/config.json": true, ".zed/tasks.json": true, ".devcontainer/devcontainer.json": true, ".roo/mcp.json": true, ".kiro/x": true,
		".amazonq/x": true, ".windsurf/x": true, ".continue/x": true, "mine/later": true, "mine/other": false,
		"vscode/tasks.json": false, ".vscodex": false, "a/.vscode/tasks.json": true, "b/c/.envrc": true, "node_modules/x/.envrc": false, "main.go": false,
		".github/workflows/x.yml": false, ".gitignore": false, ".gitattributes": false, "Makefile": false,
	} {
		o := check.Options{Roots: []string{g.root}, Later: []check.Later{{Path: "mine/later", Why: "it is mine"}}}
		found, err := check.Check(t.Context(), o, &change.Set{Changes: []change.Change{file(p, "x", 0o644)}})
		must(t, err)
		if got := len(found) > 0; got != want {
			t.Errorf("%s: found %v, want %v", p, found, want)
		}
		gone := change.Change{Path: change.Name(p), Was: change.Entry{Type: change.File, Mode: 0o644}}
		found, err = check.Check(t.Context(), o, &change.Set{Changes: []change.Change{gone}})
		must(t, err)
		if len(found) > 0 {
			t.Errorf("%s: its removal runs nothing, and is found: %v", p, found)
		}
	}
}

// What is found stands in the order of the changes, also where the first of them makes a later one count.
func TestFindingsStandInTheOrderOfTheChanges(t *testing.T) {
	g := newGround(t)
	for _, d := range []string{"p", "p/objects", "p/refs"} {
		must(t, os.Mkdir(filepath.Join(g.root, d), 0o755))
	}
	const evil = "[core]\n\tfsmonitor = touch marked\n"
	found := g.check(&change.Set{Changes: []change.Change{
		file("p/HEAD", "ref: refs/heads/main\n", 0o644), file(".envrc", "touch marked", 0o644), file("p/config", evil, 0o644),
	}})
	if len(found) != 2 || found[0].Path != ".envrc" || found[1].Path != "p/config" {
		t.Errorf("%+v", found)
	}
}

// A worktree that git may remove lies in the workspace, and no link leads out of it on the way.
func TestANotedWorktreeLiesInTheWorkspace(t *testing.T) {
	needGit(t)
	model := model(t)
	for to, want := range map[string]int{"w": 0, "d/w": 0, "l/w": 1, "d/l/w": 1, "../out": 1, "inside/w": 1} {
		g := newGround(t)
		g.sh("cp -a " + model + "/. . && mkdir ../out && ln -s ../out l && ln -s ../../out d/l && ln -s d inside")
		found := g.check(g.after("git worktree add -q w side && echo $PWD/" + to + "/.git >.git/worktrees/w/gitdir"))
		if len(found) != want || want > 0 && !strings.HasSuffix(string(found[0].Path), "w/gitdir") {
			t.Errorf("%s: found %+v, want %d", to, found, want)
		}
	}
}

// Git reads .gitmodules with the rights of whoever clones or updates: what it may run is judged as in its configuration.
func TestAListOfSubmodulesIsJudged(t *testing.T) {
	const plain = "[submodule \"s\"]\n\tpath = s\n\turl = https://example.com/s.git\n"
	for text, want := range map[string]bool{
		plain: false,
		"[submodule \"s\"]\n\tpath = s\n\turl = ../s.git\n\tbranch = main\n": false,
		plain + "\tupdate = !touch marked\n":                                 true,
		plain + "[core]\n\tfsmonitor = touch marked\n":                       true,
		"[submodule \"s\"]\n\tpath = s\n\turl = ext::touch marked\n":         true,
		"[submodule": true,
	} {
		for _, p := range []string{".gitmodules", "sub/.gitmodules", ".GitModules"} {
			g := newGround(t)
			must(t, os.MkdirAll(g.root+"/sub", 0o755))
			s := g.after(fmt.Sprintf("printf '%%s' '%s' >%s", text, p))
			found := g.check(s)
			if got := len(found) > 0; got != want {
				t.Errorf("%s: %q: found %v, want %v", p, text, found, want)
			}
			g.commit(s, found)
			if _, err := os.Stat(filepath.Join(g.root, p)); (err == nil) == want {
				t.Errorf("%s: %q: it is there: %v", p, text, err == nil)
			}
		}
	}
}

func TestRightsOfOthersAndDevicesAreFound(t *testing.T) {
	g := newGround(t)
	o := check.Options{Roots: []string{g.root}}
	was := change.Entry{Type: change.File, Mode: 0o755}
	raised := was
	raised.Mode |= fs.ModeSetuid
	for name, c := range map[string]change.Change{
		"a new program":     file("x", "x", 0o755|fs.ModeSetuid),
		"a group's program": file("x", "x", 0o755|fs.ModeSetgid),
		"a changed mode":    {Path: "x", Was: was, Will: raised},
		"a device":          {Path: "x", Will: change.Entry{Type: change.Device}, From: "x"},
	} {
		found, err := check.Check(t.Context(), o, &change.Set{Changes: []change.Change{c}})
		must(t, err)
		if len(found) != 1 {
			t.Errorf("%s: found %v", name, found)
		}
	}
	for name, c := range map[string]change.Change{
		"a folder of a group": {Path: "x", Will: change.Entry{Type: change.Dir, Mode: 0o2755 | fs.ModeSetgid}},
		"a pipe":              {Path: "x", Will: change.Entry{Type: change.Pipe}, From: "x"},
		"a program":           file("x", "x", 0o755),
	} {
		found, err := check.Check(t.Context(), o, &change.Set{Changes: []change.Change{c}})
		must(t, err)
		if len(found) > 0 {
			t.Errorf("%s: found %v", name, found)
		}
	}
}

// What is held back of a directory that comes as a whole is kept, and the rest of it comes.
func TestAPartOfANewFolderIsHeldBackAndKept(t *testing.T) {
	needGit(t)
	g := newGround(t)
	g.sh(repository)
	s := g.after(`git clone -q . sub && echo "touch x" >sub/.git/hooks/pre-commit && chmod 4755 sub/a`)
	found := g.check(s)
	var out []change.Withheld
	var places []string
	for _, f := range found {
		places = append(places, string(f.Path))
		out = append(out, change.Withheld{Index: f.Index, Place: f.Place, Why: errors.New(f.Why)})
	}
	slices.Sort(places)
	if want := []string{"sub/.git/hooks/pre-commit", "sub/a"}; !slices.Equal(places, want) {
		t.Fatalf("found %v, want %v", places, want)
	}
	rest, refused, err := g.tx.Withhold(s, out)
	must(t, err)
	_, err = g.tx.Apply(t.Context(), rest)
	must(t, err)
	must(t, g.tx.Close())
	for _, r := range refused {
		if _, err := os.Stat(r.Kept); err != nil {
			t.Errorf("%s is not kept: %v", r.Path, err)
		}
		if _, err := os.Lstat(filepath.Join(g.root, string(r.Path))); err == nil {
			t.Errorf("%s is there", r.Path)
		}
	}
	g.sh("test -f sub/d/b && git -C sub log -1 >/dev/null && git -C sub fsck")
}
