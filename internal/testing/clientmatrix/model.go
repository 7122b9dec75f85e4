package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"helve/internal/scripted"
)

// A model stands in for a provider's: it makes the calls of a script, one after the other, and
// notes what it is told.
type model struct {
	tasks  []task
	prefix string   // what the client puts before the names of helve's tools
	loads  []string // the tools of helve's that its first request has whole
	also   *model   // the one of a sub-agent; nil: there is none
	record string   // a folder for every request, as it came; "": they are not kept

	mu       sync.Mutex
	requests int
	made     int // calls
	next     int // the task that comes next
	pending  *pending
	results  []result // of the tasks so far
	began    bool     // the first request came
	late     []string // those of loads that it did not have whole
}

// A pending call is one that the model made and whose result it waits for.
type pending struct {
	id     string
	name   string
	search bool // it looks for the tool of the task, which is deferred
	turn   scripted.Turn
}

// A result is what came of a task.
type result struct {
	offered  string // the name under which the client offers the tool; "": it does not
	searched bool   // the model had to search for it
	text     string
	err      error
	over     bool // its result came, or there was nothing to call
}

const maxRequest = 64 << 20 // of a client: system prompts are about a hundred kilobytes

// ServeHTTP answers as the providers do.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return
	}
	m.keep(r, body)
	m.mu.Lock()
	n := m.requests
	m.mu.Unlock()
	scripted.Answer(w, r, body, n, m.answer)
}

// keep writes a request into the folder of records.
func (m *model) keep(r *http.Request, body []byte) {
	m.mu.Lock()
	m.requests++
	n := m.requests
	m.mu.Unlock()
	if m.record == "" {
		return
	}
	name := fmt.Sprintf("%03d%s", n, strings.NewReplacer("/", "_", ":", "_").Replace(r.URL.Path))
	head := r.Method + " " + r.URL.String() + "\n"
	os.WriteFile(filepath.Join(m.record, name), append([]byte(head), body...), 0o600)
}

// answer is the next turn of the script for a request that belongs to it, and a word for any other.
func (m *model) answer(req scripted.Request) scripted.Turn {
	switch {
	case len(req.Tools) == 0:
	case strings.Contains(req.Texts, prompt):
		return m.step(req)
	case m.also != nil && strings.Contains(req.Texts, subPrompt):
		return m.also.step(req)
	}
	return scripted.Turn{Text: "ok"}
}

// step notes the result of the last call and makes the next one. A request that comes again,
// because the client tries once more, gets the same turn again.
func (m *model) step(req scripted.Request) scripted.Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.first(req)
	if p := m.pending; p != nil {
		text, ok := p.in(req.Results)
		if !ok {
			return p.turn
		}
		m.pending = nil
		if !p.search {
			m.note(text)
		}
	}
	for m.next < len(m.tasks) {
		turn, err := m.call(req)
		if err == nil {
			return turn
		}
		r := m.current()
		r.err, r.over = err, true
		m.next++
	}
	return scripted.Turn{Text: "That was the script."}
}

// first notes which of the tools that the client was asked to load are not whole in its first
// request.
func (m *model) first(req scripted.Request) {
	if m.began {
		return
	}
	m.began = true
	for _, tool := range m.loads {
		whole := func(o scripted.Offered) bool { return o.Call() == m.prefix+tool && !o.Deferred }
		if !slices.ContainsFunc(req.Tools, whole) {
			m.late = append(m.late, tool)
		}
	}
}

// call makes the call of the next task: by the tool itself where the client offers it, else by the
// client's search for tools that are deferred, and then by the tool or by the one that calls such
// tools.
func (m *model) call(req scripted.Request) (scripted.Turn, error) {
	t := m.tasks[m.next]
	r := m.current()
	full := m.prefix + t.tool
	i := slices.IndexFunc(req.Tools, func(o scripted.Offered) bool { return o.Call() == full })
	offers := i >= 0
	if t.sure && !offers {
		r.offered = full
		return m.make(full, t.arguments(), false), nil
	}
	if offers && (!req.Tools[i].Deferred || r.searched) {
		r.offered = full
		turn := m.make(full, t.arguments(), false)
		turn.Calls[0].Custom = t.text != ""
		m.pending.turn = turn
		return turn, nil
	}
	known := offers || strings.Contains(req.Texts, full) // clients list the names of deferred tools in a text
	search, can := named(req.Tools, "ToolSearch", "tool_search")
	bridge, bridged := named(req.Tools, "tool_call")
	switch {
	case known && can && !r.searched:
		r.searched = true
		return m.make(search.Call(), written(map[string]any{"query": "select:" + full}), true), nil
	case known && bridged:
		r.offered = full
		args := map[string]any{"name": full, "arguments": t.args}
		return m.make(bridge.Call(), written(args), false), nil
	}
	return scripted.Turn{}, fmt.Errorf("not offered: %d tools are, %s", len(req.Tools), few(req.Tools))
}

// current is the result of the task that comes next.
func (m *model) current() *result {
	if len(m.results) == m.next {
		m.results = append(m.results, result{})
	}
	return &m.results[m.next]
}

func (m *model) note(text string) {
	r := m.current()
	r.text, r.over = text, true
	r.err = m.tasks[m.next].came(text)
	m.next++
}

// done tells that the result of a call came to the model.
func (m *model) done(i int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.next > i
}

// asked is how many requests came to the model.
func (m *model) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests
}

// drop ends the call that waits: nobody will tell what came of it.
func (m *model) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending = nil
	m.note("")
}

// result is what came of a task that is done.
func (m *model) result(i int) result {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.results[i]
}

func (m *model) make(name, args string, search bool) scripted.Turn {
	m.made++
	id := fmt.Sprintf("call_%d", m.made)
	turn := scripted.Turn{Calls: []scripted.Call{{ID: id, Name: name, Args: args}}}
	m.pending = &pending{id: id, name: name, search: search, turn: turn}
	return turn
}

// in is the result of the call in a conversation. Where a provider's requests have no ids it is
// the last one, if it is of this tool.
func (p *pending) in(results []scripted.Answered) (string, bool) {
	for _, r := range results {
		if r.ID == p.id {
			return r.Text, true
		}
	}
	if len(results) == 0 {
		return "", false
	}
	last := results[len(results)-1]
	return last.Text, last.ID == "" && last.Name == p.name
}

// named is the first tool that has one of some names.
func named(tools []scripted.Offered, names ...string) (scripted.Offered, bool) {
	i := slices.IndexFunc(tools, func(t scripted.Offered) bool { return slices.Contains(names, t.Name) })
	if i < 0 {
		return scripted.Offered{}, false
	}
	return tools[i], true
}

// few are the names of the tools that come first, for a report.
func few(tools []scripted.Offered) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Call())
	}
	return short(strings.Join(names, " "))
}
