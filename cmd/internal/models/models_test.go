package models_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
)

// Each kind of server is asked by its own listing call, with the key where it wants it.
func TestModelsAreListedByEachProvidersOwnCall(t *testing.T) {
	answers := map[string]struct{ header, body string }{
		"/openai/models":        {"Authorization: Bearer k", `{"data":[{"id":"small","context_length":8192},{"id":"large"}]}`},
		"/anthropic/v1/models":  {"X-Api-Key: k", `{"data":[{"id":"wise","max_input_tokens":200000}]}`},
		"/gemini/v1beta/models": {"X-Goog-Api-Key: k", `{"models":[{"name":"models/twin","inputTokenLimit":1048576,"supportedGenerationMethods":["generateContent"]},{"name":"models/words","supportedGenerationMethods":["embedContent"]}]}`},
		"/ollama/api/tags":      {"", `{"models":[{"name":"llama:8b"}]}`},
		"/broken/models":        {"", `no JSON`},
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.URL.Path]
		name, want, _ := strings.Cut(a.header, ": ")
		if !ok || r.Header.Get(name) != want {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(a.body)) // who asked may be gone
	}))
	defer srv.Close()
	home := t.TempDir()
	file := filepath.Join(home, "config.json")
	text := strings.ReplaceAll(`{"models": {"aliases": {"fast": "a/small"}}, "providers": {
		"a": {"kind": "openai", "base_url": "URL/openai", "key_env": "KEY"}, "b": {"kind": "anthropic", "base_url": "URL/anthropic", "key_env": "KEY"},
		"c": {"kind": "gemini", "base_url": "URL/gemini", "key_env": "KEY"}, "ollama": {"base_url": "URL/ollama"},
		"e": {"kind": "openai", "base_url": "URL/broken"}, "f": {"kind": "openai", "base_url": "URL/openai", "key_env": "NONE"}}}`, "URL", srv.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, talk bytes.Buffer
	env := command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Dir: home,
		Environ: []string{"HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "KEY=k"}}
	if status := app.Main(t.Context(), []string{"models", "--json", "--config", file}, env); status != 0 {
		t.Fatalf("status %d\n%s", status, talk.String())
	}
	const want = `[{"id":"a/large","provider":"a","context":0,"key":"env","alias":""},{"id":"a/small","provider":"a","context":8192,"key":"env","alias":"fast"},` +
		`{"id":"b/wise","provider":"b","context":200000,"key":"env","alias":""},{"id":"c/twin","provider":"c","context":1048576,"key":"env","alias":""},` +
		`{"id":"ollama/llama:8b","provider":"ollama","context":0,"key":"none","alias":""}]`
	if got := strings.TrimSpace(out.String()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, said := range []string{"e: the answer is no list of models", "f: the server says 401"} {
		if !strings.Contains(talk.String(), said) {
			t.Errorf("%q is not said: %s", said, talk.String())
		}
	}
}

// What a provider answers in place of a list is told in its words, with what can be done; an entry of another form
// takes none of the others away.
func TestAnswersThatAreNoListAreTold(t *testing.T) {
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for _, c := range []struct {
		name   string
		status int
		body   string
		out    string // what is printed, or said
	}{
		{"odd", 200, `{"data":[{"id":7},{"id":null},"x",{"id":"good"},{"name":3}]}`, "odd/good"},
		{"empty", 200, `{"data":[]}`, "models: the list is empty: no model is offered"},
		{"page", 200, `<html>log in</html>`, "models: page: the answer is no list of models"},
		{"other", 200, `{"ok":true}`, "models: other: the answer is no list of models"},
		{"refused", 401, `{"error":{"message":"no such key","type":"auth"}}`, "models: refused: the server says 401 Unauthorized: no such key"},
		{"plain", 500, `out of order`, "models: plain: the server says 500 Internal Server Error: out of order"},
		{"long", 200, `{"data":[` + strings.Repeat(" ", 9<<20) + `]}`, "models: long: the list of models is longer than 8 MiB"},
		{"away", 307, elsewhere.URL, "which is another server"},
	} {
		mux.HandleFunc("/"+c.name+"/models", func(w http.ResponseWriter, r *http.Request) {
			if c.status == http.StatusTemporaryRedirect {
				http.Redirect(w, r, c.body, c.status)
				return
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body)) // who asked may be gone
		})
		home := t.TempDir()
		file := filepath.Join(home, "config.json")
		text := `{"providers": {"` + c.name + `": {"base_url": "` + srv.URL + "/" + c.name + `"}}}` // its kind is openai
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		env := command.Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: home,
			Environ: []string{"HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home}}
		app.Main(t.Context(), []string{"models", c.name, "--config", file}, env)
		if !strings.Contains(out.String(), c.out) {
			t.Errorf("%s: %s\nwant %s", c.name, out.String(), c.out)
		}
	}
}
