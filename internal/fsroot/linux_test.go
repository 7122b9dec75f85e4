//go:build linux

package fsroot_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"helve/internal/fsroot"
)

func TestPipesSocketsAndDevicesAreRefusedWithoutWaiting(t *testing.T) { // file-input-025
	ws := workspace(t)
	must(t, syscall.Mkfifo(ws+"/fifo", 0o644))
	ln, err := net.Listen("unix", ws+"/sock")
	must(t, err)
	defer ln.Close()
	s := open(t, fsroot.Options{}, ws)
	for _, name := range []string{"fifo", "sock"} {
		p, err := s.Resolve("", name)
		must(t, err)
		if _, _, err := s.Open(p); !errors.Is(err, fsroot.ErrNotRegular) {
			t.Errorf("Open(%s) = %v", name, err)
		}
		if err := put(s, name, "x"); !errors.Is(err, fsroot.ErrNotRegular) {
			t.Errorf("write %s: %v", name, err)
		}
	}
	dev := open(t, fsroot.Options{}, "/dev")
	p, err := dev.Resolve("", "zero")
	must(t, err)
	if _, _, err := dev.Open(p); !errors.Is(err, fsroot.ErrNotRegular) {
		t.Errorf("Open(/dev/zero) = %v", err)
	}
}

func TestReplaceKeepsExtendedAttributesAndOwner(t *testing.T) {
	ws := workspace(t)
	if err := unix.Setxattr(ws+"/f", "user.kept", []byte("yes"), 0); err != nil {
		t.Skip("no extended attributes here: ", err)
	}
	if os.Getuid() == 0 {
		must(t, os.Chown(ws+"/f", 12345, 23456))
	}
	s := open(t, fsroot.Options{}, ws)
	must(t, put(s, "f", "new"))
	buf := make([]byte, 10)
	n, err := unix.Getxattr(ws+"/f", "user.kept", buf)
	if err != nil || string(buf[:n]) != "yes" {
		t.Errorf("user.kept = %q, %v", buf[:max(n, 0)], err)
	}
	fi, err := os.Stat(ws + "/f")
	must(t, err)
	if st := fi.Sys().(*syscall.Stat_t); os.Getuid() == 0 && (st.Uid != 12345 || st.Gid != 23456) {
		t.Errorf("owner %d:%d", st.Uid, st.Gid)
	}
}

// What a file may do by its old content, its new one may not.
func TestReplaceKeepsNoCapability(t *testing.T) {
	ws := workspace(t)
	// Version 2, effective, permitted: CAP_NET_RAW.
	raw := []byte{1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if err := unix.Setxattr(ws+"/f", "security.capability", raw, 0); err != nil {
		t.Skip("only root can give a file capabilities: ", err)
	}
	must(t, put(open(t, fsroot.Options{}, ws), "f", "new"))
	if n, err := unix.Getxattr(ws+"/f", "security.capability", make([]byte, 100)); err == nil {
		t.Errorf("the new content has %d bytes of capabilities", n)
	}
}

// Until it has the rights of the file that it replaces, what is written is nobody else's business.
func TestWhatIsBeingWrittenIsPrivate(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", "f")
	must(t, err)
	must(t, os.Chmod(ws+"/f", 0o755))
	l, err := s.Lock(t.Context(), p)
	must(t, err)
	defer l.Unlock()
	_, err = l.Replace(1, func(w io.Writer) error {
		fi, err := os.Stat(filepath.Join(ws, only(t, ws, fsroot.IsTemp)))
		if err != nil || fi.Mode() != 0o600 {
			t.Errorf("%v, %v", fi.Mode(), err)
		}
		_, err = io.WriteString(w, "x")
		return err
	})
	must(t, err)
	if fi, err := os.Stat(ws + "/f"); err != nil || fi.Mode() != 0o755 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
}

func TestASwappedDirectoryIsNeverLeftThroughALink(t *testing.T) { // path-039
	ws := workspace(t)
	must(t, os.WriteFile(ws+"/a/s", []byte("PROTECTED"), 0o644))
	must(t, os.Mkdir(ws+"/sw", 0o755))
	must(t, os.WriteFile(ws+"/sw/s", []byte("inside"), 0o644))
	s := open(t, fsroot.Options{}, ws)
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			to := []string{"a", strings.TrimSuffix(ws, "/") + "-evil"}[i%2] // another place inside, and one outside
			os.Rename(ws+"/sw", ws+"/tmp")
			os.Symlink(to, ws+"/sw")
			os.Remove(ws + "/sw")
			os.Rename(ws+"/tmp", ws+"/sw")
		}
	}()
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		p, err := s.Resolve("", "sw/s")
		if err != nil || p.Target() != "sw/s" {
			continue // judged as what it is
		}
		if b, _, err := s.ReadFile(p, 100); err == nil && string(b) != "inside" {
			t.Fatalf("sw/s was judged, %q was read", b)
		}
	}
	stop.Store(true)
	<-done
}

// What is opened is the file that was looked at: nothing else that takes its name meanwhile is read, and no pipe is.
func TestWhatTakesAFilesNameIsNotOpened(t *testing.T) {
	ws := workspace(t)
	must(t, syscall.Mkfifo(ws+"/pipe", 0o600))
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", "f")
	must(t, err)
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() { // the names change hands, without a moment at which there is none
			unix.Renameat2(unix.AT_FDCWD, ws+"/f", unix.AT_FDCWD, ws+"/pipe", unix.RENAME_EXCHANGE)
		}
	}()
	read := 0
	for i := 0; i < 20_000 && read < 2000; i++ {
		f, fi, err := s.Open(p)
		if err != nil {
			continue // a pipe, at that moment
		}
		read++
		now, err := f.Stat()
		if err != nil || !fi.Mode().IsRegular() || !now.Mode().IsRegular() {
			t.Errorf("a %v was opened, and is said to be a %v", now.Mode(), fi.Mode())
		}
		f.Close()
	}
	stop.Store(true)
	<-done
	if read == 0 {
		t.Error("nothing was opened")
	}
}

// A server resolves paths for weeks.
func TestResolvingKeepsNothingOpen(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	before := descriptors(t)
	for range 20 {
		for link := range linksOf(ws) {
			s.Resolve("", link)
			s.Resolve("", link+"/below")
		}
	}
	if n := descriptors(t) - before; n > 0 {
		t.Errorf("%d descriptors are left open", n)
	}
}

// descriptors is how many this process has.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries)
}

// TestMain lets the test binary be the writer that is killed.
func TestMain(m *testing.M) {
	if ws := os.Getenv("FSROOT_TEST_WRITER"); ws != "" {
		writeForEver(ws, os.Getenv("FSROOT_TEST_LOCKS"))
	}
	os.Exit(m.Run())
}

var sizes = [2]int{300_000, 200_000}

// writeForEver replaces f by turns with many a and many b.
func writeForEver(ws, locks string) {
	s, err := fsroot.Open(fsroot.Options{LockDir: locks}, ws)
	if err != nil {
		panic(err)
	}
	p, err := s.Resolve("", "f")
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString("ready\n")
	for i := 0; ; i++ {
		l, err := s.Lock(context.Background(), p)
		if err != nil {
			panic(err)
		}
		_, err = l.Replace(0, func(w io.Writer) error {
			chunk := strings.Repeat(string(rune('a'+i%2)), 10_000)
			for range sizes[i%2] / len(chunk) {
				if _, err := io.WriteString(w, chunk); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			panic(err)
		}
		l.Unlock()
	}
}

func TestAKilledWriterLeavesTheOldOrTheNewFile(t *testing.T) {
	ws, locks := workspace(t), t.TempDir()
	must(t, os.WriteFile(ws+"/f", []byte(strings.Repeat("a", sizes[0])), 0o644))
	rounds, temps := 200, 0
	if testing.Short() {
		rounds = 20
	}
	for i := 0; i < rounds || temps == 0 && i < 100*rounds; i++ { // a machine that is busy lets few writers write
		killWriter(t, ws, locks)
		got := content(t, ws+"/f")
		if got != strings.Repeat("a", sizes[0]) && got != strings.Repeat("b", sizes[1]) {
			t.Fatalf("neither old nor new: %d bytes", len(got))
		}
		temps += countTemps(t, ws)
	}
	s := open(t, fsroot.Options{LockDir: locks}, ws)
	noTemps(t, ws)
	must(t, put(s, "f", "still writable"))
	if temps == 0 {
		t.Error("no kill hit a write: the test proves nothing")
	}
}

func countTemps(t *testing.T, dir string) (n int) {
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if fsroot.IsTemp(e.Name()) {
			n++
		}
	}
	return n
}

func killWriter(t *testing.T, ws, locks string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FSROOT_TEST_WRITER="+ws, "FSROOT_TEST_LOCKS="+locks)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	bufio.NewReader(out).ReadString('\n')
	time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
	must(t, cmd.Process.Kill())
	cmd.Wait()
}

func TestAFullDiskLeavesTheOldFile(t *testing.T) {
	ws := t.TempDir()
	if err := unix.Mount("tmpfs", ws, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("cannot mount a small file system here: ", err)
	}
	defer unix.Unmount(ws, unix.MNT_DETACH)
	must(t, os.WriteFile(ws+"/f", []byte("old"), 0o644))
	s := open(t, fsroot.Options{}, ws)
	for _, size := range []int{500 << 10, 2 << 20} { // found while writing, and while reserving
		err := put(s, "f", strings.Repeat("x", size))
		if !errors.Is(err, fsroot.ErrNoSpace) || content(t, ws+"/f") != "old" {
			t.Errorf("write of %d = %v", size, err)
		}
	}
	noTemps(t, ws)
}

// A quota says so at a write, as a full disk does, and what says so is passed on.
func TestAUsedUpQuotaLeavesTheOldFile(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{LockDir: t.TempDir()}, ws)
	for _, path := range []string{"f", "new"} {
		p, err := s.Resolve("", path)
		must(t, err)
		l, err := s.Lock(context.Background(), p)
		must(t, err)
		_, err = l.Replace(0, func(w io.Writer) error {
			io.WriteString(w, "half")
			return &fs.PathError{Op: "write", Path: "/secret/place", Err: syscall.EDQUOT}
		})
		l.Unlock()
		if want := "write: " + path + ": " + syscall.EDQUOT.Error() + ": the file is unchanged; free some space"; !errors.Is(err, fsroot.ErrNoSpace) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := os.Lstat(ws + "/new"); err == nil || content(t, ws+"/f") != "ok" {
		t.Error("a refused write changed something")
	}
	noTemps(t, ws)
}

// A program that runs cannot be written, whoever asks: its file is left as it is, and the error says why.
func TestAProgramThatRunsIsNotReplaced(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("no program sleep")
	}
	b, err := os.ReadFile(sleep)
	must(t, err)
	ws := workspace(t)
	file := filepath.Join(ws, "tool")
	must(t, os.WriteFile(file, b, 0o755))
	cmd := exec.Command(file, "60")
	must(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	s := open(t, fsroot.Options{LockDir: t.TempDir()}, ws)
	if err := put(s, "tool", "x"); !errors.Is(err, unix.ETXTBSY) {
		t.Errorf("%v, want that it is busy", err)
	}
	if got := content(t, file); got != string(b) {
		t.Error("the program was changed")
	}
}

// Where a link leads out, the error names the whole place, the names behind the link too.
func TestTheErrorNamesThePlaceBehindALink(t *testing.T) {
	ws := workspace(t)
	must(t, os.Symlink("/nowhere/near", filepath.Join(ws, "away")))
	s := open(t, fsroot.Options{}, ws)
	if _, err := s.Resolve("", "away/file"); err == nil || !strings.Contains(err.Error(), "/nowhere/near/file") {
		t.Errorf("%v does not name /nowhere/near/file", err)
	}
}
