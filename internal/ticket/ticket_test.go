package ticket_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"helve/internal/ticket"
)

const line = "make test"

func of(line string) ticket.Ticket {
	return ticket.Ticket{
		Client:    "claude-code",
		Folder:    "/w/sub",
		Digest:    ticket.Digest(line),
		Workspace: "/w",
		Verdict:   "allow",
		Network:   true,
	}
}

func leave(t *testing.T, dir string, x ticket.Ticket) {
	t.Helper()
	if err := ticket.Leave(dir, x); err != nil {
		t.Fatal(err)
	}
}

func TestATicketSpeaksForOneLineInOneFolderOnce(t *testing.T) {
	dir := t.TempDir()
	leave(t, dir, of(line))
	for _, key := range []string{
		ticket.Key("codex", "/w/sub", line),
		ticket.Key("claude-code", "/w", line),
		ticket.Key("claude-code", "/w/sub", line+" "),
		"",
		"../../etc/passwd",
	} {
		if got, ok := ticket.Take(dir, key); ok {
			t.Errorf("key %q took %+v", key, got)
		}
	}
	want := of(line)
	got, ok := ticket.Take(dir, ticket.Key("claude-code", "/w/sub", line))
	if !ok || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("took %+v, %v, want %+v", got, ok, want)
	}
	if got, ok := ticket.Take(dir, want.Key()); ok {
		t.Errorf("took it twice: %+v", got)
	}
}

func TestOfManyOneTakesIt(t *testing.T) {
	dir := t.TempDir()
	leave(t, dir, of(line))
	leave(t, dir, of(line))
	var took atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, ok := ticket.Take(dir, of(line).Key()); ok {
				took.Add(1)
			}
		})
	}
	all.Wait()
	if took.Load() != 2 {
		t.Errorf("%d took one, 2 were left", took.Load())
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "tickets", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAnOldTicketIsNoneAndIsCleared(t *testing.T) {
	for _, age := range []time.Duration{ticket.Valid + time.Second, -time.Hour} {
		dir := t.TempDir()
		leave(t, dir, of(line))
		then := time.Now().Add(-age)
		if err := os.Chtimes(files(t, dir)[0], then, then); err != nil {
			t.Fatal(err)
		}
		if got, ok := ticket.Take(dir, of(line).Key()); ok {
			t.Errorf("after %v: took %+v", age, got)
		}
		leave(t, dir, of("other"))
		if list := files(t, dir); len(list) != 1 {
			t.Errorf("after %v: %q", age, list)
		}
	}
}

func TestTicketsAreBoundedAndPrivate(t *testing.T) {
	dir := t.TempDir()
	for i := range ticket.Most + 20 {
		leave(t, dir, of(fmt.Sprint("line ", i)))
	}
	list := files(t, dir)
	if len(list) != ticket.Most {
		t.Errorf("%d wait, want %d", len(list), ticket.Most)
	}
	if _, ok := ticket.Take(dir, of(fmt.Sprint("line ", ticket.Most+19)).Key()); !ok {
		t.Error("the newest is gone")
	}
	if runtime.GOOS == "windows" {
		return // no modes there
	}
	for _, path := range append(files(t, dir), filepath.Join(dir, "tickets")) {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, st.Mode(), err)
		}
	}
	large := of(line)
	large.Reason = strings.Repeat("x", 1<<20)
	if err := ticket.Leave(dir, large); err == nil {
		t.Error("a ticket of 1 MiB was left")
	}
}

func TestATicketThatSaysAnotherKeyIsNone(t *testing.T) {
	dir := t.TempDir()
	leave(t, dir, of(line))
	old := files(t, dir)[0]
	for _, text := range []string{"", "{", "null", `{"client":"codex"}`} {
		if err := os.WriteFile(old, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := ticket.Take(dir, of(line).Key()); ok {
			t.Errorf("%q: took %+v", text, got)
		}
	}
}

func TestWhereThereIsNoStateThereIsNoTicket(t *testing.T) {
	if err := ticket.Leave("", of(line)); err == nil {
		t.Error("a ticket was left nowhere")
	}
	if got, ok := ticket.Take(filepath.Join(t.TempDir(), "none"), of(line).Key()); ok {
		t.Errorf("took %+v", got)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ticket.Leave(file, of(line)); err == nil {
		t.Error("a ticket was left in a file")
	}
}

func TestInAReadOnlyFolderATicketStays(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root reads everything and writes everywhere; Windows has no such modes")
	}
	dir := t.TempDir()
	leave(t, dir, of(line))
	in := filepath.Join(dir, "tickets")
	if err := os.Chmod(in, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(in, 0o700)
	got, ok := ticket.Take(dir, of(line).Key())
	if !ok || !got.Kept {
		t.Errorf("took %+v, %v", got, ok)
	}
}
