//go:build unix

package ticket_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"helve/internal/ticket"
)

func TestAnEndIsHeardOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	name := ticket.EndName("abc")
	if e, ok := ticket.Heard(name); ok {
		t.Errorf("nobody said it: %+v", e)
	}
	want := ticket.End{Status: 3, Took: time.Second}
	if err := want.Say(name); err == nil {
		t.Error("it ended and never began")
	}
	if began, _ := ticket.Ended(name); began {
		t.Error("it never began")
	}
	if err := ticket.Begin(name); err != nil {
		t.Fatal(err)
	}
	if began, at := ticket.Ended(name); !began || !at.IsZero() {
		t.Errorf("it runs: %v, %v", began, at)
	}
	if err := want.Say(name); err != nil {
		t.Fatal(err)
	}
	if began, at := ticket.Ended(name); !began || time.Since(at).Abs() > time.Hour {
		t.Errorf("it has ended: %v, %v", began, at)
	}
	if e, ok := ticket.Heard(name); !ok || e != want {
		t.Errorf("heard %+v, %v", e, ok)
	}
	if e, ok := ticket.Heard(name); ok {
		t.Errorf("heard twice: %+v", e)
	}
}

// Any command may put something there.
func TestWhatIsNoEndIsNotHeard(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte(`{"status":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ticket.EndName("abc"))
	for name, put := range map[string]func() error{
		"a link":      func() error { return os.Symlink(secret, path) },
		"a pipe":      func() error { return syscall.Mkfifo(path, 0o600) },
		"a folder":    func() error { return os.Mkdir(path, 0o700) },
		"no JSON":     func() error { return os.WriteFile(path, []byte("3"), 0o600) },
		"no status":   func() error { return os.WriteFile(path, []byte(`{"status":-1}`), 0o600) },
		"large":       func() error { return os.WriteFile(path, make([]byte, 1<<20), 0o600) },
		"no duration": func() error { return os.WriteFile(path, []byte(`{"status":1,"took":-5}`), 0o600) },
	} {
		os.Remove(path)
		if err := put(); err != nil {
			t.Fatal(err)
		}
		if e, ok := ticket.Heard(ticket.EndName("abc")); ok {
			t.Errorf("%s: heard %+v", name, e)
		}
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error("what the link led to is gone", err)
	}
	for _, name := range []string{"", "secret", ticket.EndName(""), ticket.EndName("../secret"), ticket.EndName("A")} {
		if err := ticket.Begin(name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

func TestALineIsHeldWhileItRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "look")
	x := ticket.Ticket{Look: file}
	if _, err := x.Hold(); err == nil {
		t.Error("there is nothing to hold")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it was made")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	release, err := x.Hold()
	if err != nil {
		t.Fatal(err)
	}
	again, err := x.Hold()
	if err != nil {
		t.Fatal(err)
	}
	again()
	release()
}
