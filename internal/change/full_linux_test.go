package change

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const fullEnv = "CHANGE_TEST_FULL"

// A full disk is found out before anything can be seen, and leaves everything as it was.
func TestAFullDiskChangesNothing(t *testing.T) {
	if dir := os.Getenv(fullEnv); dir != "" {
		meetFullDisk(t, dir)
		return
	}
	for _, near := range []string{"", "near"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAFullDiskChangesNothing$", "-test.v")
		cmd.Env = append(os.Environ(), fullEnv+"="+t.TempDir(), "CHANGE_TEST_NEAR="+near)
		user := []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		group := []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: user, GidMappings: group,
		}
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil && len(out) == 0:
			t.Skip("a user namespace does not work here: ", err)
		case strings.Contains(string(out), "--- SKIP"):
			t.Skipf("%s", out)
		case err != nil:
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// meetFullDisk is the child, which has a disk of its own.
func meetFullDisk(t *testing.T, dir string) {
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skip("a mount does not work here: ", err)
	}
	before := tree{
		"a": {Type: File, Mode: 0o644, Text: "old a", Second: 1e9},
		"d": {Type: Dir, Mode: 0o755},
		"e": {Type: File, Mode: 0o644, Text: "old e", Second: 1e9},
	}
	g := &ground{root: dir + "/root", state: dir + "/state"}
	g.o = Options{Roots: []string{g.root}, State: g.state, near: os.Getenv("CHANGE_TEST_NEAR") != ""}
	g.reset(t, before)
	tx, err := Begin(g.o)
	if err != nil {
		t.Fatal(err)
	}
	big := func(w io.Writer) error { _, err := w.Write(make([]byte, 1<<20)); return err }
	_, err = tx.Apply(context.Background(), &Set{Changes: []Change{
		{Path: "a", Was: g.now(t, "a"), Will: Entry{Type: File, Mode: 0o644}, Write: text("new a")},
		{Path: "d/new", Will: Entry{Type: File, Mode: 0o644}, Write: big},
		{Path: "e", Was: g.now(t, "e")},
	}})
	if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("%v, want that the disk is full and nothing was changed", err)
	}
	if err := tx.Close(); err != nil {
		t.Error(err)
	}
	g.wantTree(t, before)
	g.wantNoFolders(t)
}
