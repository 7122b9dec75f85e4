package neighbours

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// startBound is how long a helve may take to start on a busy machine: it takes a fifth of a second.
	startBound = 8 * time.Second
	// lateBound is how much longer one is waited for that is late.
	lateBound = 20 * time.Second
	// answerBound is how long a call may take whose helve lives, with all that is documented to be waited for.
	answerBound = 30 * time.Second
	// stopBound is how long a helve may take to end with calls in flight: ten seconds for them, two more, and slack.
	stopBound = 15 * time.Second
	// maxAnswer is more than any answer here has.
	maxAnswer = 8 << 20
)

// A program is a helve that runs: to its end, or until it is told to end.
type program struct {
	*exec.Cmd
	out, err bytes.Buffer
	ended    chan struct{}
}

func (w *world) command(args ...string) *program {
	cmd := exec.Command(w.exe, append([]string{"-C", w.ws}, args...)...)
	cmd.Dir, cmd.Env = w.ws, w.environ()
	p := &program{Cmd: cmd, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.out, &p.err
	return p
}

// start starts it, and notes its end.
func (p *program) start() error {
	p.WaitDelay = time.Second // a process that it left over may hold the pipes
	if err := p.Start(); err != nil {
		return err
	}
	go func() {
		_ = p.Wait() // its state says how it went
		close(p.ended)
	}()
	return nil
}

// within waits for the end. What does not come to one in time is killed.
func (p *program) within(bound time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(bound):
		p.Process.Kill()
		<-p.ended
		return false
	}
}

// run runs it to its end, and says how that was; in time or not.
func (p *program) run(bound time.Duration) (status int, took time.Duration) {
	began := time.Now()
	if err := p.start(); err != nil {
		p.err.WriteString(err.Error())
		return -1, 0
	}
	if !p.within(bound) {
		return -1, bound
	}
	return p.ProcessState.ExitCode(), time.Since(began)
}

func (p *program) said() string {
	return strings.TrimSpace(fmt.Sprintf("%.2000s\n%.2000s", p.out.String(), p.err.String()))
}

// A helve is one that goes on: a server of MCP over HTTP, or a worker.
type helve struct {
	*world
	name string
	args []string

	*program
	url, session string
	mu           sync.Mutex
	id           int
}

// startAll starts those that are not there.
func (w *world) startAll() {
	w.Helper()
	for _, h := range w.helves {
		if !h.alive() {
			h.begin()
		}
	}
}

func (h *helve) alive() bool {
	if h.program == nil {
		return false
	}
	select {
	case <-h.ended:
		return false
	default:
		return true
	}
}

// begin starts it and waits until it serves.
func (h *helve) begin() {
	h.Helper()
	h.Helper()
	args := h.args
	if h.serves() {
		args = append(args[:len(args):len(args)], "--http", "127.0.0.1:0", "--no-auth")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.program, h.url, h.session = h.command(args...), "", ""
	said, pipe := io.Pipe()
	h.Cmd.Stderr = io.MultiWriter(&h.program.err, pipe)
	listens := make(chan string, 1)
	go func() { // ends when the pipe is closed, below
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if url, ok := strings.CutPrefix(lines.Text(), "helve: listening on "); ok {
				listens <- url
				break
			}
		}
		io.Copy(io.Discard, said)
	}()
	h.must(h.program.start())
	go func(p *program) { <-p.ended; pipe.Close() }(h.program)
	if !h.serves() {
		return
	}
	for _, bound := range []time.Duration{startBound, lateBound} {
		select {
		case h.url = <-listens:
			return
		case <-h.ended:
			h.broke("starts", "%s ended with %d\n%s", h.name, h.ProcessState.ExitCode(), h.said())
			return
		case <-time.After(bound):
			h.broke("serves in time", "%s does not serve after %v\n%s", h.name, bound, h.said())
		}
	}
	h.within(0)
}

func (h *helve) serves() bool { return h.args[0] == "serve" }

// serving says whether it can be asked: one that never came to it was told of.
func (h *helve) serving() bool { return h.url != "" && h.alive() }

// stop has it end, as whoever runs it does.
func (h *helve) stop(bound time.Duration) {
	h.Helper()
	h.Process.Signal(syscall.SIGTERM)
	if !h.within(bound) {
		h.broke("stops", "%s runs %v after SIGTERM", h.name, bound)
	}
}

// hello is what a client says first. It can be asked nothing.
const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"neighbours","version":"1"}}`

// ask asks the server, in a conversation that begins with the first question.
func (h *helve) ask(method, params string, bound time.Duration) (json.RawMessage, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	client := &http.Client{Timeout: bound, Transport: &http.Transport{DisableKeepAlives: true}}
	if h.session == "" {
		if _, err := h.post(client, "initialize", hello); err != nil {
			return nil, err
		}
	}
	return h.post(client, method, params)
}

// errAnswer is a question that was answered with an error of the protocol.
var errAnswer = errors.New("answered with an error")

func (h *helve) post(client *http.Client, method, params string) (json.RawMessage, error) {
	h.id++
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, h.id, method, params)
	q, err := http.NewRequest("POST", h.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	q.Header.Set("Mcp-Session-Id", h.session)
	resp, err := client.Do(q)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		h.session = id
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return answer(b, h.id)
}

// answer finds the answer in what came: it alone, or among events.
func answer(b []byte, id int) (json.RawMessage, error) {
	for line := range strings.Lines(string(b)) {
		var m struct {
			ID     any
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		text := strings.TrimPrefix(line, "data: ")
		if json.Unmarshal([]byte(text), &m) != nil || fmt.Sprint(m.ID) != fmt.Sprint(id) {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%w: %s", errAnswer, m.Error.Message)
		}
		return m.Result, nil
	}
	return nil, fmt.Errorf("no answer in %.300q", b)
}

// stdio has a client come on standard input, list the tools and go; its time is that of the list.
func (w *world) stdio(bound time.Duration, config ...string) (tools int, took time.Duration, err error) {
	p := w.command(append([]string{"serve"}, config...)...)
	in, err := p.StdinPipe()
	if err != nil {
		return 0, 0, err
	}
	p.Stdout = nil
	out, err := p.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := p.Cmd.Start(); err != nil {
		return 0, 0, err
	}
	timer := time.AfterFunc(bound, func() { p.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewReaderSize(out, maxAnswer)
	for i, m := range []string{`"initialize","params":` + hello, `"tools/list","params":{}`} {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", i, m)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				p.Wait()
				return 0, time.Since(began), fmt.Errorf("no answer to %.20s: %v: %s", m, err, p.said())
			}
			if !strings.Contains(line, fmt.Sprintf(`"id":%d,`, i)) {
				continue // a notification
			}
			tools = strings.Count(line, `"inputSchema"`)
			break
		}
	}
	took = time.Since(began)
	in.Close()
	go io.Copy(io.Discard, lines) // ends with the process
	p.Wait()
	return tools, took, nil
}

// path is a file of the workspace.
func (w *world) path(name string) string { return filepath.Join(w.ws, name) }
