package script_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/internal/workspace"
	"helve/parts/everything"
	part "helve/parts/script"
	"helve/script"
	"helve/tool"
)

// A task is one that a model is given, with the scripts that it writes until one runs, and what the last one comes to.
type task struct {
	words string
	tries []string
	told  []string // what the answer to the first one says to write in its place
	want  string   // JSON
}

// tasks reads testdata/tasks.txt.
func tasks(t *testing.T) (out []task) {
	t.Helper()
	text, err := os.ReadFile("testdata/tasks.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range strings.Split(string(text), "\n=== ")[1:] {
		words, rest, _ := strings.Cut(one, "\n")
		k := task{words: words}
		var lines []string
		for _, line := range strings.Split(strings.TrimRight(rest, "\n"), "\n") {
			switch {
			case line == "---":
				k.tries = append(k.tries, strings.Join(lines, "\n"))
				lines = nil
			case strings.HasPrefix(line, "!> "):
				k.told = append(k.told, line[3:])
			case strings.HasPrefix(line, "=> "):
				k.want = line[3:]
			default:
				lines = append(lines, line)
			}
		}
		k.tries = append(k.tries, strings.Join(lines, "\n"))
		out = append(out, k)
	}
	return out
}

// mostTries is how many scripts a model may write for one task.
const mostTries = 2

// What models write for ordinary tasks runs, or is refused with words that name the form that works, and what is
// written after these words runs. A first script that came to its end and to something else is no answer.
func TestScriptsThatModelsWriteRunByTheSecondTry(t *testing.T) {
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	y := openYard(t)
	all := tasks(t)
	first, second := 0, 0
	for _, k := range all {
		switch n := y.does(k); n {
		case 1:
			first++
		case mostTries:
			second++
		}
	}
	t.Logf("of %d scripts %d run as they are first written, %d after the answer", len(all), first, second)
	if len(all) < 200 || (first+second)*100 < 95*len(all) {
		t.Errorf("%d of %d run by the second try", first+second, len(all))
	}
}

// A yard is a workspace with a small project.
type yard struct {
	t     *testing.T
	dir   string
	files int // that were made
	ws    *workspace.Assembly
}

func openYard(t *testing.T) *yard {
	t.Helper()
	y := &yard{t: t, dir: t.TempDir()}
	y.fill()
	home := t.TempDir()
	ws, err := workspace.Open(t.Context(), workspace.Options{
		Dirs:    []string{y.dir},
		Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")},
		Mode:    "auto",
		Ask:     func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: true}, nil },
		Parts:   append(everything.Parts(), part.Part(part.Options{On: true})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	y.ws = ws
	return y
}

// fill makes the project, without what a script left in it.
func (y *yard) fill() {
	y.t.Helper()
	y.files = 0
	entries, err := os.ReadDir(y.dir)
	for _, e := range entries {
		if bad := os.RemoveAll(filepath.Join(y.dir, e.Name())); bad != nil {
			err = bad
		}
	}
	if err == nil {
		err = os.CopyFS(y.dir, os.DirFS("testdata/shop"))
	}
	if err == nil {
		err = filepath.WalkDir(y.dir, y.dated)
	}
	if err != nil {
		y.t.Fatal(err)
	}
}

// dated gives a file a time of its own: glob and grep list the newest first.
func (y *yard) dated(path string, e os.DirEntry, err error) error {
	if err != nil || e.IsDir() {
		return err
	}
	y.files++
	at := time.Date(2024, 5, 1, 0, 0, y.files, 0, time.UTC)
	return os.Chtimes(path, at, at)
}

// does is the number of the try that did a task; 0: none.
func (y *yard) does(k task) int {
	y.t.Helper()
	if len(k.tries) > mostTries || (len(k.tries) > 1) != (len(k.told) > 0) {
		y.t.Errorf("%s: %d tries, told %q", k.words, len(k.tries), k.told)
	}
	text := ""
	for i, source := range k.tries {
		y.fill()
		res := y.run(source)
		text = res.Text()
		switch {
		case res.Err == nil && y.result(res) == k.want:
			if i+1 < len(k.tries) {
				y.t.Errorf("%s: the first try does it: the second one is not needed", k.words)
			}
			return i + 1
		case res.Err == nil:
			y.t.Errorf("%s: got %s, want %s", k.words, y.result(res), k.want)
			return 0
		}
		for _, w := range k.told {
			if i == 0 && !strings.Contains(text, w) {
				y.t.Errorf("%s: told %s\nwant %q in it", k.words, text, w)
			}
		}
	}
	y.t.Logf("%s: %s", k.words, text)
	return 0
}

// result is what a script came to, as JSON.
func (y *yard) result(res *tool.Result) string {
	y.t.Helper()
	var out struct{ Result json.RawMessage }
	if err := json.Unmarshal(res.Data, &out); err != nil {
		y.t.Fatalf("%v: %s", err, res.Text())
	}
	return string(out.Result)
}

func (y *yard) run(source string) *tool.Result {
	y.t.Helper()
	args, err := json.Marshal(map[string]string{"script": source})
	if err != nil {
		y.t.Fatal(err)
	}
	session := y.ws.NewSession()
	defer session.Close()
	c := &tool.Call{ID: "c1", Name: script.Name, Args: args, Session: session, Dir: y.ws.Dir()}
	res, err := y.ws.Kit().Call(y.t.Context(), c)
	if err != nil {
		y.t.Fatal(err)
	}
	return res
}
