package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"helve/internal/workspace"
	"helve/source/upstream"
	"helve/tool"
	"helve/wrap"
)

// opened is a workspace in a home of its own, with this part alone.
func opened(t *testing.T, config string) (w *workspace.Assembly, home string) {
	t.Helper()
	home = t.TempDir()
	dir := filepath.Join(home, "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(t.Context(), workspace.Options{
		Dirs:    []string{dir},
		Config:  []byte(config),
		Layers:  workspace.Layers{Managed: filepath.Join(home, "etc")},
		Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")},
		Parts:   []workspace.Part{Part(Options{})},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, home
}

func TestWhatAServerAsksIsOnRecord(t *testing.T) {
	w, home := opened(t, `{}`)
	Of(w).asked(upstream.Question{
		Server:  "shop",
		Session: &tool.Session{ID: "s1", Principal: "ada"},
		Method:  "elicitation/create",
		Text:    "Your name?",
		Outcome: "decline",
		Began:   time.Now(),
		Took:    time.Second,
	})
	var got []wrap.Record
	records := workspace.Records{Dir: filepath.Join(home, ".local/state/helve")}
	err := records.Calls(func(line []byte) bool {
		var r wrap.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
		return true
	})
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	r := got[0]
	if r.Name != "elicitation/create" || r.Title != "Your name?" || r.Outcome != "decline" || r.Duration != 1000 {
		t.Errorf("%+v", r)
	}
	if r.Origin.Server != "shop" || r.Session != "s1" || r.Principal != "ada" {
		t.Errorf("%+v", r)
	}
}
