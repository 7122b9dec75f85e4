package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"helve/internal/testing/wiretest"
)

// A scriptedEditor is the person and the editor at the other end of helve acp: it notes what it is told and asked, and
// answers questions by a function.
type scriptedEditor struct {
	answer func(acp.RequestPermissionRequest) string // the ID of an option; "": it is closed
	hangs  bool                                      // nobody answers, until the agent wants no answer any more

	mu                sync.Mutex
	withdrawn         int // questions that the agent took back
	updates           []acp.SessionUpdate
	sessions          []acp.SessionId // that each of them is of
	asked             []acp.RequestPermissionRequest
	buffers           map[string]string // of files that are open, by path
	saves             bool              // what is written into a buffer goes to the disk, too
	written           []string
	looks, typesAfter int // looks at an unsaved text, and after which of them the person types; 0: never
}

var _ acp.Client = (*scriptedEditor)(nil)

func (e *scriptedEditor) RequestPermission(ctx context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, p)
	e.mu.Unlock()
	if e.hangs {
		<-ctx.Done()
		e.mu.Lock()
		defer e.mu.Unlock()
		e.withdrawn++
		return acp.RequestPermissionResponse{}, ctx.Err()
	}
	option := "yes"
	if e.answer != nil {
		option = e.answer(p)
	}
	if option == "" {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(option))}, nil
}

func (e *scriptedEditor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n.Update)
	e.sessions = append(e.sessions, n.SessionId)
	return nil
}

func (e *scriptedEditor) ReadTextFile(_ context.Context, p acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if text, ok := e.buffers[p.Path]; ok {
		if e.looks++; e.looks == e.typesAfter {
			e.buffers[p.Path] += "typed\n"
		}
		return acp.ReadTextFileResponse{Content: text}, nil
	}
	b, err := os.ReadFile(p.Path)
	return acp.ReadTextFileResponse{Content: string(b)}, err
}

func (e *scriptedEditor) WriteTextFile(_ context.Context, p acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.written = append(e.written, p.Path)
	e.buffers[p.Path] = p.Content
	if !e.saves {
		return acp.WriteTextFileResponse{}, nil
	}
	delete(e.buffers, p.Path)
	return acp.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o644)
}

var errNoTerminal = errors.New("terminals are not used")

func (*scriptedEditor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, errNoTerminal
}

func (*scriptedEditor) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, errNoTerminal
}

func (*scriptedEditor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, errNoTerminal
}

func (*scriptedEditor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, errNoTerminal
}

func (*scriptedEditor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, errNoTerminal
}

// told are all updates so far.
func (e *scriptedEditor) told() []acp.SessionUpdate {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.updates)
}

func (e *scriptedEditor) questions() []acp.RequestPermissionRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

// holds is the text of a file in the editor, and hold has it be another one.
func (e *scriptedEditor) holds(path string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.buffers[path]
}

func (e *scriptedEditor) hold(path, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.buffers[path] = text
}

// said is the text of the agent's messages so far.
func (e *scriptedEditor) said() string {
	var b strings.Builder
	for _, u := range e.told() {
		if c := u.AgentMessageChunk; c != nil && c.Content.Text != nil {
			b.WriteString(c.Content.Text.Text)
		}
	}
	return b.String()
}

// An acpDesk is a workspace in which helve acp is an editor's agent.
type acpDesk struct {
	*runDesk
	editor *scriptedEditor
	conn   *acp.ClientSideConnection
	cmd    *exec.Cmd
	in     io.Closer
	talk   *bytes.Buffer
	log    *bytes.Buffer // what the editor's library complains about
}

// acpPatience is how long a test waits for an agent at most: a machine may be busy.
const acpPatience = 2 * time.Minute

// acpContext ends with the test, or when nothing comes any more.
func acpContext(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), acpPatience)
	t.Cleanup(stop)
	return ctx
}

// attach starts helve acp on a desk, with an editor that has introduced itself.
func attach(t *testing.T, d *runDesk, editor *scriptedEditor, args ...string) *acpDesk {
	t.Helper()
	a := &acpDesk{runDesk: d, editor: editor, talk: &bytes.Buffer{}, log: &bytes.Buffer{}}
	if editor.buffers == nil {
		editor.buffers = map[string]string{}
	}
	a.cmd = exec.Command(d.bin, append(append([]string{"acp"}, d.asking()...), args...)...)
	a.cmd.Dir, a.cmd.Env, a.cmd.Stderr = filepath.Dir(d.dir), d.env, a.talk
	in, err := a.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a.in = in
	t.Cleanup(func() {
		in.Close()
		_ = a.cmd.Process.Kill()
		_ = a.cmd.Wait()
	})
	a.conn = acp.NewClientSideConnection(editor, in, out)
	a.conn.SetLogger(slog.New(slog.NewTextHandler(a.log, &slog.HandlerOptions{Level: slog.LevelError})))
	hello, err := a.conn.Initialize(acpContext(t), acp.InitializeRequest{
		ProtocolVersion:    acp.ProtocolVersionNumber,
		ClientCapabilities: acp.ClientCapabilities{Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}},
		ClientInfo:         &acp.Implementation{Name: "scripted", Version: "1"},
	})
	if err != nil || hello.ProtocolVersion != 1 || !hello.AgentCapabilities.LoadSession || hello.AgentInfo.Name != "helve" {
		t.Fatalf("initialize: %+v, %v\n%s", hello, err, a.talk)
	}
	return a
}

// open begins a session.
func (a *acpDesk) open() acp.NewSessionResponse {
	a.t.Helper()
	s, err := a.conn.NewSession(acpContext(a.t), acp.NewSessionRequest{Cwd: a.dir, McpServers: []acp.McpServer{}})
	if err != nil {
		a.t.Fatalf("session/new: %v\n%s", err, a.talk)
	}
	return s
}

// prompt has the agent answer.
func (a *acpDesk) prompt(id acp.SessionId, text string) acp.StopReason {
	a.t.Helper()
	r, err := a.conn.Prompt(acpContext(a.t), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	if err != nil {
		a.t.Fatalf("session/prompt: %v\n%s", err, a.talk)
	}
	return r.StopReason
}

// leave closes the connection, and tells whether helve ended well and nothing was said that the editor's library does
// not understand.
func (a *acpDesk) leave() {
	a.t.Helper()
	a.in.Close()
	if err := a.cmd.Wait(); err != nil {
		a.t.Errorf("helve acp: %v\n%s", err, a.talk)
	}
	if slices.Contains(a.editor.sessions, "") {
		a.t.Error("an update is of no session")
	}
	if a.log.Len() > 0 {
		a.t.Errorf("the editor's library complains: %s", a.log)
	}
}

// An editor has an agent look, ask, change a file and run a command, and shows all of it.
func TestAnEditorHasAnAgentWork(t *testing.T) {
	d := newRunDesk(t,
		wiretest.Turn{Text: "I look first.", Calls: []wiretest.Call{call("c", "read", `{"file_path":"a.txt"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("c", "todo_write", `{"todos":[{"content":"edit","status":"in_progress","priority":"high"}]}`)}},
		edits("c", "two", "2"),
		wiretest.Turn{Calls: []wiretest.Call{call("c", "bash", `{"command":"printf 'seen\\n'; printf done > b.txt"}`)}},
		wiretest.Turn{Text: "Changed."},
	)
	a := attach(t, d, &scriptedEditor{})
	s := a.open()
	if got := len(s.Modes.AvailableModes); got != 4 || s.Modes.CurrentModeId != "ask" {
		t.Errorf("modes %+v", s.Modes)
	}
	if stop := a.prompt(s.SessionId, "Make it a digit."); stop != acp.StopReasonEndTurn {
		t.Errorf("stop %s", stop)
	}
	a.leave()
	d.holds("a.txt", "one\n2\n")
	d.holds("b.txt", "done")
	if said := a.editor.said(); said != "I look first.Changed." {
		t.Errorf("said %q", said)
	}
	var begun, ended []string
	var plan, commands, usage, named bool
	for _, u := range a.editor.told() {
		switch {
		case u.ToolCall != nil:
			begun = append(begun, string(u.ToolCall.ToolCallId)+" "+string(u.ToolCall.Kind))
		case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil && *u.ToolCallUpdate.Status == acp.ToolCallStatusCompleted:
			ended = append(ended, string(u.ToolCallUpdate.ToolCallId))
		case u.Plan != nil:
			plan = len(u.Plan.Entries) == 1 && u.Plan.Entries[0].Status == acp.PlanEntryStatusInProgress
		case u.AvailableCommandsUpdate != nil:
			commands = len(u.AvailableCommandsUpdate.AvailableCommands) > 0
		case u.UsageUpdate != nil:
			usage = u.UsageUpdate.Used > 0 && u.UsageUpdate.Size > 0
		case u.SessionInfoUpdate != nil:
			named = *u.SessionInfoUpdate.Title == "Make it a digit."
		}
	}
	id := string(s.SessionId)
	want := []string{id + "-1 read", id + "-2 think", id + "-3 edit", id + "-4 execute"}
	if !slices.Equal(begun, want) {
		t.Errorf("calls %q, want %q", begun, want)
	}
	if len(ended) != 4 || !plan || !commands || !usage || !named {
		t.Errorf("ended %q, plan %v, commands %v, usage %v, named %v", ended, plan, commands, usage, named)
	}
	asked := a.editor.questions()
	if len(asked) != 2 {
		t.Fatalf("asked %d times", len(asked))
	}
	edit := asked[0]
	if len(edit.ToolCall.Content) != 2 || edit.ToolCall.Content[1].Diff == nil {
		t.Fatalf("the question shows %+v", edit.ToolCall.Content)
	}
	diff := edit.ToolCall.Content[1].Diff
	if *diff.OldText != "one\ntwo\n" || diff.NewText != "one\n2\n" || diff.Path != filepath.Join(d.dir, "a.txt") {
		t.Errorf("difference %+v", diff)
	}
	if reason := edit.ToolCall.Content[0].Content.Content.Text.Text; !strings.HasPrefix(reason, "Asked because: ") {
		t.Errorf("reason %q", reason)
	}
}

// A no, a question that is closed and one that is answered with what was never offered are no yes; a yes for the
// session holds for what its rule says, and ends with it.
func TestOnlyAClearYesInTheEditorIsOne(t *testing.T) {
	looks := wiretest.Turn{Calls: []wiretest.Call{call("r", "read", `{"file_path":"a.txt"}`)}}
	d := newRunDesk(t, looks, edits("a", "one", "1"), edits("b", "one", "2"), edits("c", "one", "3"),
		edits("d", "one", "4"), edits("e", "4", "5"), wiretest.Turn{Text: "Done."},
		looks, edits("f", "5", "6"), wiretest.Turn{Text: "Refused."})
	answers := []string{"no", "", "whatever", "session0", "no"}
	a := attach(t, d, &scriptedEditor{answer: func(acp.RequestPermissionRequest) string {
		next := answers[0]
		answers = answers[1:]
		return next
	}})
	s := a.open()
	a.prompt(s.SessionId, "Try it.")
	d.holds("a.txt", "5\ntwo\n")
	if asked := a.editor.questions(); len(asked) != 4 {
		t.Errorf("asked %d times", len(asked))
	}
	a.prompt(a.open().SessionId, "And in another session?")
	a.leave()
	d.holds("a.txt", "5\ntwo\n")
	last := a.editor.questions()[4]
	var kinds []string
	for _, o := range last.Options {
		kinds = append(kinds, string(o.OptionId)+" "+string(o.Kind)+" "+o.Name)
	}
	want := []string{
		"yes allow_once Yes, once",
		"session0 allow_always Yes, for this session: allow Edit:./*",
		"session1 allow_always Yes, for this session: whatever the tool edit does",
		"always allow_always Yes, always in this workspace: exactly this",
		"rule0 allow_always Yes, always in this workspace: allow Edit:./*",
		"rule1 allow_always Yes, always in this workspace: whatever the tool edit does",
		"no reject_once No",
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("options %q", kinds)
	}
}

// What the editor cancels is over at once: a command, and a question. The answer to the prompt says so.
func TestAnEditorCancels(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{call("s", "bash", `{"command":"sleep 600"}`)}}, wiretest.Turn{Text: "Going on."})
	a := attach(t, d, &scriptedEditor{}, "--mode", "auto")
	s := a.open()
	ctx := acpContext(t)
	stopped := make(chan acp.StopReason, 1)
	go func() {
		r, err := a.conn.Prompt(ctx, acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("Sleep.")}})
		if err != nil {
			t.Error(err)
		}
		stopped <- r.StopReason
	}()
	waitUntil(ctx, t, func() bool {
		return slices.ContainsFunc(a.editor.told(), func(u acp.SessionUpdate) bool {
			return u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil && *u.ToolCallUpdate.Status == acp.ToolCallStatusInProgress
		})
	})
	if err := a.conn.Cancel(ctx, acp.CancelNotification{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	if got := <-stopped; got != acp.StopReasonCancelled {
		t.Errorf("stop %s", got)
	}
	if stop := a.prompt(s.SessionId, "And now?"); stop != acp.StopReasonEndTurn || !strings.Contains(a.editor.said(), "Going on.") {
		t.Errorf("stop %s, said %q", stop, a.editor.said())
	}
	a.leave()
}

// A question that waits when the answer is cancelled is taken back, and nothing is done.
func TestAnEditorCancelsAtAQuestion(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{bash("1", "touch made")}}, wiretest.Turn{Text: "Going on."})
	editor := &scriptedEditor{hangs: true}
	a := attach(t, d, editor)
	s := a.open()
	ctx := acpContext(t)
	stopped := make(chan acp.StopReason, 1)
	go func() {
		r, err := a.conn.Prompt(ctx, acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("Make it.")}})
		if err != nil {
			t.Error(err)
		}
		stopped <- r.StopReason
	}()
	waitUntil(ctx, t, func() bool { return len(editor.questions()) == 1 })
	if err := a.conn.Cancel(ctx, acp.CancelNotification{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	if got := <-stopped; got != acp.StopReasonCancelled {
		t.Errorf("stop %s", got)
	}
	waitUntil(ctx, t, func() bool {
		editor.mu.Lock()
		defer editor.mu.Unlock()
		return editor.withdrawn == 1
	})
	if a.prompt(s.SessionId, "And now?"); d.there("made") || !strings.Contains(a.editor.said(), "Going on.") {
		t.Errorf("said %q, made %v", a.editor.said(), d.there("made"))
	}
	a.leave()
}

// A picture of a prompt comes to the model, stays in the conversation, and is shown again when that is loaded.
func TestAPictureOfAPromptComesToTheModel(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Text: "A dot."}, wiretest.Turn{Text: "Still a dot."})
	const data = "iVBORw0KGgo=" // as a PNG begins
	a := attach(t, d, &scriptedEditor{})
	s := a.open()
	r, err := a.conn.Prompt(acpContext(t), acp.PromptRequest{SessionId: s.SessionId,
		Prompt: []acp.ContentBlock{acp.ImageBlock(data, "image/png"), acp.TextBlock("What is it?")}})
	if err != nil || r.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("%v, %v", r, err)
	}
	a.leave()
	shown, _ := d.helve(0, "conversations", "show", string(s.SessionId))
	wants(t, shown, "1> What is it?\n[pictures: 1]\n")
	a = attach(t, d, &scriptedEditor{})
	load := acp.LoadSessionRequest{SessionId: s.SessionId, Cwd: d.dir, McpServers: []acp.McpServer{}}
	if _, err := a.conn.LoadSession(acpContext(t), load); err != nil {
		t.Fatal(err)
	}
	a.prompt(s.SessionId, "Sure?")
	a.leave()
	var pictures []string
	for _, u := range a.editor.told() {
		if c := u.UserMessageChunk; c != nil && c.Content.Image != nil {
			pictures = append(pictures, c.Content.Image.MimeType+" "+c.Content.Image.Data)
		}
	}
	if !slices.Equal(pictures, []string{"image/png " + data}) {
		t.Errorf("the editor is shown %q", pictures)
	}
	for i, asked := range d.srv.Requests() {
		if strings.Count(asked, "data:image/png;base64,"+data) != 1 {
			t.Errorf("request %d: %s", i, asked)
		}
	}
}

// What a command prints comes to the editor while it runs, whatever pieces it comes in.
func TestAnEditorSeesWhatACommandPrintsAsItRuns(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{bash("1", "echo started; until [ -e go ]; do sleep 0.05; done; echo ended")}}, wiretest.Turn{Text: "Done."})
	a := attach(t, d, &scriptedEditor{}, "--mode", "auto")
	s := a.open()
	ctx := acpContext(t)
	stopped := make(chan error, 1)
	go func() {
		_, err := a.conn.Prompt(ctx, acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("Run it.")}})
		stopped <- err
	}()
	shown := func(text string, status acp.ToolCallStatus) bool {
		return slices.ContainsFunc(a.editor.told(), func(u acp.SessionUpdate) bool {
			c := u.ToolCallUpdate
			if c == nil || c.Status == nil || *c.Status != status || len(c.Content) == 0 || c.Content[0].Content == nil {
				return false
			}
			return strings.HasPrefix(c.Content[0].Content.Content.Text.Text, text)
		})
	}
	waitUntil(ctx, t, func() bool { return shown("started\n", acp.ToolCallStatusInProgress) })
	d.write("go", "")
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	a.leave()
	if !shown("started\nended", acp.ToolCallStatusCompleted) {
		t.Error("the whole of it was not shown at the end")
	}
}

// What there is to say when a session begins comes once the editor knows it: here that nobody trusted AGENTS.md yet.
func TestAnEditorIsToldWhatIsNotTrusted(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Text: "Hello."})
	d.write("AGENTS.md", "Answer in French.\n")
	a := attach(t, d, &scriptedEditor{}, "--approval", "deny")
	a.prompt(a.open().SessionId, "Hi.")
	a.leave()
	if !slices.ContainsFunc(a.editor.told(), func(u acp.SessionUpdate) bool {
		c := u.AgentThoughtChunk
		return c != nil && strings.Contains(c.Content.Text.Text, "AGENTS.md")
	}) {
		t.Error("nothing was said of AGENTS.md")
	}
	if asked := d.srv.Requests()[0]; strings.Contains(asked, "in French") {
		t.Errorf("the model was told: %s", asked)
	}
}

// The editor's person is asked about AGENTS.md once, with what stands in it, and again with the difference when it
// changed: without a yes the model is told what was trusted last.
func TestAnEditorIsAskedWhatInstructsTheModel(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Text: "1"}, wiretest.Turn{Text: "2"}, wiretest.Turn{Text: "3"}, wiretest.Turn{Text: "4"})
	ask := func(text, answer string, prompts int, want ...string) {
		t.Helper()
		d.write("AGENTS.md", text)
		a := attach(t, d, &scriptedEditor{answer: func(acp.RequestPermissionRequest) string { return answer }})
		s := a.open()
		for range prompts {
			a.prompt(s.SessionId, "Hi.")
		}
		a.leave()
		asked := a.editor.questions()
		if len(asked) != len(want) {
			t.Fatalf("asked %d times, want %d", len(asked), len(want))
		}
		for i, words := range want {
			if shown := asked[i].ToolCall.Content[0].Content.Content.Text.Text; !strings.Contains(shown, words) {
				t.Errorf("asked with %q, want %q", shown, words)
			}
		}
	}
	ask("Answer in French.\n", "yes", 1, "Answer in French.")
	ask("Answer in French.\n", "no", 1)
	ask("Answer in Latin.\n", "", 2, "-Answer in French.\n+Answer in Latin.")
	for i, asked := range d.srv.Requests() {
		if !strings.Contains(asked, "in French") || strings.Contains(asked, "in Latin") {
			t.Errorf("request %d: %s", i, asked)
		}
	}
}

// waitUntil waits for a condition.
func waitUntil(ctx context.Context, t *testing.T, true func() bool) {
	t.Helper()
	for !true() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("it does not come about")
		}
	}
}

// An editor with the official client library drives a whole task, and everything else that an agent has to answer: no
// message of ours is one that the protocol's schema does not have.
func TestTheOfficialClientLibraryDrivesATask(t *testing.T) {
	npm := os.Getenv("HELVE_NPM")
	if npm == "" {
		t.Skip("HELVE_NPM names no folder filled by scripts/npm-tools")
	}
	sdk := filepath.Join(npm, "acp", "node_modules", "@agentclientprotocol", "sdk")
	const before = "export const add = (a, b) => a + b;\n"
	const typed = before + "// typed, and not saved\n"
	d := newRunDesk(t,
		wiretest.Turn{Text: "I look first.", Calls: []wiretest.Call{call("1", "read", `{"file_path":"math.mjs"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("2", "todo_write", `{"todos":[{"content":"rename"}]}`), call("3", "edit", `{"file_path":"math.mjs","old_string":"add","new_string":"sum"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{bash("4", "node --test math.test.mjs")}},
		wiretest.Turn{Text: "Renamed; the test reads the saved file."},
		wiretest.Turn{Calls: []wiretest.Call{bash("5", "sleep 600")}},
		wiretest.Turn{Calls: []wiretest.Call{call("6", "mcp__every-thing__echo", `{"message":"hello"}`)}},
		wiretest.Turn{Text: "Still here."},
	)
	d.write("math.mjs", before)
	d.write("math.test.mjs", "import { test } from \"node:test\";\nimport { add } from \"./math.mjs\";\ntest(\"sum\", () => { if (add(1, 2) !== 3) throw new Error(\"wrong\"); });\n")
	script, err := filepath.Abs("testdata/acp/editor.mjs")
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(npm, "node_modules", ".bin", "node")
	server, err := filepath.EvalSymlinks(filepath.Join(npm, "node_modules", ".bin", "mcp-server-everything"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(acpContext(t), node, script, filepath.Join(sdk, "dist", "v1", "stable", "acp.js"), d.bin, d.srv.URL, d.dir, server)
	cmd.Dir, cmd.Env = d.dir, append(d.env, "PATH="+filepath.Dir(node)+":"+os.Getenv("PATH"))
	var talk bytes.Buffer
	cmd.Stderr = &talk
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, printed, talk.String())
	}
	var saw struct {
		Lines     []acpMessage
		Sent      []acpMessage
		Questions []struct{ ToolCall struct{ Title string } }
		Updates   map[string]int
		Stops     []string
		Said      string
		Errors    map[string]any
		Steps     struct {
			Edited, Undone string
			Listed         []bool
			Replayed, Left int
		}
		Status int
	}
	if err := json.Unmarshal(printed, &saw); err != nil {
		t.Fatalf("%s: %v", printed, err)
	}
	want := map[string]any{"closed": -32002.0, "other workspace": -32602.0, "unknown session": -32602.0,
		"relative folder": -32602.0, "unknown mode": -32602.0, "unknown method": -32601.0, "logout": -32601.0}
	if !maps.Equal(saw.Errors, want) {
		t.Errorf("errors %v, want %v", saw.Errors, want)
	}
	if want := []string{"end_turn", "end_turn", "end_turn", "end_turn", "cancelled", "end_turn"}; !slices.Equal(saw.Stops, want) {
		t.Errorf("stops %q", saw.Stops)
	}
	if saw.Steps.Edited != strings.Replace(typed, "add", "sum", 1) || saw.Steps.Undone != typed {
		t.Errorf("the editor held %q, after the undo %q", saw.Steps.Edited, saw.Steps.Undone)
	}
	d.holds("math.mjs", before)
	if saw.Status != 0 || talk.Len() > 0 || len(saw.Questions) != 3 || !slices.Equal(saw.Steps.Listed, []bool{true}) || saw.Steps.Replayed != 2 || saw.Steps.Left != 0 {
		t.Errorf("status %d, asked %v, steps %+v\n%s", saw.Status, saw.Questions, saw.Steps, talk.String())
	}
	for _, kind := range []string{"agent_message_chunk", "user_message_chunk", "tool_call", "tool_call_update", "plan",
		"available_commands_update", "current_mode_update", "config_option_update", "session_info_update", "usage_update"} {
		if saw.Updates[kind] == 0 {
			t.Errorf("no update is a %s: %v", kind, saw.Updates)
		}
	}
	if first := d.srv.Requests()[0]; !strings.Contains(first, "`math.mjs`") || !strings.Contains(first, "Short names.") {
		t.Errorf("what the prompt points at did not come: %s", first)
	}
	if second := d.srv.Requests()[1]; !strings.Contains(second, "typed, and not saved") {
		t.Errorf("what is unsaved was not read: %s", second)
	}
	if last := d.srv.Requests()[6]; !strings.Contains(last, "Echo: hello") || !strings.Contains(last, "data:image/png;base64,iVBORw0KGgo=") {
		t.Errorf("the editor's MCP server did not answer, or the picture did not come: %s", last)
	}
	checkACP(t, filepath.Join(sdk, "schema", "v1", "schema.json"), saw.Sent, saw.Lines)
}

// An acpMessage is a request, a notification or a response.
type acpMessage struct {
	ID     json.RawMessage
	Method string
	Params any
	Result any
	Error  any
}

// checkACP checks the messages of an agent against the protocol's schema: what it asks, tells and answers.
func checkACP(t *testing.T, file string, sent, got []acpMessage) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("acp.json", doc); err != nil {
		t.Fatal(err)
	}
	types := map[string]string{ // by method, each with what is asked and what is answered
		"initialize": "Initialize", "authenticate": "Authenticate", "session/new": "NewSession", "session/load": "LoadSession",
		"session/resume": "ResumeSession", "session/list": "ListSessions", "session/close": "CloseSession",
		"session/delete": "DeleteSession", "session/prompt": "Prompt", "session/set_mode": "SetSessionMode",
		"session/set_config_option":  "SetSessionConfigOption",
		"session/request_permission": "RequestPermission", "fs/read_text_file": "ReadTextFile", "fs/write_text_file": "WriteTextFile",
	}
	asked := map[string]string{}
	for _, m := range sent {
		if m.Method != "" && m.ID != nil {
			asked[string(m.ID)] = m.Method
		}
	}
	checked := map[string]bool{}
	for _, m := range got {
		name, value := "", m.Params
		switch {
		case m.Method == "session/update":
			name = "SessionNotification"
		case m.Method != "":
			name = types[m.Method] + "Request"
		case m.Error != nil:
			name, value = "Error", m.Error
		default:
			name, value = types[asked[string(m.ID)]]+"Response", m.Result
		}
		schema, err := c.Compile("acp.json#/$defs/" + name)
		if err != nil {
			t.Errorf("%s %s: %v", m.ID, m.Method, err)
			continue
		}
		checked[name] = true
		if err := schema.Validate(value); err != nil {
			t.Errorf("%v is no %s: %v", value, name, err)
		}
	}
	if len(checked) != len(types)+2 {
		t.Errorf("not all of the protocol was spoken: %v", slices.Sorted(maps.Keys(checked)))
	}
}
