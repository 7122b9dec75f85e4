package clientproof

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/internal/scripted"
)

// prompt begins the conversation. The model knows its own requests by it: clients ask for titles and summaries besides.
const prompt = "Make the calls of helve doctor, please."

// A model makes calls, one after the other, and notes what the client says came of each.
type model struct {
	calls []call

	mu       sync.Mutex
	requests int
	results  []string // of the calls so far
	pending  bool     // the next call was made
	missing  string   // a tool that the client does not offer; "": it offers all
	over     chan struct{}
	ended    bool
}

func newModel(calls []call) *model { return &model{calls: calls, over: make(chan struct{})} }

// ServeHTTP answers as the providers do.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, scripted.MaxRequest))
	if err != nil {
		return
	}
	m.mu.Lock()
	m.requests++
	n := m.requests
	m.mu.Unlock()
	scripted.Answer(w, r, body, n, m.answer)
}

func (m *model) answer(req scripted.Request) scripted.Turn {
	if len(req.Tools) == 0 || !strings.Contains(req.Texts, prompt) {
		return scripted.Turn{Text: "ok"}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending {
		text, ok := m.result(req.Results)
		if !ok {
			return m.turn() // the client tries once more
		}
		m.results, m.pending = append(m.results, text), false
	}
	if len(m.results) < len(m.calls) && m.offers(req.Tools) {
		m.pending = true
		return m.turn()
	}
	if !m.ended {
		m.ended = true
		close(m.over)
	}
	return scripted.Turn{Text: "That was all."}
}

// offers tells that the client has the tool of the next call.
func (m *model) offers(tools []scripted.Offered) bool {
	name := m.calls[len(m.results)].name
	if slices.ContainsFunc(tools, func(o scripted.Offered) bool { return o.Call() == name }) {
		return true
	}
	m.missing = name
	return false
}

func (m *model) id() string { return fmt.Sprintf("call_%d", len(m.results)+1) }

// turn is the next call.
func (m *model) turn() scripted.Turn {
	c := m.calls[len(m.results)]
	return scripted.Turn{Calls: []scripted.Call{{ID: m.id(), Name: c.name, Args: c.args, Custom: c.custom}}}
}

// result is that of the pending call. Where a provider's requests have no ids it is the last one of as many as were made.
func (m *model) result(list []scripted.Answered) (string, bool) {
	for _, r := range list {
		if r.ID == m.id() {
			return r.Text, true
		}
	}
	if n := len(m.results); len(list) > n && list[n].ID == "" && list[n].Name == m.calls[n].name {
		return list[n].Text, true
	}
	return "", false
}

// said are the results so far, and the tool that is missing.
func (m *model) said() ([]string, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.results), m.missing
}

// serve has the model answer on this machine, until end is called.
func (m *model) serve() (url string, end func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // ends with the server
	}()
	end = func() {
		_ = s.Close()
		<-done
	}
	return "http://" + l.Addr().String(), end, nil
}
