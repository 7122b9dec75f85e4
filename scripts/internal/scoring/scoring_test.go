package scoring

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"helve/engine/code"
)

// speak makes the test binary a language server: it asks for its configuration before it answers a call.
const speak = "SCORING_TEST_SPEAK"

func TestMain(m *testing.M) {
	if os.Getenv(speak) == "" {
		os.Exit(m.Run())
	}
	s := &Server{in: os.Stdout, out: bufio.NewReader(os.Stdin)}
	own := &Client{Server: s}
	for {
		asked, err := own.receive()
		if err != nil {
			return
		}
		switch asked.Method {
		case "initialize":
			_ = own.send(map[string]any{"id": asked.ID, "result": map[string]any{}})
		case "fail":
			_ = own.send(map[string]any{"id": asked.ID, "error": map[string]any{"message": "no such thing"}})
		case "settings":
			_ = own.send(map[string]any{"method": "window/logMessage", "params": map[string]any{}})
			items := map[string]any{"items": []any{"a", "b"}}
			_ = own.send(map[string]any{"id": "s1", "method": "workspace/configuration", "params": items})
			answer, err := own.receive()
			if err != nil {
				return
			}
			_ = own.send(map[string]any{"id": asked.ID, "result": answer.Result})
		}
	}
}

func TestAClientAnswersWhatItsServerAsks(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(speak, "1")
	c, err := Greet(t.Context(), t.TempDir(), map[string]any{}, self)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got, err := c.Call("settings", nil)
	if err != nil || string(got) != "[null,null]" {
		t.Errorf("the settings that it was told: %s, %v; want two empty ones", got, err)
	}
	if got, err := c.Call("fail", nil); err == nil || err.Error() != "fail: no such thing" {
		t.Errorf("a call that fails: %s, %v", got, err)
	}
	temp := c.temp
	c.Close()
	if _, err := os.Stat(temp); !os.IsNotExist(err) {
		t.Errorf("its temporary files are left: %v", err)
	}
	if _, err := c.Call("settings", nil); err == nil {
		t.Error("a server that is gone answers")
	}
}

func TestAMessageIsReadBehindItsLength(t *testing.T) {
	read := func(text string) (string, error) {
		in, out := io.Pipe()
		go func() {
			fmt.Fprint(out, text)
			out.Close()
		}()
		s := &Server{out: bufio.NewReader(in)}
		b, err := s.Read()
		return string(b), err
	}
	if got, err := read("Content-Type: x\r\nContent-Length: 2\r\n\r\n{}rest"); got != "{}" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{"", "Content-Length: x\r\n\r\n{}", "Content-Length: 9\r\n\r\n{}"} {
		if got, err := read(text); err == nil {
			t.Errorf("%q: %q, want an error", text, got)
		}
	}
}

func TestAFolderListsAllItsFilesInOrder(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"b.go", "a/c.py", "a.txt", ".hidden"} {
		full := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range f.Entries() {
		paths = append(paths, e.Path)
	}
	if want := []string{".hidden", "a.txt", "a/c.py", "b.go"}; !slices.Equal(paths, want) {
		t.Errorf("got %q, want %q", paths, want)
	}
	if text, err := ReadAll(f, "a/c.py"); string(text) != "a/c.py" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if !f.Holds(code.Python) || f.Holds(code.Java) {
		t.Error("it does not know which languages it holds")
	}
	if l, err := f.Files(context.Background()); err != nil || l.Version == 0 {
		t.Errorf("a listing that changes at every look: %v, %v", l.Version, err)
	}
}

func TestSpreadTakesTheSameOnesAtEveryRun(t *testing.T) {
	got, _ := json.Marshal(Spread([]string{"e", "c", "a", "b", "f", "d"}, 3))
	if string(got) != `["a","c","e"]` {
		t.Errorf("got %s", got)
	}
	if few := Spread([]string{"b", "a"}, 3); !slices.Equal(few, []string{"a", "b"}) {
		t.Errorf("got %v", few)
	}
}
