package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/wiretest"
)

// A rawEditor writes to helve acp what it likes.
type rawEditor struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	got chan []byte // lines, until the output ends
}

func rawACP(t *testing.T, d *runDesk, args ...string) *rawEditor {
	t.Helper()
	e := &rawEditor{t: t, got: make(chan []byte)}
	e.cmd = exec.CommandContext(acpContext(t), d.bin, append([]string{"acp"}, args...)...)
	e.cmd.Dir, e.cmd.Env = d.dir, d.env
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	ctx := acpContext(t)
	go func() { // ends with the process, or the test
		defer close(e.got)
		sc := bufio.NewScanner(out)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			select {
			case e.got <- bytes.Clone(sc.Bytes()):
			case <-ctx.Done():
				return
			}
		}
	}()
	e.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
	e.until(func(m map[string]any) bool { return m["id"] == 0.0 })
	return e
}

func (e *rawEditor) say(line string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, line+"\n"); err != nil {
		e.t.Fatal(err)
	}
}

// until reads up to the message that is meant, which it returns.
func (e *rawEditor) until(meant func(map[string]any) bool) map[string]any {
	e.t.Helper()
	for line := range e.got {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			e.t.Fatalf("not a message: %.200q", line)
		}
		if meant(m) {
			return m
		}
	}
	e.t.Fatal("it ended before")
	return nil
}

// answer is what comes for a request: the code of an error, or 0.
func (e *rawEditor) answer(id float64) (map[string]any, float64) {
	e.t.Helper()
	m := e.until(func(m map[string]any) bool { return m["id"] == id && m["method"] == nil })
	if bad, ok := m["error"].(map[string]any); ok {
		return m, bad["code"].(float64)
	}
	return m, 0
}

// session begins one, and returns its ID.
func (e *rawEditor) session(dir string) string {
	e.t.Helper()
	e.say(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"` + dir + `","mcpServers":[]}}`)
	m, code := e.answer(1)
	if code != 0 {
		e.t.Fatal(m)
	}
	return m["result"].(map[string]any)["sessionId"].(string)
}

// ends waits for helve, which is to end well.
func (e *rawEditor) ends() {
	e.t.Helper()
	for range e.got {
	}
	if err := e.cmd.Wait(); err != nil {
		e.t.Error(err)
	}
}

// What is no message, or means nothing here, is refused in the protocol's words; the next one is served.
func TestWhatAnEditorMustNotSayEndsNothing(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Text: "Hello."})
	e := rawACP(t, d, d.asking()...)
	id := e.session(d.dir)
	big := strings.Repeat("x", 50<<20)
	for _, c := range []struct {
		line string
		code float64
	}{
		{`{"jsonrpc":"2.0","id":2,"method":"session/pr`, -32700},
		{`[{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}]`, -32600},
		{`{"jsonrpc":"2.0","id":2,"method":"session/fly","params":{}}`, -32601},
		{`{"jsonrpc":"2.0","id":2,"method":"session/prompt"}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":7,"prompt":[]}}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[]}}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[{"type":"image","data":"","mimeType":"image/png"}]}}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[{"type":"text","text":"` + big + `"}]}}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"0000000000","prompt":[{"type":"text","text":"Hi"}]}}`, -32002},
		{`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"` + d.dir + `/none","mcpServers":[]}}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"` + d.dir + `","mcpServers":[{"name":"","command":"x","args":[],"env":[]}]}}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"` + id + `","configId":"mode","value":true}}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"authenticate","params":{"methodId":"magic"}}`, -32602},
	} {
		e.say(c.line)
		m := e.until(func(m map[string]any) bool { return m["error"] != nil })
		bad := m["error"].(map[string]any)
		if bad["code"] != c.code {
			t.Errorf("%.100s: %v, want %v", c.line, bad, c.code)
		}
	}
	// Answers that nobody waits for, and notifications that nobody knows, mean nothing.
	e.say(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	e.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"0000000000"}}`)
	e.say(`{"jsonrpc":"2.0","method":"_own/thing","params":{}}`)
	e.say(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":77}}`)
	e.say(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[{"type":"text","text":"Hi"}]}}`)
	if m, code := e.answer(3); code != 0 {
		t.Error(m)
	}
	e.in.Close()
	e.ends()
}

// Nothing is served before the editor has introduced itself.
func TestAnEditorIntroducesItselfFirst(t *testing.T) {
	d := newRunDesk(t)
	cmd := exec.CommandContext(acpContext(t), d.bin, "acp")
	cmd.Dir, cmd.Env = d.dir, d.env
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"` + d.dir + `","mcpServers":[]}}` + "\n")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "before initialize") || !strings.Contains(string(out), "-32600") {
		t.Errorf("%s, %v", out, err)
	}
}

// A question that is answered twice was answered once. While one waits, a second prompt is refused.
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{bash("1", "printf x >> made"), bash("2", "printf y >> made")}}, wiretest.Turn{Text: "Done."})
	e := rawACP(t, d, d.asking()...)
	id := e.session(d.dir)
	prompt := func(n string) string {
		return `{"jsonrpc":"2.0","id":` + n + `,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[{"type":"text","text":"Do it."}]}}`
	}
	asked := func() string {
		m := e.until(func(m map[string]any) bool { return m["method"] == "session/request_permission" })
		b, _ := json.Marshal(m["id"])
		return string(b)
	}
	answer := func(id, option string) {
		e.say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}}`)
	}
	e.say(prompt("2"))
	first := asked()
	e.say(prompt("3"))
	if m, code := e.answer(3); code != -32600 {
		t.Error(m)
	}
	answer(first, "no")
	answer(first, "yes")
	second := asked()
	answer(first, "yes")
	answer(second, "yes")
	if m, code := e.answer(2); code != 0 {
		t.Error(m)
	}
	e.in.Close()
	e.ends()
	d.holds("made", "y")
}

// An editor that dies while a question is open, or in the middle of a message, leaves nothing running, and nothing is
// done that it did not answer.
func TestAnEditorDiesAtAQuestion(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{bash("1", "touch made")}})
	e := rawACP(t, d, d.asking()...)
	id := e.session(d.dir)
	e.say(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + id + `","prompt":[{"type":"text","text":"Do it."}]}}`)
	e.until(func(m map[string]any) bool { return m["method"] == "session/request_permission" })
	if _, err := io.WriteString(e.in, `{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"sel`); err != nil {
		t.Fatal(err)
	}
	e.in.Close()
	e.ends()
	if d.there("made") {
		t.Error("it was done")
	}
	// What was said is kept, and can be gone on with.
	e = rawACP(t, d, d.asking()...)
	e.say(`{"jsonrpc":"2.0","id":4,"method":"session/load","params":{"sessionId":"` + id + `","cwd":"` + d.dir + `","mcpServers":[]}}`)
	e.until(func(m map[string]any) bool {
		b, _ := json.Marshal(m)
		return strings.Contains(string(b), `"user_message_chunk"`) && strings.Contains(string(b), "Do it.")
	})
	if m, code := e.answer(4); code != 0 {
		t.Error(m)
	}
	// Another process cannot take it meanwhile.
	other := rawACP(t, d, d.asking()...)
	other.say(`{"jsonrpc":"2.0","id":5,"method":"session/resume","params":{"sessionId":"` + id + `","cwd":"` + d.dir + `","mcpServers":[]}}`)
	if m, code := other.answer(5); code == 0 {
		t.Error(m)
	}
	other.in.Close()
	other.ends()
	e.in.Close()
	e.ends()
}

// there tells whether a file is there.
func (d *runDesk) there(name string) bool {
	_, err := os.Lstat(filepath.Join(d.dir, name))
	return err == nil
}

// Without a model, or without its key, the editor is told what is missing as what it can have a person mend.
func TestAnEditorIsToldThatNoModelIsThere(t *testing.T) {
	d := newRunDesk(t)
	for _, c := range []struct{ config, want string }{
		{`{}`, "want a model"},
		{`{"model":"anthropic/claude-x"}`, "ANTHROPIC_API_KEY"},
	} {
		d.configure(c.config)
		e := rawACP(t, d)
		e.say(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"` + d.dir + `","mcpServers":[]}}`)
		opened, code := e.answer(2)
		e.say(`{"jsonrpc":"2.0","id":3,"method":"authenticate","params":{"methodId":"helve"}}`)
		logged, again := e.answer(3)
		said, _ := json.Marshal([]any{opened, logged})
		if code != -32000 || again != -32000 || strings.Count(string(said), c.want) != 2 {
			t.Errorf("%s: %s", c.config, said)
		}
		e.in.Close()
		e.ends()
	}
}

// asking are the flags that have the scripted model asked.
func (d *runDesk) asking() []string {
	return []string{"--model", "openai/test", "--base-url", d.srv.URL}
}
