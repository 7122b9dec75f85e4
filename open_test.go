package helve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"helve"
	"helve/internal/testing/leaktest"
	parts "helve/parts/everything"
	"helve/tool"
)

// inTime is far above what anything here takes.
const inTime = 2 * time.Minute

// home is a person's home with a folder work in it, and the options of a program that this person starts there.
func home(t *testing.T) (dir string, o helve.Options) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, helve.Options{
		Dirs:    []string{work},
		Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")},
		Places:  helve.Places{Managed: filepath.Join(dir, "etc")},
		Parts:   parts.Parts(),
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// descriptors are what this process has open; 0 where the system does not tell.
func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// refused opens what cannot be opened: an error that says what is wrong, and nothing left open.
func refused(t *testing.T, o helve.Options, want ...string) {
	t.Helper()
	before := descriptors()
	w, err := helve.Open(t.Context(), o)
	if err == nil {
		w.Close()
		t.Fatalf("%+v was opened, want %q", o.Dirs, want)
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
	if after := descriptors(); after > before {
		t.Errorf("%q leaves %d descriptors", err, after-before)
	}
	if err := leaktest.Find(); err != nil {
		t.Error(err)
	}
}

func TestAFolderThatIsNoneIsRefused(t *testing.T) {
	dir, o := home(t)
	o.Dirs = []string{filepath.Join(dir, "nothing")}
	refused(t, o, "workspace: ", "nothing")
	put(t, filepath.Join(dir, "file"), "x")
	o.Dirs = []string{filepath.Join(dir, "file")}
	refused(t, o, "workspace: ", "is not a directory")
	o.Dirs = []string{filepath.Join(dir, "work"), filepath.Join(dir, "file")} // the second one
	refused(t, o, "is not a directory")
	o.Dirs = []string{""} // a variable that is not set must not mean wherever the program stands
	refused(t, o, "the name of the folder is empty")
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Skip("no links here: ", err)
	}
	o.Dirs = []string{filepath.Join(dir, "loop")}
	refused(t, o, "workspace: ")
}

func TestAFolderThatCannotBeReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("access lists, not modes")
	}
	dir, o := home(t)
	work := o.Dirs[0]
	for mode, what := range map[os.FileMode]string{0: "nothing", 0o300: "no reading", 0o600: "no entering"} {
		if err := os.Chmod(work, mode); err != nil {
			t.Fatal(err)
		}
		asNobody(t, dir, func() { refused(t, o, "workspace: ", "permission denied", "hint: ") })
		t.Log(what)
	}
	if err := os.Chmod(work, 0o700); err != nil { // so that it can be removed
		t.Fatal(err)
	}
}

// The root, the home and what holds helve's own files are more than a workspace should be: tools read there and change
// nothing, unless whoever starts helve says so.
func TestTheWidestFoldersCanOnlyBeRead(t *testing.T) {
	dir, o := home(t)
	o.Mode = "auto"
	if err := os.MkdirAll(filepath.Join(dir, "deep", "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	o.Places.State = filepath.Join(dir, "deep", "state")
	written := filepath.Join(dir, "deep", "new.txt")
	call := func(w *helve.Workspace, name, args string) *tool.Result {
		res, err := w.Kit().Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for _, folder := range []string{dir, filepath.Join(dir, "deep")} {
		o.Dirs, o.AllowHome = []string{folder}, false
		w, err := helve.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(folder, written)
		if err != nil {
			t.Fatal(err)
		}
		write := fmt.Sprintf(`{"file_path":%q,"contents":"x"}`, filepath.ToSlash(rel))
		if res := call(w, "write", write); res.Err == nil || !strings.Contains(res.Text(), "--allow-home") {
			t.Errorf("%s: write: %s", folder, res.Text())
		}
		if res := call(w, "bash", fmt.Sprintf(`{"command":"echo x > %s"}`, filepath.ToSlash(rel))); res.Err == nil {
			t.Errorf("%s: bash: %s", folder, res.Text())
		}
		if _, err := os.Stat(written); err == nil {
			t.Fatalf("%s: %s was written", folder, written)
		}
		// Nor does a program that nobody understands: its sandbox writes nothing there.
		if err := os.WriteFile(filepath.Join(folder, "make.sh"), []byte("echo x >made || :\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		res := call(w, "bash", `{"command":"sh make.sh"}`)
		if _, err := os.Stat(filepath.Join(folder, "made")); err == nil {
			t.Fatalf("%s: a script wrote: %s", folder, res.Text())
		}
		if res := call(w, "ls", `{}`); res.Err != nil {
			t.Errorf("%s: ls: %s", folder, res.Text())
		}
		w.Close()
		o.AllowHome = true
		if w, err = helve.Open(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if res := call(w, "write", write); res.Err != nil {
			t.Errorf("%s: write with AllowHome: %s", folder, res.Text())
		}
		for _, own := range []string{"state/x", "../deep/state/x", "deep/state/x", "./deep/../deep/state/x"} {
			res := call(w, "write", fmt.Sprintf(`{"file_path":%q,"contents":"x"}`, own))
			if _, err := os.Stat(filepath.Join(o.Places.State, "x")); err == nil {
				t.Errorf("%s: write %s: %s", folder, own, res.Text())
			}
		}
		w.Close()
		if err := os.Remove(written); err != nil {
			t.Error(err)
		}
	}
	o.Dirs, o.AllowHome = []string{t.TempDir(), dir}, false
	refused(t, o, "your home folder", "--allow-home")
}

func TestTheWidestFoldersAreWarnedOf(t *testing.T) {
	dir, o := home(t)
	root := filepath.VolumeName(dir) + string(filepath.Separator)
	for folder, want := range map[string]string{dir: "your home folder", root: "the root of the file system", o.Dirs[0]: ""} {
		heard := &hearing{}
		o.Dirs, o.Log = []string{folder}, slog.New(heard)
		w, err := helve.Open(t.Context(), o)
		if err != nil {
			t.Errorf("%s: %v", folder, err)
			continue
		}
		w.Close()
		if said := heard.String(); want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: said %q, want %q", folder, said, want)
		}
	}
}

// hearing is a log that can be read.
type hearing struct {
	mu sync.Mutex
	b  strings.Builder
}

func (h *hearing) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }
func (h *hearing) WithAttrs([]slog.Attr) slog.Handler           { return h }
func (h *hearing) WithGroup(string) slog.Handler                { return h }

func (h *hearing) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b.WriteString(r.Message + "\n")
	return nil
}

func (h *hearing) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}

// What is wrong in a configuration is said with its file and line, wherever it comes to light, and nothing stays open.
func TestABrokenConfigurationLeavesNothingOpen(t *testing.T) {
	for name, c := range map[string]struct {
		user, project string
		set           func(*helve.Options)
		want          []string
	}{
		"not JSON":        {project: "{\n  \"tools\": {\n", want: []string{".helve/config.json:3"}},
		"an unknown key":  {project: "{\n\n  \"relay\": {\"url\": \"nats://x\"}}", want: []string{".helve/config.json:3", `unknown key "relay"`}},
		"another one":     {user: "{\"engines\": [\n]}", want: []string{"config.json:1", `unknown key "engines"`}},
		"a wrong type":    {user: `{"tools": []}`, want: []string{"config.json:1", "tools"}},
		"a wrong rule":    {user: "{\"rules\": [\n{\"allow\": \"bash:'\"}]}", want: []string{"config.json:2", "a quote in it does not end"}},
		"a wrong hook":    {user: "{\"hooks\": [\n{\"on\": \"before\", \"command\": \"'\"}]}", want: []string{"config.json:2", "is no command"}},
		"wrong defaults":  {user: "{\"tool_options\":\n{\"grep\": {\"limits\": 1}}}", want: []string{"config.json:2", `no parameter "limits"`}},
		"an unknown name": {user: "{\n\"tools\": {\"wirte\": false}}", set: func(o *helve.Options) { o.Strict = true }, want: []string{"config.json:2", `did you mean "write"?`}},
		"a wrong mode":    {user: `{"mode": "free"}`, want: []string{"config.json:1"}},
		"no such mode":    {set: func(o *helve.Options) { o.Mode = "free" }, want: []string{"mode"}},
		"no such profile": {set: func(o *helve.Options) { o.Profile = "reviwer" }, want: []string{`profile "reviwer": there is none`}},
		"a tool twice":    {set: func(o *helve.Options) { o.Tools = []tool.Tool{named("read")} }, want: []string{`the name "read" is taken`}},
		"no user file":    {set: func(o *helve.Options) { o.Places.User = filepath.Join(o.Dirs[0], "none.json") }, want: []string{"none.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, o := home(t)
			if c.user != "" {
				put(t, filepath.Join(dir, ".config", "helve", "config.json"), c.user)
			}
			if c.project != "" {
				put(t, filepath.Join(o.Dirs[0], ".helve", "config.json"), c.project)
			}
			if c.set != nil {
				c.set(&o)
			}
			o.Resident = true // the most that can be left behind
			refused(t, o, c.want...)
		})
	}
}

// named is a tool of this name that waits until its call is over.
func named(name string) tool.Tool {
	spec := tool.Spec{Name: name, Kind: tool.Read, Doc: tool.Doc{Short: "Waits."}}
	return tool.New(spec, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
}

func TestAContextThatIsDoneOpensNothing(t *testing.T) {
	_, o := home(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := helve.Open(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Two programs, or one twice, work in one folder: nothing is lost and nothing is in the way.
func TestOneFolderIsOpenedTwiceAtOnce(t *testing.T) {
	dir, o := home(t)
	o.Mode, o.Resident = "auto", true
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			w, err := helve.Open(context.Background(), o)
			if err != nil {
				t.Error(err)
				return
			}
			args := fmt.Sprintf(`{"file_path":"%d.txt","contents":"%d\n"}`, i, i)
			res, err := w.Kit().Call(context.Background(), &tool.Call{Name: "write", Args: json.RawMessage(args)})
			if err != nil || res.Err != nil {
				t.Errorf("%d: %v, %v", i, err, res)
			}
			if err := w.Close(); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	all.Wait()
	used, err := helve.Records{Dir: filepath.Join(dir, ".local", "state", "helve")}.Usage()
	if err != nil || used["builtin:write"].Calls+used["write"].Calls != 8 {
		t.Errorf("counted %+v, %v", used, err)
	}
	if err := leaktest.Find(); err != nil {
		t.Error(err)
	}
}

func TestAWorkspaceIsClosedOnce(t *testing.T) {
	_, o := home(t)
	before := descriptors()
	w, err := helve.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	res, err := w.Kit().Call(t.Context(), &tool.Call{Name: "ls"})
	if err != nil || res.Err == nil || !strings.Contains(res.Text(), "the workspace is closed") {
		t.Errorf("a call after that: %v, %v", res, err)
	}
	if after := descriptors(); after > before {
		t.Errorf("%d descriptors are left", after-before)
	}
}

// Close ends the calls that run, and the commands that sessions left running; who called has a result that says so.
func TestClosingEndsWhatRuns(t *testing.T) {
	_, o := home(t)
	o.Mode, o.Tools = "auto", []tool.Tool{named("wait")}
	w, err := helve.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		res *tool.Result
		err error
	}
	over := make(chan outcome, 2)
	for _, c := range []tool.Call{
		{Name: "wait"},
		{Name: "bash", Args: json.RawMessage(`{"command":"sleep 600"}`), Session: w.NewSession()},
	} {
		go func() {
			res, err := w.Kit().Call(context.Background(), &c)
			over <- outcome{res, err}
		}()
	}
	time.Sleep(50 * time.Millisecond) // whether they run already or not, the outcome is the same
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		select {
		case got := <-over:
			if got.err != nil || got.res.Err == nil || got.res.Err.Code != tool.Cancelled {
				t.Errorf("%+v, %v", got.res, got.err)
			}
		case <-time.After(inTime):
			t.Fatal("a call goes on after Close")
		}
	}
	if err := leaktest.Find(); err != nil {
		t.Error(err)
	}
}
