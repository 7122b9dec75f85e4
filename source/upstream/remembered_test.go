package upstream

import (
	"strings"
	"testing"
	"time"
)

// What is wrong with the definitions of a list that is remembered is known without the server.
func TestFindingsOfARememberedListAreKnownWithoutTheServer(t *testing.T) {
	dir := t.TempDir()
	s, err := New(Config{Name: "bad", Command: "nothing-is-started"}, Options{CacheDir: dir, Environ: []string{"PATH=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if found := s.Remembered(); found != nil {
		t.Errorf("nothing is remembered: %v", found)
	}
	l := &listing{Server: s.key, Where: s.lists.common.where, At: time.Now()}
	for _, raw := range []string{
		`{"name":"well","inputSchema":{"type":"object"}}`,
		`{"name":"worse","inputSchema":{"type":"object","properties":7}}`,
	} {
		l.Tools = append(l.Tools, []byte(raw))
	}
	s.lists.common.memorize(l)
	found := s.Remembered()
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	for _, f := range found {
		if f.Tool != "worse" || strings.TrimSpace(f.Text) == "" {
			t.Errorf("%+v", f)
		}
	}
	if up, _ := s.Up(); up || s.calls.dialer.made.Load() > 0 {
		t.Error("the server was started")
	}
}

// What a server says to models is known with the list that is remembered of it, without the server.
func TestInstructionsAreKnownWithoutTheServer(t *testing.T) {
	dir := t.TempDir()
	s, err := New(Config{Name: "x", Command: "nothing-is-started"}, Options{CacheDir: dir, Environ: []string{"PATH=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Instructions(); got != "" {
		t.Errorf("nothing is remembered: %q", got)
	}
	s.lists.common.memorize(&listing{Server: s.key, Where: s.lists.common.where, At: time.Now(), About: About{Instructions: "Ask first."}})
	if got := s.Instructions(); got != "Ask first." || s.calls.dialer.made.Load() > 0 {
		t.Errorf("got %q after %d starts", got, s.calls.dialer.made.Load())
	}
}
