package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"helve/internal/testing/wiretest"
)

// runs runs a prompt with the scripted model.
func (d *runDesk) runs(status int, args ...string) (stdout, stderr string) {
	d.t.Helper()
	return d.helve(status, append([]string{"run", "Go."}, append(args, d.asking()...)...)...)
}

// asked is the last request.
func (d *runDesk) asked() string {
	d.t.Helper()
	all := d.srv.Requests()
	if len(all) == 0 {
		d.t.Fatal("no model was asked")
	}
	return all[len(all)-1]
}

// Whatever stands in the place of AGENTS.md, the run goes on, the model reads no more of it than there is room for, and
// the person is told why not.
func TestAnInstructionThatIsOfNoUseIsToldOf(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "AGENTS.md")
	if err := os.WriteFile(outside, []byte("from outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := func(to string) func(d *runDesk) {
		return func(d *runDesk) {
			if err := os.Symlink(to, filepath.Join(d.dir, "AGENTS.md")); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	text := func(name, text string) func(d *runDesk) { return func(d *runDesk) { d.write(name, text) } }
	for _, c := range []struct {
		name, told, reads string
		times             int // that the model reads it
		make              []func(d *runDesk)
	}{
		{"10 MB", "AGENTS.md is cut: there is room for", "brief ", -1, []func(*runDesk){text("AGENTS.md", strings.Repeat("brief ", 10<<20/6))}},
		{"binary", "AGENTS.md is no text in UTF-8", "ELF-q7", 0, []func(*runDesk){text("AGENTS.md", "\x7fELF-q7\x00\xff\xfe")}},
		{"a circle", "", "round and round", 1, []func(*runDesk){text("AGENTS.md", "round and round @b.md\n"), text("b.md", "@AGENTS.md @b.md\n")}},
		{"a link to outside", "AGENTS.md leads out of the workspace", "from outside", 0, []func(*runDesk){link(outside)}},
		{"an import of outside", "leads out of the workspace", "from outside", 0, []func(*runDesk){text("AGENTS.md", "see @"+outside+" and @../../../../../etc/hostname\n")}},
		{"a link in a circle", "AGENTS.md", "", -1, []func(*runDesk){link("AGENTS.md")}},
	} {
		d := newRunDesk(t, wiretest.Turn{Text: "Done."})
		for _, make := range c.make {
			make(d)
		}
		_, told := d.runs(0, "--trust")
		if !strings.Contains(told, c.told) {
			t.Errorf("%s: told %s", c.name, told)
		}
		asked := d.asked()
		if c.times >= 0 && strings.Count(asked, c.reads) != c.times || len(asked) > 200<<10 {
			t.Errorf("%s: the model reads %d bytes, %d times %q", c.name, len(asked), strings.Count(asked, c.reads), c.reads)
		}
	}
}

// keptLog is the file of the one conversation.
func (d *runDesk) keptLog() string {
	d.t.Helper()
	logs, err := filepath.Glob(filepath.Join(filepath.Dir(d.dir), "home", ".local", "state", "helve", "sessions", "*", "conversation.jsonl"))
	if err != nil || len(logs) != 1 {
		d.t.Fatalf("%q, %v", logs, err)
	}
	return logs[0]
}

func changedFile(t *testing.T, file string, change func(string) string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := change(string(b))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return text
}

// A conversation that is cut goes on with what is whole; one of a newer version, of another workspace or of one that was
// moved says what can be done, and stays as it is.
func TestAConversationThatCannotGoOnSaysSo(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Text: "First."}, wiretest.Turn{Text: "Second."}, wiretest.Turn{Text: "Third."})
	d.helve(0, append([]string{"run", "Keep seven."}, d.asking()...)...)
	id := d.conversations()[0].ID
	changedFile(t, d.keptLog(), func(text string) string { return text + `{"type":"assistant","text":"Half of` })
	d.runs(0, "--continue")
	if asked := d.asked(); !strings.Contains(asked, "Keep seven.") || !strings.Contains(asked, "First.") || strings.Contains(asked, "Half of") {
		t.Errorf("after a cut the model reads %s", asked)
	}

	// Of another workspace, and of one that was moved.
	old, other := d.dir, filepath.Join(filepath.Dir(d.dir), "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	d.dir = other
	_, told := d.runs(2, "--resume="+id)
	wants(t, told, "is of", old, "-C "+old, "--fork")
	if err := os.Rename(old, old+"-moved"); err != nil {
		t.Fatal(err)
	}
	d.dir = old + "-moved"
	_, told = d.runs(2, "--continue")
	wants(t, told, "no conversation of this workspace yet")
	_, told = d.runs(2, "--resume="+id)
	wants(t, told, "is not there any more", "--fork")
	d.runs(0, "--resume="+id, "--fork")
	if asked := d.asked(); !strings.Contains(asked, "Keep seven.") {
		t.Errorf("the copy does not go on: %s", asked)
	}

	// Of a newer version.
	d = newRunDesk(t, wiretest.Turn{Text: "First."})
	d.runs(0)
	newer := changedFile(t, d.keptLog(), func(text string) string {
		return strings.Replace(text, `"version":`, `"version":9`, 1)
	})
	_, told = d.runs(1, "--continue")
	wants(t, told, "newer version")
	if now := changedFile(t, d.keptLog(), func(text string) string { return text }); now != newer {
		t.Errorf("it was changed: %s", now)
	}
}

// A dead process holds nothing: who comes next goes on, and is told what became of the call.
func TestADeadHolderHoldsNothing(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{bash("1", "sleep 600")}}, wiretest.Turn{Text: "Going on."})
	first := d.command(nil, "--yes")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	waitUntil(acpContext(t), t, func() bool {
		all := d.conversations()
		return len(all) == 1 && all[0].State == "running" && len(d.srv.Requests()) == 1
	})
	_ = first.Process.Kill()
	_ = first.Wait()
	out, told := d.runs(0, "--continue")
	wants(t, out, "Going on.")
	wants(t, told, "interrupted: bash")
}

// A model that streams what is none, speaks another format, calls what is not there, never stops or says nothing: the run
// ends with a word, and the conversation can be gone on with.
func TestAModelThatGoesWrongEndsWithAWord(t *testing.T) {
	t.Parallel()
	calls := func(name, args string) wiretest.Turn {
		return wiretest.Turn{Calls: []wiretest.Call{call("c", name, args)}}
	}
	again := func(n int, turn func(int) wiretest.Turn) (out []wiretest.Turn) {
		for i := range n {
			out = append(out, turn(i))
		}
		return out
	}
	reads := func(i int) wiretest.Turn { return calls("read", fmt.Sprintf(`{"file_path":"a.txt","offset":%d}`, i)) }
	for _, c := range []struct {
		name   string
		script []wiretest.Turn
		args   []string
		stop   string
		told   string
	}{
		{"garbage", again(8, func(int) wiretest.Turn { return wiretest.Turn{Raw: "data: \xff\xfe{{{\n\n"} }), nil, "error", ""},
		{"a page", again(8, func(int) wiretest.Turn { return wiretest.Turn{Raw: "<html>Log in</html>\n\n"} }), nil, "error", ""},
		{"another format", again(8, func(int) wiretest.Turn {
			return wiretest.Turn{Raw: "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n"}
		}), nil, "error", ""},
		{"a tool that is not there", again(8, func(int) wiretest.Turn { return calls("fly", `{}`) }), nil, "loop", "fly"},
		{"the same again", again(8, func(int) wiretest.Turn { return calls("read", `{"file_path":"none.txt"}`) }), nil, "loop", "read"},
		{"never stops", again(8, reads), []string{"--max-turns", "5"}, "max_turns", ""},
		{"no arguments", again(8, func(int) wiretest.Turn { return calls("read", `{"file`) }), nil, "loop", "read"},
	} {
		d := newRunDesk(t, append(c.script, wiretest.Turn{Text: "Well again."})...)
		out, _ := d.runs(1, append(c.args, "--yes", "--output-format", "json")...)
		var end struct {
			Stop  string
			Error *struct{ Message string }
		}
		if err := json.Unmarshal([]byte(out), &end); err != nil || end.Stop != c.stop {
			t.Errorf("%s: stop %q, want %q: %s", c.name, end.Stop, c.stop, out)
			continue
		}
		if c.stop == "error" && (end.Error == nil || end.Error.Message == "") || !strings.Contains(out, c.told) {
			t.Errorf("%s: told %s", c.name, out)
		}
		well := wiretest.OpenAI(t, wiretest.Turn{Text: "Well again."})
		said, _ := d.helve(0, "run", "-c", "And now?", "--base-url", well.URL)
		wants(t, said, "Well again.")
	}
}

// A model that writes without end is stopped, and not asked again for as much.
func TestAModelThatWritesWithoutEndIsStopped(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	chunk := `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("on and ", 8000) + `"}}]}` + "\n\n"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	d := newRunDesk(t)
	out, _ := d.helve(1, "run", "Go.", "--model", "openai/test", "--base-url", srv.URL, "--output-format", "json")
	if n := asked.Load(); !strings.Contains(out, "longer than") || n > 1 || len(out) > 64<<20 {
		t.Errorf("asked %d times, told %.300s", n, out)
	}
}

// A provider that is down, slow, out of credit or somebody else by its certificate: the person is told in good time, and
// with the status that means it.
func TestAProviderThatDoesNotAnswerIsToldOf(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`))
	}))
	defer empty.Close()
	other := httptest.NewTLSServer(http.NotFoundHandler())
	defer other.Close()
	other.Config.ErrorLog = nil
	for _, c := range []struct {
		name, url, more, told string
		status                int
	}{
		{"down", "http://127.0.0.1:1", "", "refused", 1},
		{"slow", "http://" + silent.Addr().String(), "--max-time=2s", "", 5},
		{"out of credit", empty.URL, "", "You exceeded your current quota", 1},
		{"another certificate", other.URL, "", "certificate", 1},
	} {
		d := newRunDesk(t)
		args := []string{"run", "Go.", "--model", "openai/test", "--base-url", c.url}
		if c.more != "" {
			args = append(args, c.more)
		}
		_, told := d.helve(c.status, args...)
		if !strings.Contains(told, c.told) || strings.Contains(told, "goroutine ") {
			t.Errorf("%s: told %s", c.name, told)
		}
	}
}

// A key command that never ends is ended, and told.
func TestAKeyCommandThatHangsIsEnded(t *testing.T) {
	if testing.Short() {
		t.Skip("it costs half a minute")
	}
	t.Parallel()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("sleep is not installed")
	}
	d := newRunDesk(t)
	d.configure(`{"providers":{"mine":{"kind":"openai","base_url":"` + d.srv.URL + `","key_command":["` + sleep + `","600"]}}}`)
	_, told := d.helve(4, "run", "Go.", "--model", "mine/test")
	wants(t, told, "the key_command of mine did not end in 30s")
	if len(d.srv.Requests()) > 0 {
		t.Error("the model was asked")
	}
}
