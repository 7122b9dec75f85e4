package models_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
)

// A ring is a keyring in memory. broken is what it says to everything.
type ring struct {
	secrets map[string]string
	broken  error
}

func (r *ring) Secret(name string) (string, error) {
	secret, ok := r.secrets[name]
	switch {
	case r.broken != nil:
		return "", r.broken
	case !ok:
		return "", command.ErrNoSecret
	}
	return secret, nil
}

func (r *ring) Keep(name, secret string) error {
	if r.broken == nil {
		r.secrets[name] = secret
	}
	return r.broken
}

func (r *ring) Forget(name string) error {
	if _, err := r.Secret(name); err != nil {
		return err
	}
	delete(r.secrets, name)
	return nil
}

// A deskRing is a home with a keyring, and a server that wants the key "k".
type deskRing struct {
	t    *testing.T
	ring command.Keyring
	home string
	env  []string
}

func newDesk(t *testing.T, ring command.Keyring, config string) *deskRing {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk-k" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"small"}]}`)) // who asked may be gone
	}))
	t.Cleanup(srv.Close)
	d := &deskRing{t: t, ring: ring, home: t.TempDir()}
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		d.env = append(d.env, name+"="+d.home)
	}
	d.env = append(d.env, "OPENAI_BASE_URL="+srv.URL, "OLLAMA_HOST=127.0.0.1:1")
	text := strings.ReplaceAll(config, "URL", srv.URL)
	if err := os.WriteFile(filepath.Join(d.home, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// helve runs a command line, and is what it printed.
func (d *deskRing) helve(status int, input string, args ...string) string {
	d.t.Helper()
	var out bytes.Buffer
	env := command.Environment{Stdin: strings.NewReader(input), Stdout: &out, Stderr: &out, Dir: d.home, Environ: d.env, Keyring: d.ring}
	args = append(args, "--config", filepath.Join(d.home, "config.json"))
	if got := app.Main(d.t.Context(), args, env); got != status {
		d.t.Errorf("%q: status %d, want %d: %s", args, got, status, out.String())
	}
	if strings.Contains(out.String(), "sk-") {
		d.t.Errorf("%q prints the key: %s", args, out.String())
	}
	return out.String()
}

// A key that was put into the keyring is used, by openai-responses too, and is not used any more when it is taken out.
func TestAKeyOfTheKeyringIsUsed(t *testing.T) {
	r := &ring{secrets: map[string]string{}}
	d := newDesk(t, r, `{"providers":{"groq":{"kind":"openai","base_url":"URL"},"printed":{"kind":"openai","base_url":"URL","key_command":["echo","sk-k"]}}}`)
	for _, c := range []struct {
		status      int
		input       string
		words, want string
	}{
		{2, "", "models key", "want set PROVIDER or rm PROVIDER"},
		{2, "sk-k", "models key set", "provider"},
		{2, "sk-k", "models key set nobody", `provider "nobody" is not known`},
		{2, " \n", "models key set openai", "no key came"},
		{2, "sk-k\nsk-k\n", "models key set openai", "more than one line"},
		{2, "sk-" + strings.Repeat("k", 4000), "models key set openai", "at most 2560 bytes"},
		{2, "", "models key set openai sk-k", "models key set: want one provider, and the key on standard input"},
		{1, "", "models key rm openai", "the keyring has no key of openai"},
		{1, "", "models openai", "401"},
		{0, "sk-k\r\n", "models key set openai", "the keyring has the key of openai"},
		{0, "sk-k", "models key set groq", "the keyring has the key of groq"},
		{0, "", "models openai", "keyring"},
		{0, "", "models openai-responses", "keyring"},
		{0, "", "models groq", "keyring"},
		{0, "", "models printed", "command"},
		{0, "sk-k", "models key set printed", "providers.printed.key_command comes first"},
		{0, "", "models --json", `{"id":"groq/small","provider":"groq","context":0,"key":"keyring","alias":""}`},
		{0, "", "models key rm openai", "the keyring has no key of openai any more"},
		{1, "", "models openai", "401"},
	} {
		if got := d.helve(c.status, c.input, strings.Fields(c.words)...); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %q", c.words, got, c.want)
		}
	}
	d.env = append(d.env, "OPENAI_API_KEY=sk-k")
	if got := d.helve(0, "sk-other", "models", "key", "set", "openai"); !strings.Contains(got, "comes first: OPENAI_API_KEY") {
		t.Errorf("said %s", got)
	}
	if got := d.helve(0, "", "models", "openai"); !strings.Contains(got, "env") {
		t.Errorf("listed %s", got)
	}
}

// Where there is no keyring that is said with what does without one; one that is locked ends only what wants a key.
func TestAMissingKeyringIsTold(t *testing.T) {
	none := newDesk(t, nil, `{"providers":{"open":{"kind":"openai","base_url":"URL"}}}`)
	for words, want := range map[string]string{
		"models key set openai": "there is no keyring here\nhelve: hint: set OPENAI_API_KEY, or have providers.openai.key_command print the key",
		"models key rm open":    "there is no keyring here\nhelve: hint: have providers.open.key_command print the key",
	} {
		if got := none.helve(1, "sk-k", strings.Fields(words)...); !strings.Contains(got, want) {
			t.Errorf("%s: %s", words, got)
		}
	}
	if got := none.helve(4, "", "run", "x", "--model", "openai/small"); !strings.Contains(got, "helve models key set openai") {
		t.Errorf("run: %s", got)
	}
	locked := newDesk(t, &ring{broken: errors.New("it is locked")}, `{"providers":{"open":{"kind":"openai","base_url":"URL"}}}`)
	for words, status := range map[string]int{"models key set openai": 1, "models key rm open": 1, "models openai": 1, "run x --model openai/small": 4} {
		if got := locked.helve(status, "sk-k", strings.Fields(words)...); !strings.Contains(got, "it is locked") {
			t.Errorf("%s: %s", words, got)
		}
	}
	if got := locked.helve(4, "", "run", "x", "--model", "open/small"); strings.Contains(got, "locked") || !strings.Contains(got, "no models are linked") {
		t.Errorf("a provider that wants no key: %s", got)
	}
}
