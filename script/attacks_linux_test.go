package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"helve/builtin"
	"helve/internal/testing/corpus"
	"helve/policy"
	"helve/script"
	"helve/tool"
)

// What is decided about a command does not depend on who makes the call: every command of the corpus, made from a script,
// has the verdict that it has by itself. Nothing runs.
func TestEveryCommandHasItsVerdictFromAScriptToo(t *testing.T) {
	b := newBench(t, tool.KitOptions{})
	files, err := builtin.Open(builtin.Options{Dirs: []string{t.TempDir()}, Environ: []string{"HOME=" + t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	var lines []string
	for _, c := range corpus.Attacks() {
		if line, ok := c.Command(); ok {
			lines = append(lines, line)
		}
	}
	lines = append(append(lines, corpus.Looking()...), corpus.Acting()...)
	scripts := script.Tool(nil, script.Options{})
	defer scripts.Close()
	r := &tool.Registry{}
	if err := r.Add(append(builtin.All(files), scripts)...); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var verdicts []string
	still := func(next tool.Runner) tool.Runner {
		return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
			if j.Spec.Calls {
				return next(ctx, j)
			}
			return tool.Textf("it would run"), nil
		}
	}
	watch := func(_ context.Context, e tool.Event) {
		if e.Step == tool.Judged && e.Job.Spec.Name == "bash" {
			mu.Lock()
			verdicts = append(verdicts, fmt.Sprint(e.Job.Call.Args, e.Verdict))
			mu.Unlock()
		}
	}
	for _, mode := range []policy.Mode{policy.AskFirst, policy.Auto} {
		kit := r.Kit(tool.KitOptions{Policy: mode, Watch: watch, Wrap: []func(tool.Runner) tool.Runner{still}, Ask: no})
		verdicts = nil
		for _, line := range lines {
			args := arguments(map[string]string{"command": line})
			if _, err := kit.Call(t.Context(), &tool.Call{Name: "bash", Args: args, Session: b.session}); err != nil {
				t.Fatal(err)
			}
		}
		direct := verdicts
		verdicts = nil
		for part := range chunks(lines, 200) {
			args, _ := json.Marshal(map[string]any{
				"script": "for line in inputs: try_call(bash, command=line)", "inputs": part, "timeout": 600_000,
			})
			res, err := kit.Call(t.Context(), &tool.Call{Name: "run_script", Args: args, Session: b.session})
			if err != nil || res.Err != nil {
				t.Fatal(res.Text(), err)
			}
		}
		if len(direct) != len(verdicts) {
			t.Fatalf("mode %v: %d verdicts directly, %d from scripts", mode, len(direct), len(verdicts))
		}
		for i := range direct {
			if direct[i] != verdicts[i] {
				t.Errorf("mode %v: %s\nfrom a script: %s", mode, direct[i], verdicts[i])
			}
		}
		t.Logf("mode %v: %d commands, %d judged", mode, len(lines), len(verdicts))
	}
}

// arguments are those of a call as a script writes them: its < and & are no codes.
func arguments(of map[string]string) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(of); err != nil {
		panic(err) // of texts
	}
	return bytes.TrimSpace(out.Bytes())
}

// no is a person who wants to see each call, and refuses it.
func no(_ context.Context, q *tool.Question) (tool.Answer, error) {
	return tool.Answer{Each: len(q.Calls) > 0}, nil
}

// chunks are the parts of a list.
func chunks(list []string, n int) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for len(list) > 0 {
			m := min(n, len(list))
			if !yield(list[:m]) {
				return
			}
			list = list[m:]
		}
	}
}

// A call that a policy, a hook of its own or a person refuses is refused in a script, and all are seen by what stands
// around calls.
func TestNoCallOfAScriptIsHidden(t *testing.T) {
	var seen []string
	var mu sync.Mutex
	note := func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			res, err := next(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprintf("%s %s %v", c.Name, c.Args, res.Err == nil))
			return res, err
		}
	}
	b := newBench(t, tool.KitOptions{Ask: no, Around: []func(tool.Caller) tool.Caller{note}})
	b.run("f = put\nx = [try_call(f, path='a'), try_call(lambda: f(path='b')), try_call(f, **{'path': 'c'})]\nparallel([lambda: try_call(f, path='d')])")
	if b.writes.Load() != 0 {
		t.Errorf("%d writes that a person refused", b.writes.Load())
	}
	var puts int
	for _, s := range seen {
		if strings.HasPrefix(s, "put ") && strings.HasSuffix(s, "false") {
			puts++
		}
	}
	if puts != 4 {
		t.Errorf("seen %q, want four refusals", seen)
	}
}

// The child has no files, no programs and no network by its language; what it is given says no more than that.
func TestAScriptReachesNothingButTools(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes})
	for _, name := range []string{"open", "load", "exec", "eval", "os", "sys", "__import__", "time", "socket", "subprocess", "getattr(json, '__class__')"} {
		b.fails("x = "+name+"\nx()", "")
	}
	b.fails(`load("json.star", "x")`, "")
	b.says(`[x for x in dir(json)]`, `["decode","dumps","encode","encode_indent","indent","loads"]`)
	b.says(`[x for x in dir(csv) + dir(datetime)]`, `["read","write","delta","from_unix","parse"]`)
	b.fails(`re.findall("(a+)+$", "a" * 30 + "b")[1]`, "out of range")
}

// A child that is killed between a call and its reply is an error that says what was done. No child is left behind.
func TestAKilledChildIsAnErrorAndLeavesNothing(t *testing.T) {
	began := make(chan bool, 1)
	wait := tool.New(tool.Spec{Name: "wait", Kind: tool.Read, Doc: tool.Doc{Short: "Waits."}},
		func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
			began <- true
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
				t.Error("nobody ended the call of a script whose child is gone")
			}
			return tool.Textf("waited"), nil
		})
	b := newBench(t, tool.KitOptions{Ask: yes}, wait)
	b.says("1", "1")
	idleHeld(t)
	before := children(t)
	done := make(chan *tool.Result)
	go func() { done <- b.run("add(a=1)\nwait()\nadd(a=2)") }()
	<-began
	for _, d := range before { // the one that waited runs the script now
		pid, _ := strconv.Atoi(filepath.Base(d))
		syscall.Kill(pid, syscall.SIGKILL)
	}
	res := <-done
	if res.Err == nil || !strings.Contains(res.Text(), `add {"a":1} (done)`) {
		t.Errorf("got %s", res.Text())
	}
	b.says("1", "1")
}

// Whoever kills helve at any moment of a script leaves no child behind.
func TestNoChildOutlivesItsParent(t *testing.T) {
	newBench(t, tool.KitOptions{})
	for i := range 6 {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), helperScript+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+i*60) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
	}
	for range 600 {
		if len(children(t)) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("left behind: %v", children(t))
}
