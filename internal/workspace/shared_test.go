package workspace_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "helve/internal/workspace"
)

// Replicas that change a document at once lose nothing of each other's.
func TestAllChangesOfASharedDocumentStand(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := SharedFolder(dir)
			if err != nil {
				t.Error(err)
				return
			}
			for range 10 {
				err := s.Update("list", func(old []byte) ([]byte, error) { return append(old, 'x'), nil })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	s, err := SharedFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := s.Read("list"); err != nil || len(b) != 40 {
		t.Errorf("%d changes stand, want 40: %v", len(b), err)
	}
}

func TestReplicasMakeOneKey(t *testing.T) {
	dir := t.TempDir()
	keys := make([][]byte, 8)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			s, err := SharedFolder(dir)
			if err == nil {
				keys[i], err = SharedKey(s)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, k := range keys {
		if len(k) < 16 || !bytes.Equal(k, keys[0]) {
			t.Errorf("replica %d has the key %q, the first %q", i, k, keys[0])
		}
	}
}

func TestWhatConversationsLeftInASharedFolderIsRemovedAfterADay(t *testing.T) {
	dir := t.TempDir()
	opened, err := SharedFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := opened
	put := func(id, name string) string {
		t.Helper()
		c := s.Conversation(id)
		if _, err := c.Put(name, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		if err := c.Update("grants", func([]byte) ([]byte, error) { return []byte("[]"), nil }); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, "conversations", id)
	}
	old, both := put("old", "seen-1"), put("both", "seen-1")
	yesterday := time.Now().Add(-SharedTime - time.Minute)
	for _, files := range []string{filepath.Join(old, "*"), filepath.Join(old, "locks", "*"), filepath.Join(both, "seen-1")} {
		found, _ := filepath.Glob(files)
		for _, f := range found {
			if err := os.Chtimes(f, yesterday, yesterday); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Update("grants.json", func([]byte) ([]byte, error) { return []byte("[]"), nil }); err != nil {
		t.Fatal(err)
	}
	Tidy(s, time.Now().Add(TidyEvery))
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the old conversation is there: %v", err)
	}
	left, _ := os.ReadDir(both)
	if len(left) != 2 { // the grants and their lock
		t.Errorf("of the other one %v is left", left)
	}
	if b, err := s.Read("grants.json"); err != nil || string(b) != "[]" {
		t.Errorf("what is approved for always: %q, %v", b, err)
	}
}
