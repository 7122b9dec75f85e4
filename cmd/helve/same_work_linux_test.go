package main

import (
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A kind of work that is done in a repository, and what of its outcome differs from run to run anyway.
type kind struct {
	long   bool   // it takes most of a minute
	needs  string // a program
	line   string
	differ []string // paths, or beginnings of paths, whose content is not compared
}

// dates make commits the same in every run. The environment does not reach a command.
const dates = `export GIT_AUTHOR_DATE=@1700000000+0000 GIT_COMMITTER_DATE=@1700000000+0000 GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=n@x GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=n@x; set -e; `

var kinds = map[string]kind{
	"commit":              {line: `echo x >>README; git add -A; git commit -qm c; git tag -a v1 -m v1`},
	"branch and merge":    {line: `git checkout -qb side; echo s >side; git add .; git commit -qm s; git checkout -q main; echo m >m; git add .; git commit -qm m; git merge -q --no-edit side; git branch -d side`},
	"conflict":            {line: `f=$(git ls-files | head -1); git checkout -qb side; echo s >$f; git commit -qam s; git checkout -q main; echo m >$f; git commit -qam m; ! git merge -q side; git checkout --theirs $f; git add $f; git commit -qm merged`},
	"rebase":              {line: `git checkout -qb side; for i in 1 2 3; do echo $i >r$i; git add .; git commit -qm $i; done; git checkout -q main; echo m >m; git add .; git commit -qm m; git rebase -q main side`},
	"rebase with exec":    {line: `for i in 1 2 3; do echo $i >r$i; git add .; git commit -qm $i; done; git rebase -q -x 'test -e README || true' HEAD~2`},
	"cherry-pick, revert": {line: `git checkout -qb side; echo p >p; git add .; git commit -qm p; git checkout -q main; git cherry-pick side; git revert --no-edit HEAD`},
	"stash":               {line: `f=$(git ls-files | head -1); echo x >>$f; echo new >untracked; git stash -q -u; echo y >other; git stash pop -q`, differ: []string{".git/logs/refs/stash"}},
	"reset and clean":     {line: `rm -rf $(git ls-files | head -3); echo x >junk; mkdir -p j/k; git reset -q --hard; git clean -qfdx`},
	"worktree":            {line: `git worktree add -q ../work/tree -b t; echo t >tree/t; git -C tree add .; git -C tree commit -qm t; git worktree list; git worktree remove tree`},
	"submodule":           {line: `git init -q -b main inner; git -C inner -c user.name=n -c user.email=e@x commit -q --allow-empty -m i; git -c protocol.file.allow=always submodule add -q ./inner sub 2>/dev/null; git commit -qm sub; git submodule status`},
	"clone":               {line: `git clone -q . copy; echo c >copy/c; git -C copy add .; git -C copy -c user.name=n -c user.email=e@x commit -qm c; git -C copy fsck --strict --no-dangling; git fetch -q copy main:fetched`, differ: []string{"copy/.git/objects/"}},
	"patches":             {line: `echo p >p; git add .; git commit -qm p; git format-patch -q -1; git reset -q --hard HEAD~1; git am -q 0001-p.patch`},
	"gc":                  {line: `for i in 1 2 3; do echo $i >g; git add .; git commit -qm $i; done; git -c pack.threads=1 gc -q --prune=now`, differ: []string{".git/objects/pack/", ".git/objects/info/commit-graph"}},
	"moves":               {line: `mkdir -p moved/deep; for f in $(git ls-files | head -5); do git mv "$f" moved/deep/; done; git mv moved other; git commit -qm moved`},
	"notes, archive":      {line: `git notes add -m n; git archive HEAD | tar t >list; git mv README R; git commit -qm R; git log --follow --oneline R >log; git switch -q -c z; git branch -m zz`},
	"trees replaced":      {line: `mkdir -p a/b/c; echo 1 >a/b/c/f; rm -rf a/b; mkdir a/b; echo 2 >a/b/new; rm -rf a; echo file >a; rm a; mkdir a; ln -s ../README a/l; ln -sfn nowhere a/l`},
	"modes and links":     {line: `echo s >s.sh; chmod 755 s.sh; echo o >only; chmod 400 only; mkdir -m 700 private; echo h >h1; ln h1 h2; ln h1 private/h3; chmod 500 private`},
	"odd entries":         {line: `mkfifo pipe; truncate -s 5000000 sparse; printf x | dd of=sparse bs=1 seek=4000000 conv=notrunc 2>/dev/null; touch "$(printf 'n\377me')" 'a b' "$(printf 'line\nbreak')" -- -dash; mkdir "$(printf 'd\376')"; echo x >"$(printf 'd\376/f')"`},
	"attributes":          {needs: "setfattr", line: `echo x >f; setfattr -n user.note -v hello f; mkdir d; setfattr -n user.dir -v d d; cp -a f g; mv d e`},
	"archives":            {line: `tar cf all.tar --exclude=.git --exclude=all.tar --sort=name --mtime=@0 .; mkdir out; tar xf all.tar -C out; rm -rf out/*; cp -a README out/ 2>/dev/null || true; gzip -n all.tar`},
	"edits":               {line: `for f in $(git ls-files | head -20); do sed -i 's/the/THE/g' "$f"; done; git diff >p.diff; git checkout -q .; git apply p.diff; git commit -qam edited`},
	"make":                {needs: "cc", line: `printf 'int main(void){return 0;}\n' >m.c; printf 'm: m.c\n\tcc -o m m.c\nclean:\n\trm -f m\n' >Makefile; make -s; ./m; make -s clean; make -s`},
	"go build":            {needs: "go", line: `mkdir gg; cd gg; printf 'module x\ngo 1.20\n' >go.mod; printf 'package x\n\nfunc F() int { return 1 }\n' >x.go; CGO_ENABLED=0 GOFLAGS=-mod=mod go build -trimpath -buildvcs=false -o out.a .; go vet . 2>/dev/null || true`},
	"go build and test":   {long: true, needs: "go", line: `mkdir gg; cd gg; printf 'module x\ngo 1.20\n' >go.mod; printf 'package main\nfunc main() { println(1) }\n' >main.go; printf 'package main\nimport "testing"\nfunc TestX(*testing.T) {}\n' >main_test.go; CGO_ENABLED=0 GOFLAGS=-mod=mod go build -trimpath -buildvcs=false -o out .; go vet . 2>/dev/null || true`},
	"npm":                 {needs: "npm", line: `mkdir -p n/dep; cd n; echo '{"name":"dep","version":"1.0.0","bin":"x.js"}' >dep/package.json; echo '#!/usr/bin/env node' >dep/x.js; (cd dep && npm pack -s >/dev/null); echo '{"name":"n","version":"1.0.0","dependencies":{"dep":"file:dep/dep-1.0.0.tgz"}}' >package.json; export npm_config_cache=$PWD/.c npm_config_offline=true npm_config_audit=false npm_config_update_notifier=false; npm i -s; rm -rf node_modules; npm ci -s; rm -rf .c`, differ: []string{"n/dep/dep-1.0.0.tgz", "n/package-lock.json", "n/node_modules/.package-lock.json"}},
	"python":              {needs: "/usr/bin/python3", line: `echo 'x=1' >m.py; echo 'import m; print(m.x)' >n.py; touch -d @1600000000 m.py; /usr/bin/python3 n.py; SOURCE_DATE_EPOCH=1 /usr/bin/python3 -m py_compile n.py`},
}

// Whatever is done in a repository comes out the same through helve as without it: every name, type, mode, content, link,
// hole and attribute.
func TestWorkComesOutTheSameThroughHelve(t *testing.T) {
	newBase(t, 0).needHeld()
	sources := realSources(t)
	for i, name := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[name].long && !*allWork {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			comesOutTheSame(t, newBase(t, 0), kinds[name], sources[i%len(sources)])
		})
	}
}

// throughMemory are the kinds of work that leave most of what a copy could lose.
var throughMemory = []string{"attributes", "modes and links", "odd entries", "stash", "trees replaced", "worktree", "moves"}

// The same holds where the layer lies in memory, and is copied when the command has ended.
func TestWorkComesOutTheSameThroughALayerInMemory(t *testing.T) {
	newBase(t, 0).needHeld()
	sources := realSources(t)
	names := throughMemory
	if *allWork {
		names = slices.Sorted(maps.Keys(kinds))
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			d := newBase(t, 0)
			d.stateOnOverlay()
			comesOutTheSame(t, d, kinds[name], sources[i%len(sources)])
		})
	}
}

// allWork has every kind of work done, and done over a layer in memory, too.
var allWork = flag.Bool("all-work", false, "in TestWorkComesOutTheSame… what takes long, too, and all of it over a layer in memory")

// comesOutTheSame does the work without helve and with it, and compares.
func comesOutTheSame(t *testing.T, d *base, k kind, source string) {
	t.Helper()
	if _, err := exec.LookPath(cmp.Or(k.needs, "git")); err != nil {
		t.Skip(err)
	}
	start := `cp -r '` + source + `/.' . && chmod -R u+w . && echo readme >README && git init -q -b main . && git config user.name n && git config user.email e@x && ` +
		`git config gc.auto 0 && git config maintenance.auto false && git add -A && ` + dates + `git commit -qm start`
	line := dates + k.line
	plain := filepath.Join(d.dir, "plain")
	run := func(do func() (string, error)) (map[string]string, string) {
		if out, err := d.outside(start); err != nil {
			t.Fatal(err, out)
		}
		out, err := do()
		if err != nil {
			t.Fatalf("%s: %v %s", line, err, out)
		}
		return d.snapshot(k.differ), out
	}
	without, _ := run(func() (string, error) { return d.outside(line) })
	if err := os.Rename(d.work, plain); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(d.work, 0o755); err != nil {
		t.Fatal(err)
	}
	with, out := run(func() (string, error) {
		out, err := d.command(d.helve(), "--mode", "auto", "call", "--yes", "bash", "command="+line, "timeout=120000").CombinedOutput()
		return string(out), err
	})
	if with[".helve"] != "" || len(without) < 10 {
		t.Errorf("%d entries; %s", len(without), out)
	}
	for _, path := range slices.Sorted(maps.Keys(union(with, without))) {
		if with[path] != without[path] {
			t.Errorf("%q:\n  through helve %s\n  without       %s", path, with[path], without[path])
		}
	}
	t.Logf("%d entries of %s; %s", len(with), source, strings.TrimSpace(out))
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// realSources are the sources of Go's own library: repositories of others, without a network.
func realSources(t *testing.T) []string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not in PATH: ", err)
	}
	var out []string
	for _, p := range []string{"net/http", "go/types", "encoding", "text", "image", "crypto/tls", "archive", "compress", "html", "database",
		"debug", "log", "math/big", "mime", "os", "path", "regexp", "sort", "strconv", "time", "unicode", "hash", "index", "context", "embed"} {
		dir := filepath.Join(strings.TrimSpace(string(root)), "src", p)
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			out = append(out, dir)
		}
	}
	if len(out) == 0 {
		t.Skip("Go's own sources are not here")
	}
	return out
}

// snapshot is what stands in the workspace, by path. The index of git holds times: what it says is compared instead.
func (d *base) snapshot(differ []string) map[string]string {
	d.t.Helper()
	out, twins := map[string]string{}, map[uint64]string{}
	err := filepath.WalkDir(d.work, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(d.work, path)
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		said := fmt.Sprintf("mode %o owner %d", st.Mode, st.Uid)
		varies := slices.ContainsFunc(differ, func(p string) bool { return strings.HasPrefix(rel, p) })
		switch {
		case varies:
			if strings.HasSuffix(strings.Join(differ, " "), "/") {
				return nil // nor are the names in it
			}
			said = "there"
		case e.Type() == fs.ModeSymlink:
			to, _ := os.Readlink(path)
			said += " to " + to
		case e.Type().IsRegular() && filepath.Base(path) != "index":
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			said += fmt.Sprintf(" size %d %x", st.Size, sha256.Sum256(content))
			if st.Size > 1<<20 && st.Blocks*512 < st.Size/2 {
				said += " sparse"
			}
			if st.Nlink > 1 && !strings.Contains(rel, ".git/") {
				if twins[st.Ino] == "" {
					twins[st.Ino] = rel
				}
				said += " twin of " + twins[st.Ino]
			}
		}
		out[rel] = said + attributes(path)
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	listed, err := d.outside("git fsck --strict --no-dangling 2>&1; git ls-files -s; git status --porcelain --ignored; git log --all --format=%H%d; git stash list")
	if err != nil {
		d.t.Fatal(err, listed)
	}
	out["what git says"] = listed
	return out
}

// attributes are the extended ones of the user's.
func attributes(path string) string {
	names, value, out := make([]byte, 4096), make([]byte, 4096), ""
	n, err := unix.Llistxattr(path, names)
	if err != nil {
		return ""
	}
	for _, name := range strings.Split(strings.Trim(string(names[:n]), "\x00"), "\x00") {
		if m, err := syscall.Getxattr(path, name, value); err == nil && strings.HasPrefix(name, "user.") {
			out += fmt.Sprintf(" %s=%q", name, value[:m])
		}
	}
	return out
}
