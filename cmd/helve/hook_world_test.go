package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A hookWorld is a home, a workspace and helve on PATH, in which a client asks.
type hookWorld struct {
	t               *testing.T
	base            string
	work, home, bin string
	env             []string
}

func newHookWorld(t *testing.T) *hookWorld {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &hookWorld{t: t, base: base, work: filepath.Join(base, "work"), home: filepath.Join(base, "home")}
	w.bin = filepath.Join(base, "bin", "helve") // by this name the test is helve
	for _, dir := range []string{filepath.Join(w.work, "sub"), w.home, filepath.Dir(w.bin)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, w.bin); err != nil {
		t.Skip("there are no links here: ", err)
	}
	path := filepath.Dir(w.bin) + string(filepath.ListSeparator) + os.Getenv("PATH")
	w.env = []string{"HOME=" + w.home, "PATH=" + path, "XDG_STATE_HOME=" + w.home + "/state"}
	return w
}

// event is a recorded one, with the folders of this world, and who sent it when.
func (w *hookWorld) event(file string) (client, event, raw string) {
	w.t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	client = filepath.Base(filepath.Dir(file))
	client = client[:strings.LastIndex(client, "-")]
	event = strings.SplitN(filepath.Base(file), "-", 3)[1]
	return client, event, strings.NewReplacer("@W@", w.work, "@H@", w.home).Replace(string(b))
}

// command is helve in the workspace.
func (w *hookWorld) command(stdin string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), w.bin, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.work, w.env, strings.NewReader(stdin)
	return cmd
}

// hook is the answer to an event.
func (w *hookWorld) hook(client, event, raw string) (string, error) {
	out, err := w.command(raw, "hook", client, event).Output()
	return strings.TrimSpace(string(out)), err
}

// shell runs a line as a client does, and is what it printed.
func (w *hookWorld) shell(line string) string {
	cmd := exec.CommandContext(w.t.Context(), "bash", "-c", line)
	cmd.Dir, cmd.Env = w.work, w.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out) + "\n" + cmp.Or(errorText(err), "exit status 0"))
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// write makes a file with its folders.
func (w *hookWorld) write(path, text string) {
	w.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// inEvent puts a text in the place of another into an event, in quotes.
func inEvent(raw, old, text string) string {
	quoted := func(s string) string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.Encode(s)
		return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
	}
	return strings.ReplaceAll(raw, quoted(old), quoted(text))
}

// rewrittenIn is the command line in an answer that helve is to run; "" where there is none.
func rewrittenIn(answer string) string {
	var v any
	if json.Unmarshal([]byte(answer), &v) != nil {
		return ""
	}
	return findExec(v)
}

func findExec(v any) string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "helve exec --client") {
			return v
		}
	case []any:
		for _, item := range v {
			if s := findExec(item); s != "" {
				return s
			}
		}
	case map[string]any:
		for _, item := range v {
			if s := findExec(item); s != "" {
				return s
			}
		}
	}
	return ""
}
