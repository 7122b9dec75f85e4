package check

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helve/internal/change"
)

var configurations = flag.Int("configurations", 60, "how many random configurations are compared with what git opens and runs")

// A world is a home and a workspace whose settings name paths below work/o, which nothing else reads.
type world struct {
	t          *testing.T
	r          *rand.Rand
	base       string
	home, work string
	names      int
}

func newWorld(t *testing.T, template string, r *rand.Rand) *world {
	t.Helper()
	base, err := os.MkdirTemp(t.TempDir(), "w")
	need(t, err)
	w := &world{t: t, r: r, base: base, home: filepath.Join(base, "home"), work: filepath.Join(base, "home", "work")}
	need(t, os.CopyFS(w.work, os.DirFS(template)))
	need(t, os.Mkdir(filepath.Join(w.work, "o"), 0o755))
	return w
}

func need(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) env() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
		"GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e"}
}

func (w *world) getenv(name string) string {
	for _, e := range w.env() {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// put writes a file; a folder on the way may be a link.
func (w *world) put(path, text string) {
	os.MkdirAll(filepath.Dir(path), 0o755)
	os.WriteFile(path, []byte(text), 0o755)
}

// target is the path of something new below o, in one of three forms, and where its content stands or would.
func (w *world) target(text string) (path string) {
	w.names++
	name := fmt.Sprintf("o/n%d/x%d", w.names, w.names)
	if w.r.IntN(4) == 0 {
		name = fmt.Sprintf("o/x%d", w.names)
	}
	at := filepath.Join(w.work, name)
	os.MkdirAll(filepath.Dir(at), 0o755)
	switch w.r.IntN(4) {
	case 0: // absent
	case 1: // behind a link, there or not
		real := filepath.Join(w.work, fmt.Sprintf("o/real%d", w.names))
		need(w.t, os.Symlink("../"+strings.Repeat("../", strings.Count(name, "/")-1)+"o/"+filepath.Base(real), at))
		if w.r.IntN(2) == 0 {
			w.put(real, text)
		}
	case 2: // behind a folder that is a link
		os.RemoveAll(filepath.Dir(at))
		os.MkdirAll(filepath.Join(w.work, "o"), 0o755)
		if dir := filepath.Dir(at); filepath.Base(dir) != "o" {
			real := fmt.Sprintf("r%d", w.names)
			need(w.t, os.Mkdir(filepath.Join(w.work, "o", real), 0o755))
			need(w.t, os.Symlink(real, dir))
		}
		w.put(at, text)
	default:
		w.put(at, text)
	}
	return name
}

// spelled writes a path below the workspace in one of the ways that git knows, as seen from a folder below it.
func (w *world) spelled(name, up string) string {
	switch w.r.IntN(4) {
	case 0:
		return filepath.Join(w.work, name)
	case 1:
		return "~/work/" + name
	case 2:
		return up + "./" + name
	}
	return up + name
}

const program = "#!/bin/sh\ncat 2>/dev/null\nexit 0\n"

// settings are random settings for a file from which the workspace is up.
func (w *world) settings(up string, depth int) string {
	var b strings.Builder
	for range 1 + w.r.IntN(3) {
		b.WriteString(w.setting(up, depth))
	}
	return b.String()
}

func (w *world) setting(up string, depth int) string {
	here := func(text string) string { return w.spelled(w.target(text), "") }
	switch w.r.IntN(12) {
	case 0, 1, 2:
		if depth > 3 {
			return ""
		}
		section := []string{"include", `includeIf "gitdir:**"`, `includeIf "gitdir:/nowhere/"`, `includeIf "onbranch:main"`,
			`includeIf "hasconfig:remote.*.url:x"`}[w.r.IntN(5)]
		name := w.target("")
		text := w.settings(strings.Repeat("../", strings.Count(name, "/")), depth+1)
		if w.r.IntN(3) > 0 {
			w.put(filepath.Join(w.work, name), text)
		}
		return fmt.Sprintf("[%s]\n\tpath = %s\n", section, w.spelled(name, up))
	case 3:
		return fmt.Sprintf("[core]\n\tfsmonitor = %s\n", here(program))
	case 4:
		dir := filepath.Dir(w.target(program))
		if w.r.IntN(2) == 0 {
			w.put(filepath.Join(w.work, dir, "post-index-change"), program)
		}
		return fmt.Sprintf("[core]\n\thooksPath = %s\n", w.spelled(dir, ""))
	case 5:
		return fmt.Sprintf("[core]\n\tattributesFile = %s\n", here("* filter=f\n"))
	case 6:
		return fmt.Sprintf("[filter \"f\"]\n\tclean = sh %s\n\tsmudge = cat\n", w.target(program))
	case 7:
		return fmt.Sprintf("[diff \"f\"]\n\ttextconv = \"sh -c 'sh %s $1' -\"\n", w.target(program))
	case 8:
		return fmt.Sprintf("[alias]\n\tq = \"!cd o && sh ../%s\"\n", w.target(program))
	case 9:
		return fmt.Sprintf("[alias]\n\tq = \"!sh \\\"$(git rev-parse --show-toplevel)/%s\\\"\"\n", w.target(program))
	case 10:
		return fmt.Sprintf("[diff]\n\texternal = sh ./%s\n", w.target(program))
	}
	return fmt.Sprintf("[alias]\n\tq = -c core.fsmonitor=%s status\n", w.target(program))
}

// links has some of git's own files lie elsewhere.
func (w *world) links() {
	git := filepath.Join(w.work, ".git")
	for _, name := range []string{"hooks", "info", "config", "config.worktree"} {
		if w.r.IntN(6) > 0 {
			continue
		}
		at := filepath.Join(git, name)
		real := filepath.Join(w.work, "o", "own-"+name)
		if err := os.Rename(at, real); err != nil {
			os.MkdirAll(real, 0o755)
		}
		os.RemoveAll(at)
		need(w.t, os.Symlink("../o/own-"+name, at))
	}
	if w.r.IntN(3) == 0 {
		at := filepath.Join(git, "hooks", "post-index-change")
		os.Remove(at)
		os.Symlink(filepath.Join(w.work, w.target(program)), at)
	}
}

// build writes all settings of the world.
func (w *world) build() {
	git := filepath.Join(w.work, ".git")
	own, err := os.ReadFile(filepath.Join(git, "config"))
	need(w.t, err)
	w.put(filepath.Join(w.home, ".gitconfig"), w.settings("work/", 0))
	w.put(filepath.Join(git, "config"), string(own)+w.settings("../", 0))
	if w.r.IntN(3) == 0 {
		w.put(filepath.Join(git, "config"), string(own)+"[extensions]\n\tworktreeConfig = true\n"+w.settings("../", 0))
		w.put(filepath.Join(git, "config.worktree"), w.settings("../", 0))
	}
	w.put(filepath.Join(w.work, ".gitattributes"), "* filter=f diff=f\n")
	w.links()
	w.put(filepath.Join(git, "info", "exclude"), "/o/\n")
}

// quotedPath is the first path of a line of strace.
var quotedPath = regexp.MustCompile(`^\d+ +(\w+)\((?:AT_FDCWD, )?"((?:[^"\\]|\\.)*)"`)

// opened are the paths below o that git and what it runs asked for, from the top of the workspace.
func (w *world) opened(command string) []string {
	w.t.Helper()
	trace := filepath.Join(w.base, "trace")
	cmd := exec.Command("strace", "-f", "-qq", "-s", "4096", "-e", "trace=%file", "-o", trace, "bash", "--noprofile", "--norc", "-c", command)
	cmd.Dir, cmd.Env = w.work, w.env()
	cmd.Run() // what git refuses is of interest, too
	text, err := os.ReadFile(trace)
	need(w.t, err)
	if len(text) == 0 {
		w.t.Skip("strace does not work here")
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		m := quotedPath.FindStringSubmatch(line)
		if m == nil || m[1] == "chdir" || m[1] == "getcwd" {
			continue
		}
		path := m[2]
		if !filepath.IsAbs(path) {
			path = w.work + "/" + path
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Whatever git opens or runs by its settings is guarded, whether it is there or not, and so is each link on the way.
func TestNothingThatGitOpensOrRunsIsMissing(t *testing.T) {
	for _, program := range []string{"git", "strace"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	template := filepath.Join(t.TempDir(), "template")
	out, err := exec.Command("bash", "--noprofile", "--norc", "-ec", `git init -q -b main --template= "$0" && cd "$0" && echo 1 >a && git add a &&
		git -c user.name=n -c user.email=e commit -q -m x && echo 2 >a && mkdir .git/hooks .git/info`, template).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := rand.New(rand.NewPCG(5, uint64(*configurations)))
	asked := 0
	for i := range *configurations {
		w := newWorld(t, template, r)
		w.build()
		asked += w.compare(i)
		os.RemoveAll(w.base)
	}
	t.Logf("%d configurations, %d paths that git asked for", *configurations, asked)
	if asked < *configurations {
		t.Errorf("git asked for %d paths of %d configurations: they show little", asked, *configurations)
	}
}

// compare holds what git asks for against what is guarded, and tells how many paths that were.
func (w *world) compare(round int) int {
	t := w.t
	v, err := newView(Options{Roots: []string{w.work}}, &change.Set{})
	need(t, err)
	defer v.close()
	files, _ := v.states()
	g := newGuarded(nil)
	newSurvey(files, w.getenv, g)
	command := []string{"git status", "git diff HEAD; git add -A", "git q", "git commit --allow-empty -m x", "git checkout -q -b n"}[w.r.IntN(5)]
	asked := 0
	paths := w.opened("git config --list --show-origin --includes >origins; git rev-parse --git-path hooks; " + command)
	for _, path := range append(paths, w.origins()...) {
		end, links, _ := files.resolve(path)
		for _, at := range append(links, end) {
			p, inside := files.place(at)
			below, _ := strings.CutPrefix(string(p.Path), "o/")
			e, _ := v.after(p)
			if !inside || below == string(p.Path) || e.Type == change.Dir || strings.Contains(below, ".git") || w.gits(below) {
				continue
			}
			asked++
			if g.why(p, false) == "" {
				t.Errorf("round %d: %s: git asks for %s (%s), which is not guarded", round, command, p.Path, path)
				w.show()
			}
		}
	}
	return asked
}

// gits reports what git keeps in its folder of information beside what it obeys.
func (w *world) gits(below string) bool {
	return slices.Contains([]string{"own-info/exclude", "own-info/grafts", "own-info/sparse-checkout"}, below)
}

// origins are the files that git names as those of its settings.
func (w *world) origins() []string {
	text, _ := os.ReadFile(filepath.Join(w.work, "origins"))
	var out []string
	for line := range strings.Lines(string(text)) {
		file, _, _ := strings.Cut(line, "\t")
		name, isFile := strings.CutPrefix(file, "file:")
		if isFile && !filepath.IsAbs(name) {
			name = filepath.Join(w.work, name)
		}
		if isFile {
			out = append(out, name)
		}
	}
	return out
}

// show prints the settings of a world.
func (w *world) show() {
	out, _ := exec.Command("bash", "-c", `cd "$0"; head -30 ../.gitconfig .git/config .git/config.worktree; find o .git/hooks -ls | cut -c60-; grep -r . o | head -40`, w.work).CombinedOutput()
	w.t.Logf("%s", out)
}
