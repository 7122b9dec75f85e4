package job

import (
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Limits are what the programs of a job may use together. The zero value bounds nothing.
type Limits struct {
	Processes int   // at a time; one more does not start
	Memory    int64 // that they ask the system for, in bytes; what goes beyond is not given
	// Apart keeps them from the person's session: the clipboard, windows of other programs, the desktop, the settings
	// of the display, and from ending it.
	Apart bool
}

// apart are all that a job can keep its programs from.
const apart = windows.JOB_OBJECT_UILIMIT_DESKTOP | windows.JOB_OBJECT_UILIMIT_DISPLAYSETTINGS |
	windows.JOB_OBJECT_UILIMIT_EXITWINDOWS | windows.JOB_OBJECT_UILIMIT_GLOBALATOMS |
	windows.JOB_OBJECT_UILIMIT_HANDLES | windows.JOB_OBJECT_UILIMIT_READCLIPBOARD |
	windows.JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS | windows.JOB_OBJECT_UILIMIT_WRITECLIPBOARD

// extended is what a job is told of them. Its programs end with it, whatever else is bounded, and none can leave it.
func (l Limits) extended() windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	basic := &info.BasicLimitInformation
	basic.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if l.Processes > 0 {
		basic.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		basic.ActiveProcessLimit = uint32(min(l.Processes, math.MaxUint32))
	}
	if l.Memory > 0 {
		basic.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		info.JobMemoryLimit = uintptr(l.Memory)
	}
	return info
}

// set gives a job its limits.
func (l Limits) set(job windows.Handle) error {
	info := l.extended()
	at, size := uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, at, size)
	if err == nil && l.Apart {
		ui := windows.JOBOBJECT_BASIC_UI_RESTRICTIONS{UIRestrictionsClass: apart}
		at, size = uintptr(unsafe.Pointer(&ui)), uint32(unsafe.Sizeof(ui))
		_, err = windows.SetInformationJobObject(job, windows.JobObjectBasicUIRestrictions, at, size)
	}
	return os.NewSyscallError("SetInformationJobObject", err)
}
