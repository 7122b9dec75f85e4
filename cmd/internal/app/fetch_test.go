package app_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/agent"
	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
	"helve/engine/dialect"
)

// Two calls of fetch, each a process of its own, ask once; and what is kept passes no rule by.
func TestFetchRemembersPagesAcrossCalls(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "hello")
	}))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "ws")
	must(t, os.Mkdir(dir, 0o755))
	config := filepath.Join(dir, "..", "home", ".config", "helve", "config.json")
	must(t, os.MkdirAll(filepath.Dir(config), 0o755))
	allow := `{"fetch":{"allow_private":["` + strings.TrimPrefix(s.URL, "http://") + `"]}`
	must(t, os.WriteFile(config, []byte(allow+"}"), 0o644))
	for range 2 {
		if out, status := run(t, dir, "call", "fetch", "url="+s.URL, "--yes"); status != 0 || !strings.HasSuffix(out, "hello\n") {
			t.Fatalf("%d %s", status, out)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "..", "home", ".cache", "helve", "pages", "*.page"))
	if len(kept) != 1 {
		t.Fatalf("kept: %q", kept)
	}
	if st, err := os.Stat(kept[0]); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	if out, status := run(t, dir, "call", "fetch", "url="+s.URL); status != 3 || strings.Contains(out, "hello") {
		t.Errorf("without a yes: %d %s", status, out)
	}
	must(t, os.WriteFile(config, []byte(allow+`,"rules":[{"deny":"fetch:127.0.0.1:*"}]}`), 0o644))
	if out, status := run(t, dir, "call", "fetch", "url="+s.URL, "--yes"); status != 3 || !strings.Contains(out, "rule") || strings.Contains(out, "hello") {
		t.Errorf("denied: %d %s", status, out)
	}
	must(t, os.WriteFile(config, []byte(`{}`), 0o644))
	if out, status := run(t, dir, "call", "fetch", "url="+s.URL, "--yes"); status != 3 || strings.Contains(out, "hello") {
		t.Errorf("the host is no longer allowed: %d %s", status, out)
	}
}

// asked is a model that fetches with a question, and is then asked that question about the page.
type asked struct {
	url  string
	page string // what it was shown of the page
}

func (*asked) Name() string             { return "test/asked" }
func (*asked) Dialect() dialect.Dialect { return dialect.OpenAI }

func (m *asked) Answer(_ context.Context, r *agent.Request, delta func(agent.Delta)) (*agent.Reply, error) {
	switch last := r.Messages[len(r.Messages)-1].(type) {
	case agent.Results:
		text := fmt.Sprint(last.Answers[0].Parts)
		delta(agent.Delta{Text: text})
		return &agent.Reply{Assistant: agent.Assistant{Text: text}, Stop: agent.Done}, nil
	case agent.User:
		if r.Tools == nil {
			m.page = last.Text
			return &agent.Reply{Assistant: agent.Assistant{Text: "In seconds."}, Stop: agent.Done}, nil
		}
	}
	return &agent.Reply{Assistant: agent.Assistant{Calls: []agent.Call{{ID: "1", Name: "fetch", Args: `{"url":"` + m.url + `","prompt":"How are timeouts set?"}`}}}, Stop: agent.Calls}, nil
}

// ⚑17: the model of a run answers what is asked of a page, without tools.
func TestTheModelOfARunAnswersFromThePage(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "A timeout is a number of seconds.") }))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "ws")
	must(t, os.Mkdir(dir, 0o755))
	config := filepath.Join(dir, "..", "home", ".config", "helve", "config.json")
	must(t, os.MkdirAll(filepath.Dir(config), 0o755))
	must(t, os.WriteFile(config, []byte(`{"fetch":{"allow_private":["`+strings.TrimPrefix(s.URL, "http://")+`"]}}`), 0o644))
	m := &asked{url: s.URL}
	var out, errs bytes.Buffer
	status := app.Main(t.Context(), []string{"run", "How?", "--model", "ollama/asked", "--yes"}, command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: dir,
		Environ: []string{"HOME=" + filepath.Join(dir, "..", "home"), "PATH=" + os.Getenv("PATH")},
		Models:  func(context.Context, command.ModelRequest) (agent.Model, error) { return m, nil }})
	if status != 0 || !strings.Contains(out.String(), "In seconds.") || !strings.Contains(out.String(), "an answer made from the page") {
		t.Errorf("%d %s %s", status, out.String(), errs.String())
	}
	if !strings.Contains(m.page, "The question: How are timeouts set?") || !strings.HasSuffix(m.page, "A timeout is a number of seconds.") {
		t.Errorf("shown: %q", m.page)
	}
}
