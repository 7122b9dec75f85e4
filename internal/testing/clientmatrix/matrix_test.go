package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"helve/internal/scripted"
	"helve/server"
)

type object = map[string]any

// A dialect is how the requests of a provider look: with the tools of a client, and the results so
// far.
type dialect struct {
	provider, path string
	request        func(tools []string, results []scripted.Answered) object
}

func dialects() []dialect {
	said := object{"role": "user", "content": prompt}
	return []dialect{
		{"anthropic", "/anthropic/v1/messages", func(tools []string, results []scripted.Answered) object {
			messages, offers := []any{said}, []any{}
			for _, name := range tools {
				offers = append(offers, object{"name": name, "input_schema": object{}})
			}
			for _, r := range results {
				content := []any{object{"type": "text", "text": r.Text}}
				block := object{"type": "tool_result", "tool_use_id": r.ID, "content": content}
				messages = append(messages, object{"role": "user", "content": []any{block}})
			}
			return object{"stream": true, "tools": offers, "messages": messages}
		}},
		{"openai", "/openai/v1/chat/completions", func(tools []string, results []scripted.Answered) object {
			messages, offers := []any{said}, []any{}
			for _, name := range tools {
				offers = append(offers, object{"type": "function", "function": object{"name": name}})
			}
			for _, r := range results {
				messages = append(messages, object{"role": "tool", "tool_call_id": r.ID, "content": r.Text})
			}
			return object{"stream": true, "tools": offers, "messages": messages}
		}},
		{"responses", "/openai/v1/responses", func(tools []string, results []scripted.Answered) object {
			input, offers := []any{said}, []any{}
			for _, name := range tools {
				group, name, _ := strings.Cut(name, "/")
				member := object{"type": "function", "name": name}
				offers = append(offers, object{"type": "namespace", "name": group, "tools": []any{member}})
			}
			for _, r := range results {
				input = append(input, object{"type": "function_call_output", "call_id": r.ID, "output": r.Text})
			}
			return object{"stream": true, "tools": offers, "input": input}
		}},
		{"gemini", "/gemini/v1beta/models/m:streamGenerateContent", func(tools []string, results []scripted.Answered) object {
			offers := []any{}
			for _, name := range tools {
				offers = append(offers, object{"name": name})
			}
			contents := []any{object{"role": "user", "parts": []any{object{"text": prompt}}}}
			for _, r := range results {
				response := object{"id": r.ID, "name": "any", "response": object{"output": r.Text}}
				part := object{"functionResponse": response}
				contents = append(contents, object{"role": "user", "parts": []any{part}})
			}
			return object{"tools": []any{object{"functionDeclarations": offers}}, "contents": contents}
		}},
	}
}

// post sends a request as a client does, and returns the stream that answers it.
func post(t *testing.T, url string, body any) string {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url, "application/json", strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v %s: %s", url, err, res.Status, out)
	}
	return string(out)
}

func TestEveryProtocolIsLedThroughTheScript(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.provider, func(t *testing.T) {
			m := &model{tasks: five("/w"), prefix: "helve/"}
			server := httptest.NewServer(m)
			defer server.Close()
			var tools []string
			for _, task := range m.tasks {
				tools = append(tools, "helve/"+task.tool)
			}
			var results []scripted.Answered
			for i, task := range m.tasks {
				out := post(t, server.URL+d.path, d.request(tools, results))
				again := post(t, server.URL+d.path, d.request(tools, results))
				if !strings.Contains(out, task.tool+`"`) || !strings.Contains(again, task.tool+`"`) {
					t.Fatalf("turn %d does not call %s, or not when it is asked again: %s", i, task.tool, out)
				}
				id := fmt.Sprintf("call_%d", i+1)
				results = append(results, scripted.Answered{ID: id, Text: "before " + task.want + " behind"})
			}
			results[4].Text = "nothing of the kind"
			post(t, server.URL+d.path, d.request(tools, results))
			if m.made != len(m.tasks) {
				t.Errorf("%d calls were made, want %d", m.made, len(m.tasks))
			}
			for i, r := range m.results {
				if (r.err != nil) != (i == 4) || r.offered != tools[i] {
					t.Errorf("call %d: %+v", i, r)
				}
			}
		})
	}
}

func TestToolsThatAClientDefersAreSearchedFor(t *testing.T) {
	d := dialects()[1]
	m := &model{tasks: five("/w")[:2], prefix: "mcp__helve__"}
	server := httptest.NewServer(m)
	defer server.Close()
	ask := func(tools []string, results ...scripted.Answered) string {
		r := d.request(tools, results)
		r["messages"] = append(r["messages"].([]any), object{"role": "system", "content": "Deferred: mcp__helve__grep"})
		return strings.Join(strings.Fields(post(t, server.URL+d.path, r)), "")
	}
	found := scripted.Answered{ID: "call_1", Text: "mcp__helve__grep(pattern)"}
	if out := ask([]string{"tool_search", "tool_call"}); !strings.Contains(out, `"name":"tool_search"`) {
		t.Errorf("the model does not search: %s", out)
	}
	if out := ask([]string{"tool_search", "tool_call"}, found); !strings.Contains(out, `"name":"tool_call"`) {
		t.Errorf("the model does not call what it found: %s", out)
	}
	ask([]string{"tool_search", "tool_call"}, found, scripted.Answered{ID: "call_2", Text: "greet.go:4:"})
	if r := m.results[0]; r.err != nil || !r.searched || r.offered != "mcp__helve__grep" {
		t.Errorf("the first call: %+v", r)
	}
	// The second tool is mentioned nowhere.
	if r := m.results[1]; r.err == nil || !strings.Contains(r.err.Error(), "not offered") {
		t.Errorf("the second call: %+v", r)
	}
}

// A client that was asked to load tools has failed if its first request does not have them whole, whatever it shows later.
func TestToolsThatAreToBeLoadedAreInTheFirstRequest(t *testing.T) {
	d := dialects()[0]
	c := client{loads: []string{"grep", "read"}}
	for _, x := range []struct {
		name     string
		tools    []string
		deferred string
		cell     string
		why      string
	}{
		{"all of them", []string{"mcp__helve__grep", "mcp__helve__read"}, "", "2 whole", ""},
		{"one by its name", []string{"mcp__helve__grep", "mcp__helve__read"}, "mcp__helve__read", "FAILS", ": read"},
		{"one is missing", []string{"mcp__helve__grep", "ToolSearch"}, "", "FAILS", ": read"},
		{"tools of its own", []string{"grep", "read"}, "", "FAILS", ": grep, read"},
	} {
		t.Run(x.name, func(t *testing.T) {
			m := &model{tasks: five("/w")[:2], prefix: "mcp__helve__", loads: c.loads}
			model := httptest.NewServer(m)
			defer model.Close()
			first := d.request(x.tools, nil)
			for _, o := range first["tools"].([]any) {
				offer := o.(object)
				offer["defer_loading"] = offer["name"] == x.deferred
			}
			post(t, model.URL+d.path, first)
			all := []string{"mcp__helve__grep", "mcp__helve__read"}
			post(t, model.URL+d.path, d.request(all, []scripted.Answered{{ID: "call_1", Text: "greet.go:4:"}}))
			cell, why := run{results: m.results, late: m.late}.loading(c)
			if cell != x.cell || !strings.HasSuffix(strings.Join(why, " "), x.why) || (why == nil) != (x.why == "") {
				t.Errorf("%q, %q", cell, why)
			}
		})
	}
	if cell, why := (run{}).loading(c); cell != "NEVER" || why == nil {
		t.Errorf("without a request: %q, %q", cell, why)
	}
	if cell, why := (run{}).loading(client{}); cell != "-" || why != nil {
		t.Errorf("a client that is asked to load nothing: %q, %q", cell, why)
	}
}

// The clients that the matrix expects to load tools are those that helve asks, and for the same tools.
func TestTheMatrixExpectsWhatHelveAsksFor(t *testing.T) {
	asked := map[string][]string{}
	for _, p := range server.Profiles() {
		asked[p.Name] = slices.Sorted(slices.Values(p.Loads))
	}
	for _, c := range clients() {
		if !slices.Equal(c.loads, asked[c.name]) {
			t.Errorf("%s: %q are expected, helve asks for %q", c.name, c.loads, asked[c.name])
		}
	}
}

func TestATableShowsWhatFailed(t *testing.T) {
	r := run{said: "bye", results: []result{
		{over: true},
		{over: true, searched: true},
		{over: true, err: fmt.Errorf("no")},
		{offered: "bash"},
	}}
	for i, want := range []string{"works", "searched", "FAILS", "NEVER", "NEVER"} {
		cell, why := r.cell(i)
		if cell != want || (len(why) > 0) != (i > 1) {
			t.Errorf("cell %d is %q %q, want %q", i, cell, why, want)
		}
	}
	if end := r.end(); len(end) != 1 || !strings.Contains(end[0], "bye") {
		t.Errorf("its end: %q", end)
	}
}
