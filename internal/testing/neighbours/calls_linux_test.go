package neighbours

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"helve/internal/testing/wiretest"
)

// An outcome is what came of a call, as the one who called sees it.
type outcome struct {
	ok, lost bool // lost: nobody heard what came of it
	status   int  // of a command of the command line
	text     string
}

// usage is the exit status for what a person wrote wrongly. Nobody does here.
const usage = 2

// play has the calls of a round made, deals the blow, and waits until all is over and everybody is there again.
func (w *world) play(r round) {
	w.Helper()
	w.tell("%s", r)
	w.count["blow "+r.blow.kind]++
	struck := map[string]bool{r.blow.on: r.blow.kind == "kill" || r.blow.kind == "term"}
	var all sync.WaitGroup
	var running sync.Map // programs of this round, by who runs them
	for _, c := range r.calls {
		w.count["call "+c.kind]++
		all.Go(func() {
			began := time.Now()
			o := w.make(c, &running)
			took := time.Since(began)
			w.tell("%s %s %s: ok %v, lost %v, %v: %.300s", c.who, c.kind, c.mark, o.ok, o.lost, took.Round(time.Millisecond), o.text)
			w.judge(c, o, struck[c.who], took)
		})
	}
	time.Sleep(r.blow.after)
	over := w.strike(r.blow, &running)
	if r.blow.kind == "kill" && strings.HasPrefix(r.blow.on, "gate") { // it may have had the bus: calls wait until that is back
		over()
		w.startAll()
	}
	all.Wait()
	over()
	w.startAll()
}

// judge notes what an outcome promises, and whether it says enough.
func (w *world) judge(c call, o outcome, struck bool, took time.Duration) {
	w.Helper()
	switch {
	case o.status == usage:
		w.broke("starts", "%s %s %s: %s", c.who, c.kind, c.mark, o.text)
	case o.lost && !struck:
		w.broke("answers", "%s %s %s: no answer after %v: %s", c.who, c.kind, c.mark, took, o.text)
	case !o.ok && !o.lost && len(strings.TrimSpace(o.text)) < 10:
		w.broke("answers", "%s %s %s failed and does not say why: %q", c.who, c.kind, c.mark, o.text)
	}
	right := map[string]string{"read": needle, "note": "noted " + c.mark, "flap": "noted " + c.mark, "probe": "probed"}[c.kind]
	if o.ok && !strings.Contains(o.text, strings.TrimSpace(right)) {
		w.broke("answers", "%s %s %s: want %q, got %q", c.who, c.kind, c.mark, right, o.text)
	}
	if !o.ok && !o.lost && !w.excused(c, struck) && !asksNobody(c, o) {
		w.broke("answers", "%s %s %s was refused: %s", c.who, c.kind, c.mark, o.text)
	}
	w.promised(c, o.ok, o.text)
}

// asksNobody says whether a script was refused because its second step wants a yes and no person is there: that is said,
// and right.
func asksNobody(c call, o outcome) bool {
	return c.kind == "script" && strings.Contains(o.text, "needs approval, and nobody was asked")
}

// excused says whether the blow is a reason for a call not to be carried out.
func (w *world) excused(c call, struck bool) bool {
	b := w.round.blow
	switch {
	case struck || b.kind == "disk" || c.kind == "append": // others append to the same file
		return true
	case c.kind == "note" && b.kind == "server":
		return true
	}
	return strings.HasPrefix(c.who, "gate") && (b.on == "worker" || strings.HasPrefix(b.on, "gate")) // the bus is at a gate
}

// promised notes what a call that was acknowledged must have left, and one that was not may have.
func (w *world) promised(c call, ok bool, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := map[string][]string{"write": {c.mark}, "bash": {c.mark}, "run": {c.mark + "1", c.mark + "2"}, "script": {c.mark + "1", c.mark + "2"}}[c.kind]
	for _, name := range names {
		if name = "made/" + name; ok {
			w.files[name] = c.mark + "\n"
		} else {
			w.maybe[name] = true
		}
	}
	switch c.kind {
	case "bash", "note", "flap", "run", "script":
		w.done[c.mark] = ok
	case "append":
		if ok && !strings.Contains(text, "somebody changed it meanwhile") { // kept elsewhere then, as the answer says
			w.lines = append(w.lines, c.mark)
		}
	}
}

// make makes a call, by whoever makes it.
func (w *world) make(c call, running *sync.Map) outcome {
	switch {
	case c.kind == "undo":
		w.undo(c.mark)
		return outcome{ok: true}
	case c.who == "run":
		return w.agent(c, running)
	case c.who == "cli":
		name, args := w.tool(c)
		return w.finished(w.command("call", "--yes", strings.Replace(name, "mcp__", "", 1), args), c.who, running)
	}
	for _, h := range w.helves {
		if h.name == c.who && h.serving() {
			name, args := w.tool(c)
			o := h.called(name, args)
			if o.ok && c.kind == "flap" {
				h.again(c.kind, c.mark+"2") // it has just ended
			}
			return o
		}
	}
	return outcome{text: "it is not there: told before"}
}

// tool is a call's tool and its arguments.
func (w *world) tool(c call) (name, args string) {
	line := func(s string) (string, string) { return "bash", fmt.Sprintf(`{"command":%q}`, s) }
	log := filepath.Join(w.log, "marks")
	switch c.kind {
	case "write":
		return "write", fmt.Sprintf(`{"file_path":"made/%s","contents":"%s\n"}`, c.mark, c.mark)
	case "bash":
		return line(fmt.Sprintf("echo %s >>%s; sleep 0.4; echo %s >made/%s", c.mark, log, c.mark, c.mark))
	case "append":
		return line(fmt.Sprintf("sleep 0.2; echo %s >>shared.txt", c.mark))
	case "background":
		return "bash", `{"command":"sleep 300","run_in_background":true}`
	case "note":
		return "mcp__well__note", fmt.Sprintf(`{"mark":%q}`, c.mark)
	case "flap":
		return "mcp__flapping__note", fmt.Sprintf(`{"mark":%q}`, c.mark)
	case "probe":
		return "probe", `{}`
	case "script":
		script := fmt.Sprintf("write(file_path='made/%s1', contents='%s\\n')\nbash(command='echo %s >>%s; echo %s >made/%s2')",
			c.mark, c.mark, c.mark, log, c.mark, c.mark)
		return "run_script", fmt.Sprintf(`{"script":%q}`, script)
	}
	return "read", `{"file_path":"needle.txt"}`
}

// again asks a server that has just ended. What was on its way when it ended may have been done, and is not repeated.
func (h *helve) again(kind, mark string) {
	h.Helper()
	c := call{who: h.name, kind: kind, mark: mark}
	name, args := h.tool(c)
	o := h.called(name, args)
	h.tell("%s asks a server that has ended: ok %v: %.300s", h.name, o.ok, o.text)
	if !o.ok && !o.lost && !strings.Contains(o.text, "may have been carried out") {
		h.broke("restart", "%s asks a server that has ended: %s", h.name, o.text)
	}
	h.promised(c, o.ok, o.text)
}

// called calls a tool of a server.
func (h *helve) called(name, args string) outcome {
	b, err := h.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args), answerBound)
	if err != nil {
		return outcome{lost: !errors.Is(err, errAnswer), text: err.Error()}
	}
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(b, &result); err != nil {
		return outcome{lost: true, text: err.Error()}
	}
	var text strings.Builder
	for _, c := range result.Content {
		text.WriteString(c.Text)
	}
	return outcome{ok: !result.IsError, text: text.String()}
}

// finished runs a command of the command line.
func (w *world) finished(p *program, who string, running *sync.Map) outcome {
	if err := p.start(); err != nil {
		return outcome{text: err.Error()}
	}
	running.Store(who, p)
	in := p.within(answerBound)
	killed := p.ProcessState.Sys().(syscall.WaitStatus).Signaled()
	return outcome{p.ProcessState.Success(), !in || killed, p.ProcessState.ExitCode(), p.said()}
}

// agent has a model write a file and run a command.
func (w *world) agent(c call, running *sync.Map) outcome {
	_, write := w.tool(call{kind: "write", mark: c.mark + "1"})
	write = strings.Replace(write, c.mark+`1\n`, c.mark+`\n`, 1)
	line := fmt.Sprintf("echo %s >>%s/marks; sleep 0.2; echo %s >made/%s2", c.mark, w.log, c.mark, c.mark)
	srv, err := wiretest.Start("openai", []wiretest.Turn{
		{Calls: []wiretest.Call{{ID: "1", Name: "write", Args: write}}},
		{Calls: []wiretest.Call{{ID: "2", Name: "bash", Args: fmt.Sprintf(`{"command":%q}`, line)}}},
		{Text: "It is done."},
	})
	w.must(err)
	defer srv.Close()
	o := w.finished(w.command("run", "Do it.", "--model", "openai/scripted", "--base-url", srv.URL, "--yes"), c.who, running)
	for _, r := range srv.Requests() {
		// A call that failed is the model's to mend; this one cannot.
		if strings.Contains(r, "rror: ") || strings.Contains(r, "nothing that it changed was kept") {
			o.ok = false
			o.text += r[max(0, len(r)-600):]
		}
	}
	return o
}

// undo is what a person does after a command: takes it back, but for what was changed since, and then that as well.
func (w *world) undo(mark string) {
	w.Helper()
	one, two := "made/"+mark+"1", "made/"+mark+"2"
	w.person(one, "before\n")
	w.person(two, "before\n")
	is := func(after, name, want string) {
		w.Helper()
		if b, err := os.ReadFile(w.path(name)); err != nil || string(b) != want {
			w.broke("undo", "after %s: %s: %q, %v; want %q", after, name, b, err, want)
		}
	}
	do := func(most int, args ...string) {
		w.Helper()
		p := w.command(args...)
		status, took := p.run(answerBound)
		w.tell("helve %q: %d, %v: %.300s", args, status, took.Round(time.Millisecond), p.said())
		if status < 0 || status > most {
			w.broke("undo", "helve %q: %d: %s", args, status, p.said())
		}
	}
	do(0, "call", "bash", fmt.Sprintf("command=echo %s >%s; echo %s >%s", mark, one, mark, two))
	is("the command", one, mark+"\n")
	w.person(two, "a person\n")
	do(1, "undo", "--yes") // 1: something is left alone
	is("undo", one, "before\n")
	is("undo", two, "a person\n")
	do(0, "undo", "--force", "--yes")
	is("undo --force", one, "before\n")
	is("undo --force", two, "before\n")
	do(0, "redo", "--yes")
	is("redo", two, "a person\n")
	for _, name := range []string{one, two} {
		b, err := os.ReadFile(w.path(name))
		w.must(err)
		w.files[name] = string(b) // redo takes back one undo or both
	}
}
