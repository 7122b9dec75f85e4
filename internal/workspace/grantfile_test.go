package workspace

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Approvals that cannot be read are told of once, and again when what is wrong is another thing, or comes back.
func TestUnreadableApprovalsAreToldOfOnce(t *testing.T) {
	dir := t.TempDir()
	var told strings.Builder
	g := newGrantFile(dir, slog.New(slog.NewTextHandler(&told, nil)))
	for i, text := range []string{"{", "{", "[]", "{", "{"} {
		if err := os.WriteFile(filepath.Join(dir, "grants.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := g.Load(); len(list) != 0 || err != nil {
			t.Errorf("%d: %v, %v", i, list, err)
		}
		want := []int{1, 1, 1, 2, 2}[i]
		if got := strings.Count(told.String(), "nothing is approved"); got != want {
			t.Errorf("after %q: told %d times, want %d: %s", text, got, want, &told)
		}
	}
	g.dir = filepath.Join(dir, "grants.json") // a file, where nothing can be
	g.Load()
	if got := strings.Count(told.String(), "nothing is approved"); got != 3 {
		t.Errorf("another reason is not told of: %s", &told)
	}
}
