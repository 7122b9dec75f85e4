package tool_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helve/tool"
)

type closer struct {
	name string
	log  *[]string
}

func (c *closer) Close() error { *c.log = append(*c.log, c.name); return nil }

type first struct{ closer }
type second struct{ closer }

func TestASessionEndsWhatItMadeInReverseOrder(t *testing.T) {
	var log []string
	s := &tool.Session{ID: "x"}
	a := tool.Of(s, func() *first { return &first{closer{"first", &log}} })
	tool.Of(s, func() *second { return &second{closer{"second", &log}} })
	if a != tool.Of(s, func() *first { t.Error("made twice"); return nil }) {
		t.Error("two of one type")
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if got := strings.Join(log, " "); got != "second first" {
		t.Errorf("closed %q", got)
	}
}

func TestWhatASessionKeepsIsItsOwn(t *testing.T) {
	a, b := &tool.Session{ID: "a"}, &tool.Session{ID: "b"}
	defer b.Close()
	ref, err := a.Keep(strings.NewReader("hello"))
	if err != nil || !strings.HasPrefix(ref.ID, "spill:") || ref.Size != 5 || ref.Cut {
		t.Fatal(ref, err)
	}
	blob, err := a.Kept(ref.ID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(io.NewSectionReader(blob, 0, blob.Size()))
	if string(got) != "hello" || err != nil || blob.Close() != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, id := range []string{ref.ID, "spill:../../etc/passwd", "spill:", "/etc/passwd"} {
		if _, err := b.Kept(id); err == nil {
			t.Errorf("another session reads %s", id)
		}
	}
	if _, err := (*tool.Session)(nil).Kept(ref.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if _, err := a.Kept(ref.ID); err == nil {
		t.Error("kept beyond the session's end")
	}
}

func TestAStoreReplacesAsAWhole(t *testing.T) {
	d := tool.DirStore(t.TempDir() + "/new")
	if _, err := d.Get("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := d.Put("a", io.MultiReader(strings.NewReader("half"), broken{})); err == nil {
		t.Error("a broken write succeeds")
	}
	if _, err := d.Get("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("half of a broken write stands")
	}
	for _, bad := range []string{"", ".", "..", "a/b", "../a", ".hidden", strings.Repeat("a", 129)} {
		if _, err := d.Put(bad, strings.NewReader("")); err == nil {
			t.Errorf("the name %q is taken", bad)
		}
	}
	if n, err := d.Put("a", strings.NewReader("whole")); n != 5 || err != nil {
		t.Error(n, err)
	}
	if err := errors.Join(d.Delete("a"), d.Delete("a")); err != nil {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

// R2.2: parts for the model, a display for people, an error.
func TestResultsEncodeWithoutLoss(t *testing.T) {
	in := tool.Result{
		Parts: []tool.Part{
			tool.Text("a\nb"), tool.Text(""), tool.Image{MIME: "image/png", Data: []byte{1, 2}}, tool.Audio{MIME: "audio/wav", Data: []byte{3}},
			tool.Link{URI: "file:///a", Name: "a", Title: "A", Description: "d", MIME: "text/plain", Size: 9},
			tool.Resource{URI: "x:y", Text: "t"}, tool.Resource{URI: "x:z", MIME: "a/b", Blob: []byte{4}},
			tool.Foreign(`{ "type":"text",  "text":"kept byte for byte" }`),
		},
		Display: tool.Diff{Path: "a", Unified: "--- a\n", Added: 2, Removed: 1, Note: "n"},
		Data:    json.RawMessage(`{"a":1}`), Meta: json.RawMessage(`{"b":2}`), Extra: json.RawMessage(`{"c":3}`),
		Need: &tool.Need{State: []byte("s"), Requests: json.RawMessage(`{}`)}, Repairs: []string{"mended"}, Family: "f",
		Err: &tool.Error{Code: tool.Execution, Tool: "x", Hint: "h", Err: errors.New("m"), Details: json.RawMessage(`{"d":4}`)},
	}
	for f, v := range reflect.ValueOf(in).Fields() {
		if v.IsZero() && !slices.Contains([]string{"Job", "Verdict", "Cut", "Spec", "Approver", "Asked", "Took"}, f.Name) {
			t.Errorf("%s is not tried, and is no matter of the host alone", f.Name)
		}
	}
	for _, d := range []tool.Display{in.Display, tool.Summary("s"), tool.Summary(""), tool.Diff{}, tool.Todos{Items: []tool.Todo{{ID: "1", Content: "c", Status: "pending", Priority: "low"}}}, nil} {
		in.Display = d
		b, err := json.Marshal(&in)
		if err != nil {
			t.Fatal(err)
		}
		var out tool.Result
		if err := json.Unmarshal(b, &out); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if !reflect.DeepEqual(&in, &out) {
			t.Errorf("got  %+v\nwant %+v", out, in)
		}
	}
}

func TestErrorsAreAskedForByCode(t *testing.T) {
	var err error = tool.Errorf(tool.Validation, "a: %w", fs.ErrNotExist).WithHint("try b")
	if !errors.Is(err, &tool.Error{Code: tool.Validation}) || errors.Is(err, &tool.Error{Code: tool.Unknown}) || !errors.Is(err, fs.ErrNotExist) {
		t.Error("errors.Is")
	}
}

// What stands in a job apart from its functions can travel to another host.
func TestJobsEncodeWithoutLoss(t *testing.T) {
	s := echo("echo").Spec()
	in := tool.Job{Spec: s, Call: &tool.Call{ID: "1", Name: "echo", Args: json.RawMessage(`{"text":"x"}`), Dir: "d"}, Title: "t", Rule: "r", Signature: "x",
		Effects: []tool.Effect{{Kind: tool.Write, Target: "a"}}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out tool.Job
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if out.Digest(nil) != in.Digest(nil) || out.Spec.Digest() != s.Digest() || out.Title != "t" || out.Spec.Kind != tool.Read {
		t.Errorf("%s", b)
	}
}

// What is deleted is gone, what was not there is no error, and no name leads out of the store.
func TestAStoreForgetsWhatIsDeleted(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := tool.DirStore(filepath.Join(dir, "store"))
	if err := os.Mkdir(string(d), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(d), "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Delete("a"); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(string(d), "a")); err == nil {
			t.Error("it is there")
		}
	}
	if err := d.Delete("../outside"); err == nil {
		t.Error("a name that leads out is taken")
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}
