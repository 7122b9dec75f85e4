package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data. Arguments are 64 bits wide; on the little-endian machines that are supported the
// low half comes first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

var (
	denied  = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	missing = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	allowed = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	killed  = bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}
)

// namespaceFlags of clone: inside a new user namespace a process would have all capabilities over what is in it.
const namespaceFlags = unix.CLONE_NEWUSER |
	unix.CLONE_NEWNS |
	unix.CLONE_NEWPID |
	unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS |
	unix.CLONE_NEWCGROUP

// deniedCalls reach other processes, the kernel or the mounts, or are known for their holes.
var deniedCalls = []uint32{
	// other processes
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD,
	// known for their holes
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	// the kernel's own code
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	// mounts
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	// namespaces, and files by a number in place of a path that mounts could hide
	unix.SYS_SETNS, unix.SYS_UNSHARE, unix.SYS_OPEN_BY_HANDLE_AT,
	// the machine
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
}

// changeCalls change what Landlock alone does not watch: modes, owners, times, extended attributes.
var changeCalls = append([]uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, sysFchmodat2,
	unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, sysSetxattrat,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, sysRemovexattrat,
	sysFileSetattr,
}, oldChangeCalls...)

// Newer calls have the same number on every machine.
const (
	sysFchmodat2     = 452
	sysSetxattrat    = 463
	sysRemovexattrat = 466
	sysFileSetattr   = 469
)

// Requests of ioctl that write into a terminal as if its user typed.
const (
	tiocsti   = 0x5412
	tioclinux = 0x541C
)

// seccomp filters the system calls of this thread and of what it starts. Over a layer, renames are answered from here, and
// so are calls that make something where not every name may be made.
func (p plan) seccomp() error {
	if auditArch == 0 {
		return errors.New("seccomp: not known for this processor")
	}
	prog, err := p.program()
	if err != nil {
		return err
	}
	if !p.asks() {
		_, err = install(prog, 0)
		return err
	}
	p.renames.prepare(p)
	// A call that waits for its answer is not to be interrupted by a signal: it would be answered twice. Linux before
	// 5.19 does not know that.
	p.renames.listener, err = install(prog, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if errors.Is(err, unix.EINVAL) {
		p.renames.listener, err = install(prog, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	}
	// The kernel asks one program about a call. Inside another sandbox that is its launcher, and who is here has
	// Landlock alone, among whose gaps is what nobody asks about then.
	if errors.Is(err, unix.EBUSY) && p.Mechanism == Landlock {
		p.Absent = nil
		return p.seccomp()
	}
	if err != nil {
		return err
	}
	go p.renames.serve() // ends with this process
	return nil
}

// asks tells that the kernel asks this process about calls.
func (p plan) asks() bool { return p.holds() || len(p.Absent) > 0 }

// program is the filter as the kernel takes it.
func (p plan) program() (*unix.SockFprog, error) {
	raw, err := bpf.Assemble(p.filter())
	if err != nil {
		return nil, fmt.Errorf("seccomp: %w", err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}, nil
}

// install hands a filter to the kernel. With a listener in flags, its descriptor is the result.
func install(prog *unix.SockFprog, flags uintptr) (int, error) {
	const setModeFilter = 1 // SECCOMP_SET_MODE_FILTER of include/uapi/linux/seccomp.h
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, setModeFilter, flags, uintptr(unsafe.Pointer(prog)))
	runtime.KeepAlive(prog)
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: install: %w", errno)
	}
	return int(fd), nil
}

// filter is the program that the kernel runs at every call. Between its parts the number of the call is loaded: a part
// that loads something else loads the number again.
func (p plan) filter() []bpf.Instruction {
	f := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		killed, // a 32-bit call would go around every number below
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
	if x32Bit != 0 {
		f = append(f,
			bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32Bit, SkipFalse: 1},
			denied)
	}
	for _, nr := range p.deniedCalls() {
		f = append(f, on(nr, denied)...)
	}
	if p.Mechanism == Landlock && p.Level == ReadOnly {
		for _, nr := range changeCalls {
			f = append(f, on(nr, denied)...)
		}
	}
	if p.holds() {
		for _, nr := range slices.Concat(renameCalls, linkCalls) {
			f = append(f, on(nr, asked)...)
		}
	}
	f = append(f, on(unix.SYS_CLONE3, missing)...)  // its flags lie in memory; libraries fall back to clone
	f = append(f, on(unix.SYS_OPENAT2, missing)...) // so does the mode of what it makes; callers fall back to openat
	for _, c := range slices.Concat(modeCalls, oldModeCalls) {
		f = append(f, c.withoutSpecialBits()...)
	}
	if len(p.Absent) > 0 { // those that are denied by their mode were denied before
		for _, c := range slices.Concat(makeCalls, oldMakeCalls) {
			f = append(f, c.isAsked()...)
		}
	}
	if p.Mechanism == Landlock {
		f = append(f, ofOthers()...)
	}
	if p.Level != Light {
		f = append(f, argument(unix.SYS_CLONE, 0, bpf.JumpBitsSet, namespaceFlags)...)
	}
	f = append(f, argument(unix.SYS_IOCTL, 1, bpf.JumpEqual, tiocsti)...)
	f = append(f, argument(unix.SYS_IOCTL, 1, bpf.JumpEqual, tioclinux)...)
	f = append(f, argument(unix.SYS_FCNTL, 1, bpf.JumpEqual, unix.F_SETLEASE)...)
	if !p.Sockets {
		f = append(f, pairsOfStreams()...)
	}
	f = append(f, p.sockets()...)
	return append(f, allowed)
}

// A modeCall is a system call that gives a file a mode.
type modeCall struct {
	nr    uint32
	mode  uint32 // the argument that is the mode
	flags uint32 // the argument that says whether a file is made at all; 0: it always is
}

// modeCalls are those that every machine has.
var modeCalls = []modeCall{
	{nr: unix.SYS_FCHMOD, mode: 1},
	{nr: unix.SYS_FCHMODAT, mode: 2},
	{nr: sysFchmodat2, mode: 2},
	{nr: unix.SYS_MKNODAT, mode: 2},
	{nr: unix.SYS_OPENAT, mode: 3, flags: 2},
}

const (
	// specialBits are set-user-ID and set-group-ID: a program with them is run with the rights of its owner by anybody,
	// also outside the sandbox.
	specialBits = unix.S_ISUID | unix.S_ISGID
	// makesFile are the flags of an open that gives a mode: O_CREAT, and the bit of its own that O_TMPFILE has.
	makesFile = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
)

// withoutSpecialBits denies a call that sets one of specialBits, and loads the number again.
func (c modeCall) withoutSpecialBits() []bpf.Instruction {
	if c.flags == 0 {
		return argument(c.nr, c.mode, bpf.JumpBitsSet, specialBits)
	}
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.nr, SkipFalse: 6},
		bpf.LoadAbsolute{Off: offArgs + 8*c.flags, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: makesFile, SkipFalse: 3},
		bpf.LoadAbsolute{Off: offArgs + 8*c.mode, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: specialBits, SkipFalse: 1},
		denied,
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
}

// ofOthers denies what reaches processes outside, and memory shared with them, where no namespace hides these: limits
// and priorities of any process but the caller's own, which is the number 0, and the objects of System V.
func ofOthers() []bpf.Instruction {
	var f []bpf.Instruction
	byNumber := []uint32{
		unix.SYS_PRLIMIT64,
		unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETATTR,
	}
	for _, nr := range byNumber {
		f = append(f, argument(nr, 0, bpf.JumpNotEqual, 0)...)
	}
	f = append(f, argument(unix.SYS_SETPRIORITY, 0, bpf.JumpNotEqual, unix.PRIO_PROCESS)...)
	f = append(f, argument(unix.SYS_SETPRIORITY, 1, bpf.JumpNotEqual, 0)...)
	f = append(f, argument(unix.SYS_IOPRIO_SET, 1, bpf.JumpNotEqual, 0)...)
	for _, nr := range []uint32{unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL} {
		f = append(f, on(nr, denied)...)
	}
	return f
}

// on returns what if the loaded value is nr.
func on(nr uint32, what bpf.Instruction) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: nr, SkipFalse: 1},
		what,
	}
}

// argument denies a call by the low half of an argument, and loads the number again.
func argument(nr uint32, index uint32, cond bpf.JumpTest, value uint32) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: nr, SkipFalse: 4},
		bpf.LoadAbsolute{Off: offArgs + 8*index, Size: 4},
		bpf.JumpIf{Cond: cond, Val: value, SkipFalse: 1},
		denied,
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
}

// pairsOfStreams denies pairs of sockets for datagrams: one of these sends to any name, its other end or not.
func pairsOfStreams() []bpf.Instruction {
	const kind = 0xf // of a socket's type; the rest are flags
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKETPAIR, SkipFalse: 5},
		bpf.LoadAbsolute{Off: offArgs + 8, Size: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: kind},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_DGRAM, SkipFalse: 1},
		denied,
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
}

// sockets allows the families of sockets that this sandbox contains. AF_VSOCK and others are not bound to a network
// namespace.
func (p plan) sockets() []bpf.Instruction {
	var families []uint32
	if p.Mechanism != Landlock || p.Network {
		families = []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	}
	if p.Sockets { // behind a socket in the file system may be any service
		families = append(families, unix.AF_UNIX)
	}
	f := []bpf.Instruction{
		// Any other call goes past all of this: one load, two for each family, the refusal.
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipFalse: uint8(2*len(families) + 2)},
		bpf.LoadAbsolute{Off: offArgs, Size: 4},
	}
	for _, family := range families {
		f = append(f, on(family, allowed)...)
	}
	return append(f, denied)
}
