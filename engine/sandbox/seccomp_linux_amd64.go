package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	x32Bit    = 0x40000000 // calls of the x32 interface
)

// oldModeCalls are the calls with a mode that only this machine still has.
var oldModeCalls = []modeCall{
	{nr: unix.SYS_CHMOD, mode: 1},
	{nr: unix.SYS_CREAT, mode: 1},
	{nr: unix.SYS_MKNOD, mode: 1},
	{nr: unix.SYS_OPEN, mode: 2, flags: 1},
}

// oldChangeCalls are the calls that only this machine still has.
var oldChangeCalls = []uint32{
	unix.SYS_CHMOD,
	unix.SYS_CHOWN, unix.SYS_LCHOWN,
	unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT,
}
