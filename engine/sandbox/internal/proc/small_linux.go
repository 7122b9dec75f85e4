//go:build amd64

package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The small program takes the place of the supervisor of a server, which lives for days: a copy of this program in its
// place would hold 15 MiB for each. It is what the first process of a PID namespace must be, and no more: it starts the
// command, with a process between (many servers take a parent that is process 1 for the sign that their client has
// ended, and leave), collects orphans, hears the line, writes the wait status of the command to back, and ends, with
// which the kernel ends all that is left. It is confined as the command is.

// startOfSmall is where its instructions begin, in small_GOARCH.s.
func startOfSmall() unsafe.Pointer

// small is not to be called.
func small() //lint:ignore U1000 its instructions are copied

const (
	endOfSmall = "helve end"
	// mostSmall bounds the instructions: the end is found long before.
	mostSmall = 4 << 10
)

// smallProgram is the program as a file that the kernel starts: a header, and one part that is read and run.
func smallProgram() ([]byte, error) {
	code := unsafe.Slice((*byte)(startOfSmall()), mostSmall)
	n := bytes.Index(code, []byte(endOfSmall))
	if n < 0 {
		return nil, errors.New("the small program has no end")
	}
	return elf(code[:n]), nil
}

// Parts of ELF, as elf(5) names them.
const (
	elfAddress = 0x400000
	elfHeader  = 64
	elfPart    = 56
	elfCode    = elfHeader + 2*elfPart
	elfPage    = 0x10000 // the largest that any processor has
)

// elf makes an ELF file of instructions that refer to nothing.
func elf(code []byte) []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, elfCode+len(code))
	b = append(b, 0x7f, 'E', 'L', 'F', 2, 1, 1) // 64 bits, little end first, version 1
	b = append(b, make([]byte, 16-len(b))...)
	b = le.AppendUint16(b, 2) // ET_EXEC
	b = le.AppendUint16(b, elfMachine)
	b = le.AppendUint32(b, 1)
	b = le.AppendUint64(b, elfAddress+elfCode) // where it begins
	b = le.AppendUint64(b, elfHeader)          // its parts
	b = le.AppendUint64(b, 0)                  // no sections
	b = le.AppendUint32(b, 0)
	for _, n := range []uint16{elfHeader, elfPart, 2, 0, 0, 0} {
		b = le.AppendUint16(b, n)
	}
	size := uint64(elfCode + len(code))
	b = elfLine(b, 1, 5, [5]uint64{0, elfAddress, elfAddress, size, size}, elfPage) // PT_LOAD: read and run
	b = elfLine(b, 0x6474e551, 6, [5]uint64{}, 16)                                  // PT_GNU_STACK: not run
	return append(b, code...)
}

func elfLine(b []byte, kind, flags uint32, places [5]uint64, align uint64) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, kind)
	b = le.AppendUint32(b, flags)
	for _, p := range places {
		b = le.AppendUint64(b, p)
	}
	return le.AppendUint64(b, align)
}

// smallFile is the program as an open file without a name. The error is that of a machine which runs no such files.
func smallFile() (*os.File, error) {
	program, err := smallProgram()
	if err != nil {
		return nil, err
	}
	const runs = 0x10 // MFD_EXEC, since Linux 6.3
	fd, err := unix.MemfdCreate("helve", unix.MFD_CLOEXEC|runs)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.MemfdCreate("helve", unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "helve")
	if _, err = f.Write(program); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// giveWay has the small program go on in this process. It returns only when that fails.
func giveWay(f *os.File, o order) error {
	words, err := syscall.SlicePtrFromStrings(append([]string{"helve"}, o.Argv...))
	if err != nil {
		return err
	}
	env, err := syscall.SlicePtrFromStrings(o.Env)
	if err != nil {
		return err
	}
	here, err := unix.BytePtrFromString("")
	if err != nil {
		return err
	}
	for _, fd := range []int{lineFD, backFD} {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
			return err
		}
	}
	_, _, errno := unix.Syscall6(unix.SYS_EXECVEAT, f.Fd(), uintptr(unsafe.Pointer(here)),
		uintptr(unsafe.Pointer(&words[0])), uintptr(unsafe.Pointer(&env[0])), unix.AT_EMPTY_PATH, 0)
	keepDescriptors()
	return errno
}
