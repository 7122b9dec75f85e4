//go:build unix

package check_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/change"
	"helve/internal/change/check"
)

// Whatever the settings of git are like, what they may name is found, in words.
func TestSettingsThatGitCannotReadNameTheWorst(t *testing.T) {
	needGit(t)
	for name, c := range map[string]struct{ setup, makes, not string }{
		"a circle": {`printf '[include]\n\tpath = b\n[core]\n\tfsmonitor = sh one\n' >a; printf '[include]\n\tpath = a\n[core]\n\tpager = sh two\n' >b
			git config include.path ../a`, "one two a b", "three"},
		"a circle of links":       {`ln -s y x; ln -s x y; git config include.path ../x`, "x y", "z"},
		"10,000 includes":         {`for i in $(seq 10000); do printf '[include]\n\tpath = ../i%d\n' $i; done >>.git/config`, "i1 i5000 i10000", "i10001"},
		"30,000 includes":         {`for i in $(seq 30000); do printf '[include]\n\tpath = ../i%d\n' $i; done >>.git/config`, "i1 i30000 anything", ""},
		"a text that git refuses": {`printf '[core\n\tfsmonitor = "tools/watch --x\n' >cfg; git config include.path ../cfg`, "tools/watch", "tools/other"},
		"a text too large":        {`head -c 9000000 /dev/zero | tr '\0' '\n' >cfg; git config include.path ../cfg`, "anything", ""},
		"too many words":          {`git config alias.x "!$(seq -s ' x' 3000)"`, "anything", ""},
		"every byte":              {`git config core.attributesFile "$(printf 'a\001\177\303\244\tb"c')"`, "a\x01\x7fä\tb\"c", "a"},
		"not UTF-8":               {`printf '[core]\n\tattributesFile = \377\376x\n' >>.git/config`, "\xff\xfex", "x"},
		"a folder that is gone":   {`mv .git g; echo 'gitdir: g' >.git; mv g ../g`, "g/config g/hooks/post-commit", "h"},
		"someone else's":          {`git config core.pager 'sh page'; chown -R 12345 .git 2>/dev/null || true`, "page", "other"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.sh("git init -q; " + c.setup)
			g.begin()
			for _, path := range strings.Split(c.makes, " ") {
				if found := g.made(path); len(found) != 1 || found[0].Why == "" {
					t.Errorf("%q is made: found %v", path, found)
				}
			}
			if c.not == "" {
				return
			}
			if found := g.made(c.not); len(found) > 0 {
				t.Errorf("%q is made: found %v", c.not, found)
			}
		})
	}
}

// made is what is found when one file is made, whatever stands there.
func (g *ground) made(path string) []check.Finding {
	g.t.Helper()
	s := &change.Set{}
	parts := strings.Split(path, "/")
	for i := range parts[:len(parts)-1] {
		at := strings.Join(parts[:i+1], "/")
		if _, err := os.Lstat(filepath.Join(g.root, at)); err != nil {
			s.Changes = append(s.Changes, change.Change{Path: change.Name(at), Will: change.Entry{Type: change.Dir, Mode: 0o755}})
		}
	}
	one := file(path, "x", 0o755)
	tree, err := change.OpenTree(g.root)
	must(g.t, err)
	defer tree.Close()
	one.Was, err = tree.Look(one.Path)
	must(g.t, err)
	s.Changes = append(s.Changes, one)
	found := g.check(s)
	return slices.DeleteFunc(found, func(f check.Finding) bool {
		return f.Place != one.Place() && !strings.HasPrefix(path, string(f.Path)+"/")
	})
}

// What a person has in their settings every day holds nothing back of what a command does every day.
func TestOrdinarySettingsHoldNothingBack(t *testing.T) {
	g := newGround(t)
	g.sh(`git init -q; git config --global core.editor 'code --wait'; git config --global core.pager delta
		git config --global alias.lg 'log --graph --oneline origin/main'; git config --global alias.b 'branch'; git config --global alias.up '!git fetch --all && git rebase main'
		git config --global filter.lfs.clean 'git-lfs clean -- %f'; git config --global filter.lfs.smudge 'git-lfs smudge -- %f'
		git config --global filter.lfs.process 'git-lfs filter-process'; git config --global filter.lfs.required true
		git config --global diff.tool meld; git config --global merge.tool vimdiff; git config --global credential.helper osxkeychain
		git config --global commit.gpgSign true; git config --global user.signingKey ~/.ssh/id.pub; git config --global gpg.format ssh
		git config --global core.excludesFile '~/.gitignore'; git config --global url.git@github.com:.insteadOf https://github.com/
		git config --global init.defaultBranch main; git config --global pull.ff only; git config --global delta.navigate true`)
	g.begin()
	s := &change.Set{}
	for _, name := range []string{"main.go", "log", "branch", "clean", "main", "smudge", "code", "delta", "meld", "fetch", "src", "test", ".gitignore", "true"} {
		s.Changes = append(s.Changes, file(name, "x", 0o644))
	}
	s.Changes = append(s.Changes, file(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n*.py diff=python\n", 0o644))
	for _, f := range g.check(s) {
		t.Errorf("%s: %s", f.Path, f.Why)
	}
}

// A finding costs what the settings are, and a set without changes nothing. The workspace has 2,000 folders.
func BenchmarkWhatIsObeyed(b *testing.B) {
	root, home := b.TempDir(), b.TempDir()
	for i := range 2000 {
		if err := os.MkdirAll(filepath.Join(root, fmt.Sprint("d", i/50), fmt.Sprint(i)), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	os.MkdirAll(root+"/.git/hooks", 0o755)
	os.WriteFile(root+"/.git/config", []byte("[core]\n\tbare = false\n"), 0o644)
	os.WriteFile(home+"/.gitconfig", []byte("[core]\n\tfsmonitor = tools/watch\n[alias]\n\tx = !sh tools/x\n"), 0o644)
	o := check.Options{Roots: []string{root}, Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	write := func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }
	for name, changes := range map[string]int{"none": 0, "one": 1, "thousand": 1000} {
		b.Run(name, func(b *testing.B) {
			s := &change.Set{}
			for i := range changes {
				c := change.Change{Path: change.Name(fmt.Sprintf("d%d/%d/f", i/50, i)), Will: change.Entry{Type: change.File, Mode: 0o644}, Write: write}
				s.Changes = append(s.Changes, c)
			}
			b.ReportAllocs()
			for b.Loop() {
				if found, err := check.Check(b.Context(), o, s); err != nil || len(found) > 0 {
					b.Fatal(found, err)
				}
			}
		})
	}
}
