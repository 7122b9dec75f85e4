package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
