package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// many is small for every day; 100,000 take a minute or two.
var many = flag.Int("files", 10_000, "how many files a command changes in TestManyChangesAreMade")

// A command changes, makes and deletes many files one by one: all of it is made, and what it did not touch stays.
func TestManyChangesAreMade(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	third := *many / 3
	for i := range 2*third + 10 {
		at := filepath.Join(d.work, fmt.Sprintf("d%d", i%100))
		if i < 100 {
			if err := os.Mkdir(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(at, fmt.Sprintf("f%d", i)), []byte("old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// bash's own words only: a process for each file would take longer than all the rest.
	line := fmt.Sprintf(`for ((i=0; i<%[1]d; i++)); do echo new >d$((i%%100))/f$i; echo made >d$((i%%100))/n$i; done; `+
		`for ((i=%[1]d; i<%[2]d; i++)); do echo d$((i%%100))/f$i; done | xargs rm`, third, 2*third)
	if err := os.WriteFile(filepath.Join(d.work, "script"), []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	c := d.command(d.helve(), "--mode", "auto", "call", "bash", "command=bash script", "timeout=600000")
	out, err := c.CombinedOutput()
	used := c.ProcessState
	t.Logf("%d changes in %v, of helve's own %v and %v of the system's: %.300s", 3*third, time.Since(start), used.UserTime(), used.SystemTime(), out)
	want := fmt.Sprintf("%d changed, %d new, %d deleted", third, third, third)
	if err != nil || !strings.Contains(strings.ReplaceAll(string(out), ",", ""), strings.ReplaceAll(want, ",", "")) {
		t.Errorf("%v: %.2000s\nwant %q", err, out, want)
	}
	got, err := d.outside(`cat d*/f* | sort | uniq -c; cat d*/n* | sort | uniq -c; ls -A`)
	if fields := strings.Fields(got); err != nil || len(fields) < 6 || strings.Join(fields[:6], " ") != fmt.Sprintf("%d new 10 old %d made", third, third) || len(fields) != 107 {
		t.Errorf("%v: %d words: %.300s", err, len(fields), got)
	}
}

// What a command can leave beside files and folders is made, refused by the system, or told.
func TestOddEntriesAreMadeOrRefused(t *testing.T) {
	d := newBase(t, 0)
	d.needHeld()
	const python = "/usr/bin/python3" // one of the system's: commands see no other for certain
	if _, err := os.Stat(python); err != nil {
		t.Skip(err)
	}
	line := python + ` -c '
import os, stat
os.mknod("sock", stat.S_IFSOCK | 0o600)
os.mkfifo("pipe")
for kind in ("gone", "disk"):
    try:
        os.mknod(kind, (stat.S_IFCHR if kind == "gone" else stat.S_IFBLK) | 0o600, os.makedev(0, 0) if kind == "gone" else os.makedev(8, 0))
        print(kind, "made")
    except PermissionError:
        print(kind, "refused")
open("noted", "w").close()
for name in ("user.overlay.opaque", "user.overlay.whiteout", "user.overlay.redirect"):
    try:
        os.setxattr("noted", name, b"y")
    except OSError:
        print(name, "refused")
os.link("noted", "twin")
open(b"n\xff\n", "w").close()
'`
	out := d.bash(line)
	for _, want := range []string{"gone refused", "disk refused"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing: %s", want, out)
		}
	}
	for name, want := range map[string]uint32{"sock": unix.S_IFSOCK, "pipe": unix.S_IFIFO, "noted": unix.S_IFREG, "twin": unix.S_IFREG, "n\xff\n": unix.S_IFREG} {
		var st unix.Stat_t
		if err := unix.Lstat(filepath.Join(d.work, name), &st); err != nil || st.Mode&unix.S_IFMT != want {
			t.Errorf("%q: %v, mode %o; %s", name, err, st.Mode, out)
		}
	}
	names := make([]byte, 4096)
	n, err := unix.Llistxattr(filepath.Join(d.work, "noted"), names)
	if err != nil || strings.Contains(string(names[:n]), "user.overlay") {
		t.Errorf("an overlay's own attributes came through: %q, %v", names[:max(n, 0)], err)
	}
	for _, name := range []string{"gone", "disk"} {
		if _, err := os.Lstat(filepath.Join(d.work, name)); err == nil {
			t.Errorf("the device %s was made", name)
		}
	}
}

// The disk of the workspace is full when a command's changes are to be made: nothing of them is, the result says so, and
// what was there is there.
func TestAFullWorkspaceIsToldAndNothingIsHalfMade(t *testing.T) {
	d := newBase(t, 0)
	d.needHeld()
	mounted(t, "none", d.work, "tmpfs", 0, "size=4m")
	if _, err := d.outside("echo mine >a; mkdir d; echo keep >d/b"); err != nil {
		t.Fatal(err)
	}
	out := d.bash("echo new >a; rm -r d; echo small >small; head -c 20000000 /dev/zero >big; echo ran")
	if !strings.Contains(out, "ran") || !strings.Contains(out, "nothing that it changed was kept") || !strings.Contains(out, "no space left on device") {
		t.Errorf("%s", out)
	}
	got, err := d.outside("cat a d/b; ls -A")
	if err != nil || got != "mine\nkeep\na\nd\n" {
		t.Errorf("%v: %q", err, got)
	}
	if out := d.bash("echo new >a; rm -r d"); !strings.Contains(out, "1 changed, 1 deleted") && !strings.Contains(out, "changed") {
		t.Errorf("the next one: %s", out)
	}
	if left, err := filepath.Glob(filepath.Join(d.home, ".local", "state", "helve", "changes", "*", "*", "upper-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A layer in memory serves an ordinary user, too, and holds back what runs later.
func TestALayerInMemoryHoldsBackForAnOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount the overlay and become an ordinary user")
	}
	const nobody = 65534
	d := newBase(t, nobody)
	d.needHeld()
	if err := os.RemoveAll(filepath.Join(d.home, ".local")); err != nil {
		t.Fatal(err)
	}
	d.stateOnOverlay()
	if err := os.Chown(filepath.Join(d.home, ".local"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	if out, err := d.outside("mkdir -p old/sub && echo one >old/sub/x && echo two >gone"); err != nil {
		t.Fatal(err, out)
	}
	const script = "mv old new; rm gone; mkdir gone; echo in >gone/y; mkdir -p sub/.vscode; echo run >sub/.vscode/tasks.json; (sleep 60; echo late >late) & ln -s new l; chmod 700 new"
	if err := os.WriteFile(filepath.Join(d.work, "s"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	out := d.bash("sh s")
	if !strings.Contains(out, "sub/.vscode was held back") || strings.Contains(out, "not held back") {
		t.Errorf("%s", out)
	}
	got, err := d.outside("cat new/sub/x gone/y; readlink l; stat -c %a new; ls -A . sub")
	if want := "one\nin\nnew\n700\n.:\ngone\nl\nnew\ns\nsub\n\nsub:\n"; err != nil || got != want {
		t.Errorf("%v: %q, want %q", err, got, want)
	}
}
