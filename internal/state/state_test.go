package state_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/internal/state"
)

func TestChangesOfManyLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.json")
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			err := state.Update(path, 100, func(old []byte) ([]byte, error) {
				n, _ := strconv.Atoi(string(old))
				return fmt.Appendf(nil, "%d", n+1), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b, err := state.Read(path, 100)
	if string(b) != "50" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
}

func TestAFailedChangeLeavesWhatStood(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "n")
	state.Update(path, 10, func([]byte) ([]byte, error) { return []byte("old"), nil })
	for _, change := range []func([]byte) ([]byte, error){
		func([]byte) ([]byte, error) { return nil, os.ErrInvalid },
		func([]byte) ([]byte, error) { return []byte(strings.Repeat("x", 11)), nil },
	} {
		if err := state.Update(path, 10, change); err == nil {
			t.Error("no error")
		}
	}
	if b, _ := state.Read(path, 10); string(b) != "old" {
		t.Errorf("%q", b)
	}
	os.WriteFile(path, []byte(strings.Repeat("x", 50)), 0o600)
	if _, err := state.Read(path, 10); err == nil {
		t.Error("a file larger than the limit was read")
	}
	if _, err := state.Read(dir, 10); err == nil {
		t.Error("a folder was read")
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".helve-*"))
	if len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// A lock that cannot be had because its file cannot be opened is told as that, not as one that another process holds.
func TestALockThatCannotBeOpenedSaysWhy(t *testing.T) {
	dir := t.TempDir()
	unlock, err := state.Lock(dir, "thing")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	files, err := filepath.Glob(filepath.Join(dir, "*.lock"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if err := errors.Join(os.Remove(files[0]), os.Mkdir(files[0], 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := state.Lock(dir, "thing"); err == nil || strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
}

// Who has less time than others is not kept waiting for a lock that another process holds.
func TestALockIsWaitedForAsLongAsOneMay(t *testing.T) {
	dir := t.TempDir()
	unlock, err := state.Lock(dir, "thing")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err = state.LockFor(ctx, dir, "thing")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "another process has held it") {
		t.Errorf("got %v", err)
	}
	unlock()
	if unlock, err = state.LockFor(t.Context(), dir, "thing"); err != nil {
		t.Fatal(err)
	}
	unlock()
}
