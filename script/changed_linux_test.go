package script_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/policy"
	"helve/script"
	"helve/tool"
	"helve/wrap"
)

// A yard is a kit with all built-in tools and run_script over a folder with some files.
type yard struct {
	dir     string
	kit     *tool.Kit
	session *tool.Session
	records []wrap.Record
	began   chan bool // a call of wait has begun
	time    time.Duration
}

// What a script may take: more than any does on a busy machine, or no more than lets it come to the call that waits.
const (
	ample = time.Minute
	soon  = 8 * time.Second
)

// yardFiles is how many files there are.
const yardFiles = 20

func newYard(t *testing.T, ask tool.Asker) *yard {
	t.Helper()
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	y := &yard{dir: t.TempDir(), session: &tool.Session{ID: "s"}, began: make(chan bool, 1)}
	for i := range yardFiles {
		if err := os.WriteFile(filepath.Join(y.dir, yardFile(i)), []byte(yardText(yardFile(i))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := builtin.Open(builtin.Options{
		Dirs:    []string{y.dir},
		State:   t.TempDir(),
		Environ: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")},
		Sandbox: builtin.Sandbox{Level: sandbox.WorkspaceWrite},
		History: builtin.History{On: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	wait := tool.New(tool.Spec{Name: "wait", Kind: tool.Read, Doc: tool.Doc{Short: "Waits."}},
		func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
			y.began <- true
			<-ctx.Done()
			return nil, ctx.Err()
		})
	scripts := script.Tool(nil, script.Options{})
	t.Cleanup(func() { scripts.Close(); y.session.Close() })
	r := &tool.Registry{}
	if err := r.Add(slices.Concat(builtin.All(files), builtin.Past(files), []tool.Tool{scripts, wait})...); err != nil {
		t.Fatal(err)
	}
	audit := wrap.Audit(wrap.AuditOptions{Write: func(line []byte) error {
		var one wrap.Record
		err := json.Unmarshal(line, &one)
		y.records = append(y.records, one)
		return err
	}})
	y.kit = r.Kit(tool.KitOptions{Policy: policy.AskFirst, Ask: ask, Around: []func(tool.Caller) tool.Caller{audit}})
	return y
}

func yardFile(i int) string { return fmt.Sprintf("f%02d.txt", i) }

// yardText is what a file has: no two have the same, so that a rename is one.
func yardText(name string) string { return "one\n" + name + "\n" }

// call calls run_script. What the host says beside a result is not of interest.
func (y *yard) call(t *testing.T, ctx context.Context, source string, resume *tool.Resume) *tool.Result {
	t.Helper()
	args, err := json.Marshal(map[string]any{"script": source, "timeout": cmp.Or(y.time, ample).Milliseconds()})
	if err != nil {
		t.Fatal(err)
	}
	res, err := y.kit.Call(ctx, &tool.Call{ID: "c1", Name: "run_script", Args: args, Session: y.session, Resume: resume})
	if res == nil {
		t.Fatal(err)
	}
	return res
}

// changed are the files that are not what they were, as they stand on disk.
func (y *yard) changed(t *testing.T) []string {
	t.Helper()
	var out []string
	entries, err := os.ReadDir(y.dir)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(y.dir, e.Name()))
		left[e.Name()] = true
		if string(text) != yardText(e.Name()) {
			out = append(out, e.Name())
		}
	}
	for i := range yardFiles {
		if !left[yardFile(i)] {
			out = append(out, yardFile(i))
		}
	}
	slices.Sort(out)
	return out
}

var (
	saysChanged = regexp.MustCompile(`(?m)^  (?:created|modified|deleted|renamed (\S+) →) (\S+)$`)
	saysUndo    = regexp.MustCompile(`helve undo (\S+?)[;.]`)
)

// checks that an answer names what is on disk, and that its undo takes all of it back.
func (y *yard) checks(t *testing.T, text string) {
	t.Helper()
	var named []string
	for _, m := range saysChanged.FindAllStringSubmatch(text, -1) {
		named = append(named, m[2])
		if m[1] != "" {
			named = append(named, m[1])
		}
	}
	slices.Sort(named)
	if got := y.changed(t); !slices.Equal(got, named) || len(got) == 0 {
		t.Errorf("on disk %q, named %q, in\n%s", got, named, text)
	}
	undo := saysUndo.FindStringSubmatch(text)
	if undo == nil {
		t.Fatalf("no undo in\n%s", text)
	}
	args, _ := json.Marshal(map[string]string{"call": undo[1]})
	res, err := y.kit.Call(t.Context(), &tool.Call{Name: "undo", Args: args, Session: y.session})
	if err != nil || res.Err != nil && res.Need == nil {
		t.Fatal(res.Text(), err)
	}
	if got := y.changed(t); res.Need == nil && len(got) > 0 {
		t.Errorf("after the undo %q is still changed", got)
	}
}

// unforeseen edits files so that nobody can say before what it will call.
const unforeseen = `
for f in sorted([f.path for f in glob(pattern="f*.txt").files]):
    n = int(f[1:3])
    read(file_path=f)
    if n == 3: write(file_path="new.txt", contents="new\n")
    if n == 5: bash(command="mv f19.txt moved.txt; rm f18.txt")
    if n == 7: last(f)
    if n < 10: edit(file_path=f, old_string="one", new_string="two")
`

// However a script ends before its end, its answer names each file that is another one on disk, none besides, the call
// that was not done, and an undo that takes all of it back.
func TestAScriptThatEndsEarlyNamesWhatIsOnDisk(t *testing.T) {
	refusing := func(ctx context.Context, q *tool.Question) (tool.Answer, error) {
		return tool.Answer{Yes: !strings.Contains(q.Job.Title, "f07"), Each: len(q.Calls) > 0}, nil
	}
	for _, c := range []struct {
		name, last string
		ask        tool.Asker
		time       time.Duration
		cancel     bool
		want       []string
	}{
		{name: "it fails", last: `def last(f): fail("because")`, ask: yes, want: []string{"because"}},
		{name: "a call fails", last: `def last(f): edit(file_path=f, old_string="none", new_string="x")`, ask: yes,
			want: []string{`"old_string":"none"`, "(failed)"}},
		{name: "a person refuses", last: `def last(f): pass`, ask: refusing, want: []string{`f07.txt`, "(refused)"}},
		{name: "the time is over", last: `def last(f): wait()`, ask: yes, time: soon, want: []string{"timed out", "wait {} (cancelled"}},
		{name: "it is cancelled", last: `def last(f): wait()`, ask: yes, cancel: true, want: []string{"cancelled", "wait {} (cancelled"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newYard(t, c.ask)
			y.time = c.time
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancel {
				go func() { <-y.began; cancel() }()
			}
			res := y.call(t, ctx, c.last+unforeseen, nil)
			if res.Err == nil {
				t.Fatal(res.Text())
			}
			for _, want := range c.want {
				if !strings.Contains(res.Text(), want) {
					t.Errorf("no %q in\n%s", want, res.Text())
				}
			}
			var meta struct{ Undo string }
			if json.Unmarshal(res.Meta, &meta) != nil || !strings.Contains(res.Text(), "helve undo "+meta.Undo+";") {
				t.Errorf("metadata %s", res.Meta)
			}
			y.checks(t, res.Text())
		})
	}
}

// A script whose client is asked so often that it is given up: what is said until then names the files of all rounds,
// and the call that waits.
func TestAScriptThatWaitsSaysWhatItDidSoFar(t *testing.T) {
	var said atomic.Value
	y := newYard(t, client(&said))
	source := "def last(f): pass" + unforeseen
	res := y.call(t, t.Context(), source, nil)
	for range 6 {
		if res.Need == nil {
			t.Fatal(res.Text())
		}
		res = y.call(t, t.Context(), source, &tool.Resume{State: res.Need.State, Answers: json.RawMessage(`{"approval":"yes"}`)})
	}
	if res.Need == nil || !strings.Contains(res.Need.SoFar, "Not done, like all that comes after it in the script:\n") ||
		!strings.Contains(res.Need.SoFar, "waits for approval") {
		t.Fatalf("%+v", res.Need)
	}
	y.checks(t, res.Need.SoFar)
}

// What was agreed to ahead and did not come about is named, too.
func TestCallsThatWereAgreedToAndNotReachedAreNamed(t *testing.T) {
	y := newYard(t, yes)
	res := y.call(t, t.Context(), `
write(file_path="a.txt", contents="a\n")
read(file_path="f01.txt")
edit(file_path="f01.txt", old_string="none", new_string="x")
write(file_path="b.txt", contents="b\n")
`, nil)
	text := res.Text()
	_, open, _ := strings.Cut(text, "Not done,")
	if res.Err == nil || !strings.Contains(open, `write {"file_path":"b.txt","contents":"b\n"} (not made)`) || strings.Contains(open, "a.txt") {
		t.Errorf("got %s", text)
	}
	y.checks(t, text)
}

// The record of the script itself has the name of the family that its calls have as their parent.
func TestTheRecordOfAScriptHasWhatItsCallsNameAsParent(t *testing.T) {
	for _, source := range []string{
		`write(file_path="a.txt", contents="a\n")`,
		"write(file_path='a.txt', contents='a\\n')\nfail('so')",
	} {
		y := newYard(t, yes)
		y.call(t, t.Context(), source, nil)
		if len(y.records) != 2 {
			t.Fatalf("%+v", y.records)
		}
		of, own := y.records[0], y.records[1]
		if of.Name != "write" || own.Name != "run_script" || of.Parent == "" || own.Family != of.Parent || of.Family != "" {
			t.Errorf("%s: its call has the parent %q, the script the family %q", source, of.Parent, own.Family)
		}
	}
}
