//go:build unix

package history

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shell runs a command in the workspace, as one that no layer holds back.
func (g *ground) shell(line string) {
	g.t.Helper()
	cmd := exec.Command("bash", "-ec", line)
	cmd.Dir = g.root
	cmd.Env = append(os.Environ(),
		"HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.example",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.example")
	if out, err := cmd.CombinedOutput(); err != nil {
		g.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// compared runs a command between a scan and its comparison. It returns the call.
func (g *ground) compared(line string) Call {
	g.t.Helper()
	sc, err := g.store.Scan(context.Background())
	if err != nil {
		g.t.Fatal(err)
	}
	g.shell(line)
	changes, err := g.store.Compare(context.Background(), sc, Call{ID: "bash" + line, Tool: "bash", Time: time.Now()})
	if err != nil {
		g.t.Fatal(err)
	}
	list, err := g.store.List(1)
	if err != nil {
		g.t.Fatal(err)
	}
	if len(changes) == 0 {
		return Call{}
	}
	return list.Calls[0]
}

// A repository of files in every state that git knows, with one that no scan keeps.
const repository = `git init -q . && printf 'clean\n' >clean && printf 'dirty\n' >dirty && mkdir src && printf 'a\n' >src/a &&
	git add . && git commit -qm one && sleep 0.02 && git status -s && printf 'changed\n' >dirty && printf 'new\n' >untracked &&
	ln -s clean link && chmod 755 src/a && git add src/a`

func TestWhatACommandChangedDirectlyComesBack(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	const work = `rm -r src && git checkout -q dirty && sed -i s/clean/other/ clean && rm untracked link && mkdir new && echo x >new/x`
	for _, test := range []struct{ name, before string }{
		{"with git", repository},
		{"without", repository + " && rm -r .git && git init -q ../elsewhere && git -C ../elsewhere rev-parse --git-dir >/dev/null"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newGround(t)
			g.shell(test.before)
			line := work
			if test.name == "without" {
				line = strings.Replace(line, "git checkout -q dirty", "echo dirty >dirty", 1)
			}
			before := g.picture()
			call := g.compared(line)
			if len(call.Gaps) > 0 {
				t.Errorf("gaps: %q", call.Gaps)
			}
			plan, err := g.store.PlanUndo("")
			g.apply(plan, err)
			after := g.picture()
			for name := range after { // git's own objects stay, its index knows the files' new times, and its folders have others
				own := strings.HasPrefix(name, ".git") && after[name][0] == 'd'
				if strings.HasPrefix(name, ".git/objects") || name == ".git/index" || own {
					delete(after, name)
					delete(before, name)
				}
			}
			if test.name == "with git" {
				g.shell("test -z \"$(git diff-files --name-only | grep -v -e clean -e dirty)\"")
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestWhatCannotComeBackIsNamed(t *testing.T) {
	g := newGround(t)
	g.put("big", strings.Repeat("x", scanFile+1))
	g.put("small", "x")
	call := g.compared("rm big small")
	if want := []string{"the earlier content is not kept of big"}; !slices.Equal(call.Gaps, want) {
		t.Errorf("gaps %q, want %q", call.Gaps, want)
	}
	plan, err := g.store.PlanUndo("")
	if err != nil {
		t.Fatal(err)
	}
	if c := plan.Conflicts(); len(c) != 1 || c[0].Path != "big" || c[0].Conflict != notKept {
		t.Errorf("conflicts %+v", c)
	}
	if g.compared("ls >/dev/null").ID != "" {
		t.Error("a command that changed nothing is in the history")
	}
}

// What another call changed while the command ran is that call's, and what the command made of it is the command's.
func TestWhatOtherCallsChangedMeanwhileIsTheirs(t *testing.T) {
	g := newGround(t)
	g.put("a", "1\n")
	g.put("b", "1\n")
	sc, err := g.store.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.call(file("a", "edited\n"), file("b", "edited\n"))
	g.put("b", "by the command\n")
	changes, err := g.store.Compare(t.Context(), sc, Call{ID: "command"})
	if err != nil || len(changes) != 1 || changes[0].Path != "b" {
		t.Fatalf("%v: %+v", err, changes)
	}
	g.apply(g.store.PlanUndo("command"))
	if a, b := g.get("a"), g.get("b"); a != "edited\n" || b != "edited\n" {
		t.Errorf("a is %q, b %q", a, b)
	}
}

// Git writes other bytes into the worktree than it has where attributes say so: it is not asked then.
func TestGitIsNotAskedWhereItConverts(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, setting := range []string{"echo '* filter=x' >.gitattributes", "git config core.autocrlf input"} {
		g := newGround(t)
		g.shell(repository + " && " + setting)
		sc, err := g.store.Scan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if sc.git[0] != nil {
			t.Errorf("%s: git counts for %d files", setting, len(sc.git[0].clean))
		}
	}
	g := newGround(t)
	g.shell(repository)
	sc, err := g.store.Scan(t.Context())
	if err != nil || sc.git[0] == nil || len(sc.git[0].clean) < 1 { // src/a too, if the index is a moment younger
		t.Fatalf("%v: %+v", err, sc.git)
	}
}
