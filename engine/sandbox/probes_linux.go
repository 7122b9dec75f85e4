package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"helve/engine/sandbox/internal/proc"
)

// probe is one way out that a command could try. try runs inside the sandbox and returns nil if the way is open.
type probe struct {
	name string
	what string
	try  func(ground) error
	// workspace: WorkspaceWrite allows this, it is what the level is for.
	workspace bool
}

// ground is where the probes try: a home with a workspace in it, and services that listen outside the sandbox.
type ground struct {
	home, root string
	tcp, udp   string
	socket     string // of a service, in the file system
	abstract   string
	pid        int // of the process that started the sandbox
	limit      int // of processes
}

func (g ground) args() []string {
	return []string{g.home, g.root, g.tcp, g.udp, g.socket, g.abstract, strconv.Itoa(g.pid), strconv.Itoa(g.limit)}
}

func groundOf(a []string) (ground, error) {
	if len(a) != 8 {
		return ground{}, errors.New("probe: wrong arguments")
	}
	pid, err := strconv.Atoi(a[6])
	limit, err2 := strconv.Atoi(a[7])
	return ground{home: a[0], root: a[1], tcp: a[2], udp: a[3], socket: a[4], abstract: a[5], pid: pid, limit: limit}, errors.Join(err, err2)
}

func (g ground) file() string { return filepath.Join(g.home, "file") }

// probes returns the ways out in the order of the table.
func probes() []probe {
	return []probe{
		{name: "write-workspace", what: "write a file of the workspace", try: func(g ground) error { return write(filepath.Join(g.root, "new")) }, workspace: true},
		{name: "write-outside", what: "overwrite a file outside", try: func(g ground) error { return write(g.file()) }},
		{name: "create-outside", what: "create a file outside", try: func(g ground) error { return write(filepath.Join(g.home, "new")) }},
		{name: "remove-outside", what: "remove a file outside", try: func(g ground) error { return os.Remove(filepath.Join(g.home, "spare")) }},
		{name: "chmod-outside", what: "change the mode of a file outside", try: func(g ground) error { return os.Chmod(g.file(), 0o777) }},
		{name: "times-outside", what: "change the times of a file outside", try: func(g ground) error { return os.Chtimes(g.file(), time.Unix(1, 0), time.Unix(1, 0)) }},
		{name: "xattr-outside", what: "set an extended attribute outside", try: func(g ground) error { return unix.Setxattr(g.file(), "user.helve", []byte("x"), 0) }},
		{name: "link-write", what: "write through an own symbolic link", try: linkWrite},
		{name: "hardlink", what: "hard-link a file from outside into the workspace", try: hardLink},
		{name: "protected", what: "change .git/config", try: func(g ground) error { return write(filepath.Join(g.root, ".git/config")) }},
		{name: "protected-absent", what: "create .mcp.json", try: func(g ground) error { return write(filepath.Join(g.root, ".mcp.json")) }},
		{name: "protected-folder", what: "create .helve/config.json", try: createHelve},
		{name: "protected-rename", what: "move .git away and make another", try: renameGit},
		{name: "secret", what: "read ~/.ssh/id_rsa", try: func(g ground) error { return read(filepath.Join(g.home, ".ssh/id_rsa")) }},
		{name: "secret-env", what: "read a masked .env of the workspace", try: func(g ground) error { return read(filepath.Join(g.root, ".env")) }},
		{name: "tcp", what: "connect to a TCP service of this machine", try: func(g ground) error { return dial("tcp", g.tcp) }},
		{name: "udp", what: "send a datagram to this machine", try: sendUDP},
		{name: "families", what: "open a packet, vsock or Bluetooth socket", try: openFamilies},
		{name: "unix-socket", what: "connect to a service's socket in the file system", try: func(g ground) error { return dial("unix", g.socket) }},
		{name: "abstract-socket", what: "connect to an abstract socket", try: func(g ground) error { return dial("unix", g.abstract) }},
		{name: "ptrace", what: "trace the process that started it", try: func(g ground) error { return tracePID(g.pid) }},
		{name: "environ", what: "read the environment of the process that started it", try: func(g ground) error { return read("/proc/" + strconv.Itoa(g.pid) + "/environ") }},
		{name: "parent-environ", what: "read the environment of its parent", try: func(ground) error { return read("/proc/" + strconv.Itoa(os.Getppid()) + "/environ") }},
		{name: "signal", what: "signal the process that started it", try: func(g ground) error { return unix.Kill(g.pid, 0) }},
		{name: "remount", what: "call mount", try: remount},
		{name: "namespace", what: "make a user namespace", try: newNamespace},
		{name: "descriptors", what: "find an inherited descriptor", try: inherited},
		{name: "processes", what: "start more processes than allowed", try: manyProcesses},
		{name: "other-abi", what: "call the kernel by another interface", try: otherABI},
		{name: "kernel-calls", what: "use io_uring, keyrings, bpf or userfaultfd", try: kernelCalls},
		{name: "disk", what: "open a disk", try: openDisk},
		{name: "sysctl", what: "open a kernel setting for writing", try: func(ground) error { return openWrite("/proc/sys/kernel/core_pattern") }},
	}
}

// probeMain is the life of a launched copy that tries one way out: 0 open, 1 blocked.
func probeMain(args []string) int {
	if len(args) == 0 {
		return proc.ExitRefused
	}
	g, err := groundOf(args[1:])
	if err != nil {
		return proc.ExitRefused
	}
	for _, p := range probes() {
		if p.name != args[0] {
			continue
		}
		if err := p.try(g); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
	return proc.ExitRefused
}

func write(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString("escaped\n")
	return errors.Join(err, f.Close())
}

func openWrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func read(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 0 {
		return errors.New("empty")
	}
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
	link := filepath.Join(g.root, "hard")
	if err := os.Link(g.file(), link); err != nil {
		return err
	}
	return write(link)
}

func createHelve(g ground) error {
	if err := os.MkdirAll(filepath.Join(g.root, ".helve"), 0o755); err != nil {
		return err
	}
	return write(filepath.Join(g.root, ".helve/config.json"))
}

func renameGit(g ground) error {
	git := filepath.Join(g.root, ".git")
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

// sendUDP succeeds even into nowhere; the listener answers.
func sendUDP(g ground) error {
	c, err := net.Dial("udp", g.udp)
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

func openFamilies(ground) error {
	var errs []error
	for family, kind := range map[int]int{unix.AF_PACKET: unix.SOCK_RAW, unix.AF_VSOCK: unix.SOCK_STREAM, unix.AF_BLUETOOTH: unix.SOCK_RAW, unix.AF_ALG: unix.SOCK_SEQPACKET} {
		fd, err := unix.Socket(family, kind, 0)
		if err == nil {
			unix.Close(fd)
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func tracePID(pid int) error {
	runtime.LockOSThread() // the tracer is a thread; with its end it lets go
	return unix.PtraceSeize(pid)
}

func remount(g ground) error {
	err := unix.Mount("", g.root, "", unix.MS_REMOUNT|unix.MS_BIND, "")
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
		if target, err := os.Readlink("/proc/self/fd/" + n.Name()); err == nil && target == g.file() {
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
	for range 2 * g.limit {
		pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "300"}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}})
		if err != nil {
			return err
		}
		pids = append(pids, pid)
	}
	return nil
}

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

func kernelCalls(ground) error {
	var params [120]byte
	for _, call := range [][4]uintptr{{unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0}, {unix.SYS_KEYCTL, 0, ^uintptr(2), 1}, {unix.SYS_USERFAULTFD, 1, 0, 0}, {unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&params)), 120}} {
		if _, _, errno := unix.Syscall(call[0], call[1], call[2], call[3]); errno != unix.EPERM && errno != unix.ENOSYS {
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
	last := error(unix.ENOENT)
	for _, d := range disks {
		var f *os.File
		if f, last = os.Open("/dev/" + d.Name()); last == nil {
			return f.Close()
		}
	}
	return last
}
