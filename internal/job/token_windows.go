package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Flags of CreateRestrictedToken.
const (
	disableMaxPrivilege = 0x1 // no privilege but that of walking through folders
	luaToken            = 0x4 // the rights of administrators only take away
)

// LowToken is a token for programs that change nothing: without privileges, without the rights of administrators, and
// of low integrity, at which Windows refuses to write what is not labelled for it. It does not keep a program from
// reading what the person may read, nor from the network. The caller must Close it.
//
// LowIsHeld tells whether this system refuses it.
func LowToken() (windows.Token, error) {
	const rights = windows.TOKEN_DUPLICATE | windows.TOKEN_ASSIGN_PRIMARY |
		windows.TOKEN_QUERY | windows.TOKEN_ADJUST_DEFAULT
	var own windows.Token
	if err := windows.OpenProcessToken(windows.CurrentProcess(), rights, &own); err != nil {
		return 0, os.NewSyscallError("OpenProcessToken", err)
	}
	defer own.Close()
	var low windows.Token
	create := windows.NewLazySystemDLL("advapi32.dll").NewProc("CreateRestrictedToken")
	if err := create.Find(); err != nil {
		return 0, err
	}
	const less = disableMaxPrivilege | luaToken
	ok, _, err := create.Call(uintptr(own), less, 0, 0, 0, 0, 0, 0, uintptr(unsafe.Pointer(&low)))
	if ok == 0 {
		return 0, os.NewSyscallError("CreateRestrictedToken", err)
	}
	if err := lower(low); err != nil {
		low.Close()
		return 0, err
	}
	return low, nil
}

// lower gives a token low integrity.
func lower(t windows.Token) error {
	sid, err := windows.CreateWellKnownSid(windows.WinLowLabelSid)
	if err != nil {
		return os.NewSyscallError("CreateWellKnownSid", err)
	}
	label := windows.Tokenmandatorylabel{}
	label.Label.Sid = sid
	label.Label.Attributes = windows.SE_GROUP_INTEGRITY
	at := (*byte)(unsafe.Pointer(&label))
	err = windows.SetTokenInformation(t, windows.TokenIntegrityLevel, at, label.Size())
	return os.NewSyscallError("SetTokenInformation", err)
}

// LowFolder lets programs of low integrity write to a folder and to what will be made in it.
func LowFolder(dir string) error {
	// A label for low integrity that folders and files below inherit.
	d, err := windows.SecurityDescriptorFromString("S:(ML;OICI;NW;;;LW)")
	if err != nil {
		return os.NewSyscallError("SecurityDescriptorFromString", err)
	}
	label, _, err := d.SACL()
	if err != nil {
		return os.NewSyscallError("SACL", err)
	}
	const what = windows.LABEL_SECURITY_INFORMATION
	err = windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, what, nil, nil, nil, label)
	return os.NewSyscallError("SetNamedSecurityInfo", err)
}

// errNotHeld is of systems that know tokens and do not look at their integrity.
var errNotHeld = errors.New("this system lets programs of low integrity write")

// LowIsHeld tries whether this system keeps a LowToken from writing: a thread that has it must not be able to make a
// file in a folder of the person. nil says that it is kept from that.
func LowIsHeld() error {
	dir, err := os.MkdirTemp("", "held-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	token, err := LowToken()
	if err != nil {
		return err
	}
	defer token.Close()
	said := make(chan error, 1)
	go func() { said <- writeAs(token, filepath.Join(dir, "file")) }()
	err = <-said
	switch {
	case err == nil:
		return errNotHeld
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return nil
	}
	return err
}

// writeAs makes a file as somebody with this token would. The thread has the token meanwhile, and is given up if it
// cannot be taken back: the goroutine then ends without unlocking it.
func writeAs(token windows.Token, file string) error {
	var acting windows.Token
	err := windows.DuplicateTokenEx(token, windows.TOKEN_IMPERSONATE|windows.TOKEN_QUERY, nil,
		windows.SecurityImpersonation, windows.TokenImpersonation, &acting)
	if err != nil {
		return os.NewSyscallError("DuplicateTokenEx", err)
	}
	defer acting.Close()
	name, err := windows.UTF16PtrFromString(file)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := windows.SetThreadToken(nil, acting); err != nil {
		runtime.UnlockOSThread()
		return os.NewSyscallError("SetThreadToken", err)
	}
	const write, anew = windows.GENERIC_WRITE, windows.CREATE_NEW
	h, made := windows.CreateFile(name, write, 0, nil, anew, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if made == nil {
		windows.CloseHandle(h)
	}
	if err := windows.RevertToSelf(); err != nil {
		return fmt.Errorf("RevertToSelf: %w", err)
	}
	runtime.UnlockOSThread()
	return made
}
