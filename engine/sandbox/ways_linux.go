package sandbox

import (
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What the probes try. Each returns nil if the way is open, and runs in the sandbox, as a process of its own.

// write writes a file, which it makes if it is not there.
func write(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString("escaped\n")
	return errors.Join(err, f.Close())
}

// openSetting writes nothing: that the file can be opened for it is enough.
func openSetting(ground) error {
	f, err := os.OpenFile("/proc/sys/kernel/core_pattern", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// read reads a file that is not empty. A mask may show an empty one in its place.
func read(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 0 {
		return errors.New("empty")
	}
	return err
}

func changeMode(g ground) error { return os.Chmod(g.file(), 0o777) }

// setUserID tries it with the own workspace's file: that it has been made is enough.
func setUserID(g ground) error {
	path := filepath.Join(g.Root, "special")
	if err := write(path); err != nil {
		return err
	}
	return unix.Chmod(path, 0o4755)
}

func changeTimes(g ground) error {
	old := time.Unix(1, 0)
	return os.Chtimes(g.file(), old, old)
}

func setAttribute(g ground) error {
	return unix.Setxattr(g.file(), "user.helve", []byte("x"), 0)
}

func takeLease(g ground) error {
	f, err := os.Open(g.file())
	if err != nil {
		return err
	}
	defer f.Close() // ends the lease
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return err
}

func linkWrite(g ground) error {
	dir, err := os.MkdirTemp("", "probe-link-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(g.file(), link); err != nil {
		return err
	}
	return write(link)
}

func hardLink(g ground) error {
	link := filepath.Join(g.Root, "hard")
	if err := os.Link(g.file(), link); err != nil {
		return err
	}
	return write(link)
}

func createHelve(g ground) error {
	dir := filepath.Join(g.Root, ".helve")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return write(filepath.Join(dir, "config.json"))
}

func renameGit(g ground) error {
	git := filepath.Join(g.Root, ".git")
	if err := os.Rename(git, git+".old"); err != nil {
		return err
	}
	if err := os.Mkdir(git, 0o755); err != nil {
		return err
	}
	return write(filepath.Join(git, "config"))
}

// dialTime is how long a service on this machine may take to answer, on one that is busy. What is blocked mostly is
// so at once.
const dialTime = 5 * time.Second

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, dialTime)
	if err != nil {
		return err
	}
	return c.Close()
}

func dialTCP(g ground) error      { return dial("tcp", g.TCP) }
func dialSocket(g ground) error   { return dial("unix", g.Socket) }
func dialInner(g ground) error    { return dial("unix", g.Inner) }
func dialAbstract(g ground) error { return dial("unix", g.Abstract) }

// sendByPair sends from one of two sockets that know each other to a third.
func sendByPair(g ground) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: g.Datagram})
}

// sendUDP waits for an answer: sending succeeds even into nowhere.
func sendUDP(g ground) error {
	c, err := net.Dial("udp", g.UDP)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(dialTime))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}

// openFamilies tries sockets that no network namespace holds, or that reach into the kernel.
func openFamilies(ground) error {
	families := []struct{ family, kind int }{
		{unix.AF_PACKET, unix.SOCK_RAW},
		{unix.AF_VSOCK, unix.SOCK_STREAM},
		{unix.AF_BLUETOOTH, unix.SOCK_RAW},
		{unix.AF_ALG, unix.SOCK_SEQPACKET},
	}
	var errs []error
	for _, f := range families {
		fd, err := unix.Socket(f.family, f.kind, 0)
		if err == nil {
			unix.Close(fd)
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func traceStarter(g ground) error {
	runtime.LockOSThread() // the tracer is a thread; with its end it lets go
	return unix.PtraceSeize(g.PID)
}

// signalStarter sends no signal: number 0 only asks whether one could be sent.
func signalStarter(g ground) error { return unix.Kill(g.PID, 0) }

func remount(g ground) error {
	err := unix.Mount("", g.Root, "", unix.MS_REMOUNT|unix.MS_BIND, "")
	if errors.Is(err, unix.EINVAL) {
		return nil // the call was let through: it only found no mount there
	}
	return err
}

func newNamespace(ground) error {
	err := unix.Unshare(unix.CLONE_NEWUSER)
	if errors.Is(err, unix.EINVAL) {
		return nil // let through: only a process of several threads cannot
	}
	return err
}

// inherited looks for the file that the starting process left open for its children.
func inherited(g ground) error {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, n := range names {
		target, err := os.Readlink("/proc/self/fd/" + n.Name())
		if err == nil && target == g.file() {
			return nil
		}
	}
	return errors.New("none")
}

// manyProcesses starts up to twice as many as allowed; they sleep, and are gone with this process.
func manyProcesses(g ground) error {
	signal.Ignore(unix.SIGCHLD)
	var pids []int
	defer func() {
		for _, pid := range pids {
			unix.Kill(pid, unix.SIGKILL)
		}
	}()
	attr := &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}}
	for range 2 * g.Limit {
		pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "300"}, attr)
		if err != nil {
			return err
		}
		pids = append(pids, pid)
	}
	time.Sleep(countTime)
	return nil
}

// countTime is how long a command with too many processes may have them: where the kernel sets no bound, they are
// counted from time to time.
const countTime = 5 * time.Second

// otherABI makes a socket by the x32 interface, whose numbers a filter may not know.
func otherABI(ground) error {
	if x32Bit == 0 {
		return errors.New("there is none")
	}
	fd, _, errno := unix.RawSyscall(unix.SYS_SOCKET|x32Bit, unix.AF_INET, unix.SOCK_STREAM, 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}

// kernelCalls tries calls that are known for their holes. Any other answer than that they are not to be had means that
// the kernel looked at the arguments.
func kernelCalls(ground) error {
	var params [120]byte // more than io_uring's and bpf's structures
	memory := uintptr(unsafe.Pointer(&params))
	calls := [][4]uintptr{
		{unix.SYS_IO_URING_SETUP, 1, memory, 0},
		{unix.SYS_KEYCTL, 0, ^uintptr(2), 1}, // the keyring of the session
		{unix.SYS_USERFAULTFD, 1, 0, 0},
		{unix.SYS_BPF, 0, memory, 120},
	}
	for _, c := range calls {
		_, _, errno := unix.Syscall(c[0], c[1], c[2], c[3])
		if errno != unix.EPERM && errno != unix.ENOSYS {
			return nil
		}
	}
	return unix.EPERM
}

func openDisk(ground) error {
	disks, err := os.ReadDir("/sys/block")
	if err != nil {
		return err
	}
	last := error(unix.ENOENT) // a machine without disks
	for _, d := range disks {
		f, err := os.Open("/dev/" + d.Name())
		if err == nil {
			return f.Close()
		}
		last = err
	}
	return last
}
