package browser

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
)

// -rounds has the agent go on for longer: five questions a round, a second or so each.
var rounds = flag.Int("rounds", 4, "how many rounds the agent of TestAnAgentWorksWhileAPersonAnswersOnThePage makes")

// A step is a call of the agent, and what the person at the page does about it.
type step struct {
	tool   string
	args   map[string]any
	answer string // the button: No, Once, Always; "": an approval that was given before holds
	words  string // for the model, with No
	makes  string // a file that is there afterwards, or where it was refused is not
}

// round is one of each kind, in files and folders of its own.
func round(n int) []step {
	write := func(file, answer string) step {
		file = fmt.Sprintf(file, n)
		return step{tool: "write", args: map[string]any{"file_path": file, "contents": "x\n"}, answer: answer, makes: file}
	}
	no := write("no-%d/a.txt", "No")
	no.words = fmt.Sprintf("not in round %d", n)
	ran := fmt.Sprintf("ran-%d", n)
	return []step{
		write("once-%d/a.txt", "Once"),
		no,
		write("always-%d/a.txt", "Always"),
		write("always-%d/b.txt", ""),
		{tool: "bash", args: map[string]any{"command": "touch " + ran}, answer: "Once", makes: ran},
	}
}

// A model makes the calls of its steps, one an answer, and then is done. It speaks Chat Completions.
type model struct {
	*httptest.Server
	steps []step

	mu    sync.Mutex
	heard []string // what each call came to, as the model reads it
}

func newModel(t *testing.T, steps []step) *model {
	m := &model{steps: steps}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var in struct {
		Messages []struct{ Role, Content string }
	}
	body, err := io.ReadAll(q.Body)
	if err != nil || json.Unmarshal(body, &in) != nil {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	last := in.Messages[len(in.Messages)-1]
	away := m.away(last.Content) // the call is made again, when helve may be back
	if away {
		time.Sleep(300 * time.Millisecond)
	}
	m.mu.Lock()
	if last.Role == "tool" && !away {
		m.heard = append(m.heard, last.Content)
	}
	at := len(m.heard)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	delta, finish := map[string]any{"role": "assistant", "content": "Done."}, "stop"
	if at < len(m.steps) {
		args, _ := json.Marshal(m.steps[at].args) // of strings
		call := map[string]any{"index": 0, "id": fmt.Sprintf("call-%d", len(in.Messages)), "type": "function",
			"function": map[string]any{"name": "mcp__gate__" + m.steps[at].tool, "arguments": string(args)}}
		delta, finish = map[string]any{"role": "assistant", "tool_calls": []any{call}}, "tool_calls"
	}
	for _, choice := range []map[string]any{{"index": 0, "delta": delta}, {"index": 0, "delta": map[string]any{}, "finish_reason": finish}} {
		chunk, _ := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []any{choice}})
		fmt.Fprintf(w, "data: %s\n\n", chunk)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// away tells that a call found helve on its way down, or not back yet: refused, or cut off before an answer came. Nobody
// was asked about it, so nothing was carried out. The one that waits while helve is stopped is told the same, and counts.
func (m *model) away(content string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := len(m.heard)
	waits := at < len(m.steps) && m.steps[at].answer == "restart"
	cut := strings.Contains(content, "The call was not carried out") || strings.Contains(content, "The call was not sent again")
	return strings.Contains(content, "connection refused") || cut && !waits
}

func (m *model) results() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.heard...)
}

// An agent works through a gateway, and the person never leaves the page: every kind of answer, the page cut off in the
// middle, helve started again in the middle.
func TestAnAgentWorksWhileAPersonAnswersOnThePage(t *testing.T) {
	chromium(t)
	c := serve(t)
	full := filepath.Join(c.home, "helve-run")
	cmd := exec.Command("go", "build", "-o", full, "./cmd/helve")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var steps []step
	for n := range *rounds {
		steps = append(steps, round(n)...)
	}
	// While this one waits, helve is started again. Its client is told that it failed, and what comes of it is not known.
	restart := len(steps) / 2
	steps = append(steps[:restart:restart], append([]step{
		{tool: "write", args: map[string]any{"file_path": "lost.txt", "contents": "x\n"}, answer: "restart", makes: "lost.txt"},
	}, steps[restart:]...)...)
	m := newModel(t, steps)
	p := c.open()
	p.view("waiting", "Nothing waits")
	agent := c.agent(t, full, m.URL)

	t.Cleanup(func() {
		if t.Failed() {
			results := m.results()
			t.Logf("the agent says %s; its last results: %q", agent.Stderr, results[max(0, len(results)-3):])
		}
	})
	answered := map[string]int{}
	asked := 0
	for _, s := range steps {
		if s.answer == "" {
			continue
		}
		title := s.tool + " " + s.makes
		if s.tool == "bash" {
			title = "bash " + s.args["command"].(string)
		}
		p.asks(title)
		asked++
		if s.tool == "bash" { // another client's session, while the agent's question waits
			c.approvesForTheSession(p, asked)
			answered["This session"]++
		}
		if asked == 3 { // the page is cut off, and comes back by itself
			p.offline(true)
			p.sees("not connected")
			p.offline(false)
			p.seesNot("not connected")
			p.asks(title)
		}
		if s.answer == "restart" {
			c.stop()
			p.sees("not connected")
			c.launch(strings.TrimSuffix(strings.TrimPrefix(c.mcp, "http://"), "/mcp"))
			p.sees("Open the link that helve gave")
			c.login(p)
			p.sees("Waiting for you")
			c.hello()
			continue
		}
		if s.words != "" {
			p.say(title, s.words)
		}
		p.press(title, s.answer)
		answered[s.answer]++
	}
	if err := agent.Wait(); err != nil {
		t.Fatalf("the agent: %v\n%s", err, agent.Stderr)
	}

	results := m.results()
	if len(results) != len(steps) {
		t.Fatalf("%d results of %d calls; the agent says %s", len(results), len(steps), agent.Stderr)
	}
	for i, s := range steps {
		_, err := os.Stat(filepath.Join(c.dir, s.makes))
		there := err == nil
		switch {
		case s.answer == "restart":
			if there {
				t.Errorf("%s was made, though nobody said yes", s.makes)
			}
		case s.answer == "No":
			if there || !strings.Contains(results[i], "The person says: "+s.words) {
				t.Errorf("%d: %s: there %v, %s", i, s.makes, there, results[i])
			}
		case !there:
			t.Errorf("%d: %s is not there: %s", i, s.makes, results[i])
		}
	}
	t.Logf("%d calls, answered on the page: %v", len(steps), answered)
	if bad := p.complaints(); bad != "" {
		t.Errorf("the page complains:\n%s", bad)
	}
}

// agent starts helve run, whose tools are those of the gateway.
func (c *client) agent(t *testing.T, full, model string) *exec.Cmd {
	t.Helper()
	home, dir := filepath.Join(c.home, "agent"), filepath.Join(c.home, "elsewhere")
	config, err := json.Marshal(map[string]any{
		"rules": []any{map[string]string{"allow": "mcp__gate__*"}}, // whoever is asked is asked by the gateway
		"mcp_servers": map[string]any{"gate": map[string]any{
			"url": c.mcp, "headers": map[string]string{"Authorization": "Bearer " + token}, "trust": true, "start_timeout": "120s",
		}},
	})
	if err == nil {
		err = os.MkdirAll(filepath.Join(home, ".config", "helve"), 0o700)
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(home, ".config", "helve", "config.json"), config, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), full, "run", "Work.", "--model", "openai/m", "--base-url", model, "--max-turns", "10000", "-C", dir)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	cmd.Stderr = &buffer{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// approvesForTheSession has a client of its own ask twice: the second time nobody is asked.
func (c *client) approvesForTheSession(p *tab, n int) {
	c.t.Helper()
	title := fmt.Sprintf("write session-%d/a.txt", n)
	first := c.start("write", map[string]any{"file_path": strings.TrimPrefix(title, "write "), "contents": "x\n"})
	p.asks(title)
	p.press(title, "This session")
	for _, said := range []string{c.end(first), c.call("write", map[string]any{"file_path": fmt.Sprintf("session-%d/b.txt", n), "contents": "x\n"})} {
		if !strings.Contains(said, "Successfully created") {
			c.t.Errorf("%s: %s", title, said)
		}
	}
}

// card is the question of a title, in the page's words.
func card(title string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('.question')].find((c) => c.querySelector('h2').innerText === %q)`, title)
}

// asks waits until a question of that title waits.
func (p *tab) asks(title string) {
	p.t.Helper()
	for end := time.Now().Add(soon); !eval[bool](p, `!!`+card(title)); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("nobody asks %q; the page has:\n%s\nhelve says:\n%s", title, p.text(), p.said)
		}
	}
}

// press presses a button of a question.
func (p *tab) press(title, button string) {
	p.t.Helper()
	time.Sleep(time.Until(p.last.Add(650 * time.Millisecond))) // no answer counts so soon after the last one
	defer func() { p.last = time.Now() }()
	if !eval[bool](p, fmt.Sprintf(`(() => { const c = %s
		const b = c && [...c.querySelectorAll('button')].find((b) => b.innerText.split('\n')[0].trim() === %q)
		if (b) b.click()
		return !!b })()`, card(title), button)) {
		p.t.Fatalf("%q has no button %q:\n%s", title, button, p.text())
	}
}

// say writes words for the model.
func (p *tab) say(title, words string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { const i = %s.querySelector('.words input'); i.value = %q;
		i.dispatchEvent(new Event('input', { bubbles: true })); return true })()`, card(title), words))
}

func (p *tab) seesNot(text string) {
	p.t.Helper()
	p.wait("no "+text, func() bool { return !strings.Contains(p.text(), text) })
}

// offline cuts the page off from helve, or joins it again.
func (p *tab) offline(off bool) {
	p.t.Helper()
	p.run(network.Enable(), network.EmulateNetworkConditions(off, 0, -1, -1))
	if off {
		eval[bool](p, `window.stop() || true`) // what is open already goes on otherwise
	}
}

// complaints are what the page complained of, but for requests that failed while helve was away.
func (p *tab) complaints() string {
	var out []string
	for line := range strings.Lines(p.bad.String()) {
		if !strings.Contains(line, "net::ERR") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
