package fsroot

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/windows"

	"helve/internal/beneath"
)

const nonBlock = 0

// renameWait bounds how long a file that others hold open is waited for: virus scanners and indexers
// look at a file for some tenths of a second after it was written. openPause is the same for an open,
// which is tried [maxReplaced] times.
const (
	renameWait  = 3 * time.Second
	renamePause = time.Millisecond // doubled with each try
	openPause   = 5 * time.Millisecond
)

// inUse tells whether an error says that another program has the file open, which passes. Without
// POSIX renames (FAT, network drives) a file that is open for reading answers "access denied".
func inUse(err error) bool {
	return isErrno(err, windows.ERROR_SHARING_VIOLATION) ||
		isErrno(err, windows.ERROR_LOCK_VIOLATION) ||
		isErrno(err, windows.ERROR_ACCESS_DENIED) ||
		isErrno(err, windows.ERROR_DELETE_PENDING)
}

// busy pauses and tells whether an open is worth another try: the file is being replaced, or another
// program has it for itself. What the access list forbids is not tried again.
func busy(err error) bool {
	if !isErrno(err, windows.ERROR_SHARING_VIOLATION) && !isErrno(err, windows.ERROR_DELETE_PENDING) {
		return false
	}
	time.Sleep(openPause)
	return true
}

// giveName makes the file from the file to, in place of old, which is closed first: a file that is
// open cannot be replaced on every file system. While another program has it open the rename is
// tried again; unchanged is asked before each such try, because that program may have saved.
func giveName(dir *beneath.Dir, from, to string, old *os.File, unchanged func() error) error {
	if old != nil {
		old.Close()
	}
	end := time.Now().Add(renameWait)
	for pause := renamePause; ; pause *= 2 {
		err := dir.Rename(from, to)
		if err == nil || !inUse(err) || time.Now().After(end) {
			return err
		}
		time.Sleep(pause)
		if err := unchanged(); err != nil {
			return err
		}
	}
}

// hardLinks is the number of names the open file has.
func hardLinks(f *os.File, _ fs.FileInfo) uint64 {
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

// kept are the attributes of a file that a new one does not get by itself.
const kept = windows.FILE_ATTRIBUTE_HIDDEN | windows.FILE_ATTRIBUTE_SYSTEM | windows.FILE_ATTRIBUTE_NOT_CONTENT_INDEXED

// keepOwner gives the new file the access list and the attributes of the old one. Without this it
// would inherit the list of its directory, which may let others read it.
func keepOwner(f *os.File, old *os.File, fi fs.FileInfo) error {
	if err := keepAccess(f, old); err != nil {
		return fmt.Errorf("access list: %w", err)
	}
	data, ok := fi.Sys().(*syscall.Win32FileAttributeData)
	if !ok || data.FileAttributes&kept == 0 {
		return nil
	}
	name, err := windows.UTF16PtrFromString(f.Name())
	if err != nil {
		return err
	}
	return windows.SetFileAttributes(name, data.FileAttributes&kept)
}

func keepAccess(f, old *os.File) error {
	want, err := accessOf(old)
	if err != nil {
		return err
	}
	have, err := accessOf(f)
	if err != nil {
		return err
	}
	if have.String() == want.String() {
		return nil
	}
	dacl, _, err := want.DACL()
	if err != nil {
		return err
	}
	control, _, err := want.Control()
	if err != nil {
		return err
	}
	what := windows.SECURITY_INFORMATION(windows.DACL_SECURITY_INFORMATION)
	if control&windows.SE_DACL_PROTECTED != 0 {
		what |= windows.PROTECTED_DACL_SECURITY_INFORMATION
	}
	// By its name: the right to change the list is none of those that a file is opened with.
	return windows.SetNamedSecurityInfo(f.Name(), windows.SE_FILE_OBJECT, what, nil, nil, dacl, nil)
}

func accessOf(f *os.File) (*windows.SECURITY_DESCRIPTOR, error) {
	return windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
}

func isNoSpace(err error) bool {
	return isErrno(err, windows.ERROR_DISK_FULL) || isErrno(err, windows.ERROR_HANDLE_DISK_FULL)
}

func lockFile(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// The locked byte lies far beyond the note that the file holds, which others may read.
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
}

// pathFault says why Windows has no file of this path, "" where it may.
func pathFault(asked string) string {
	p := hostPath(asked, "")
	drive := filepath.VolumeName(p)
	rest := p[len(drive):]
	if strings.HasSuffix(drive, ":") && !strings.HasPrefix(rest, `\`) {
		return "it is relative to the folder in which the drive happens to be; write " + drive + `\ and the whole path`
	}
	for _, name := range names(rest) {
		if why := nameFault(name); why != "" {
			return why
		}
	}
	return ""
}

// nameFault says why Windows has no file of this name, "" where it may. Names that end in dots or
// spaces could be made, but most programs then find another file by them.
func nameFault(name string) string {
	switch {
	case name == "" || name == "." || name == "..":
		return ""
	case !utf8.ValidString(name):
		return "a name in it is no UTF-8"
	case strings.ContainsRune(name, ':'):
		return "a colon names an alternate stream"
	case strings.ContainsFunc(name, isForbidden):
		return `Windows has no names with < > " | ? * or control characters`
	case strings.TrimRight(name, ". ") != name:
		return "Windows drops dots and spaces from the end of a name"
	case !filepath.IsLocal(name):
		return name + " names a device on Windows; take another name"
	}
	return ""
}

func isForbidden(r rune) bool { return r < ' ' || strings.ContainsRune(`<>"|?*`, r) }

// hostPath brings an absolute path to the form C:\x: without the prefix of long paths, with the drive
// of the root where it names none, and from the forms of Git Bash (/c/x) and WSL (/mnt/c/x), which
// models write when they see the paths of a shell. Every other path stays as it is.
func hostPath(asked, root string) string {
	p := filepath.FromSlash(asked)
	if rest, ok := strings.CutPrefix(p, `\\?\UNC\`); ok {
		return `\\` + rest
	}
	if rest, ok := strings.CutPrefix(p, `\\?\`); ok {
		return rest
	}
	if !strings.HasPrefix(p, `\`) || strings.HasPrefix(p, `\\`) {
		return p
	}
	here := filepath.VolumeName(root) + p
	if _, ok := below(here, root, true); ok {
		return here
	}
	if drive, rest, ok := shellDrive(p); ok {
		return drive + rest
	}
	return here
}

// shellDrive reads \c\x and \mnt\c\x.
func shellDrive(p string) (drive, rest string, ok bool) {
	p = strings.TrimPrefix(p, `\mnt`)
	if len(p) < 2 || p[0] != '\\' || len(p) > 2 && p[2] != '\\' {
		return "", "", false
	}
	letter := p[1] | 0x20
	if letter < 'a' || letter > 'z' {
		return "", "", false
	}
	return strings.ToUpper(p[1:2]) + ":", `\` + strings.TrimPrefix(p[2:], `\`), true
}

// ownName is the name under which the directory lists the file at rel: a rule for ".git" must hold
// for its short name GIT~1, too.
func ownName(r *Root, rel, name string) string {
	if !strings.ContainsRune(name, '~') {
		return name
	}
	full, err := windows.UTF16PtrFromString(filepath.Join(r.Dir(), filepath.FromSlash(rel)))
	if err != nil {
		return name
	}
	var found windows.Win32finddata
	h, err := windows.FindFirstFile(full, &found)
	if err != nil {
		return name
	}
	windows.FindClose(h)
	return windows.UTF16ToString(found.FileName[:])
}

// isLink tells whether a place leads elsewhere: a symbolic link, or a junction, which package os
// calls irregular.
func isLink(fi fs.FileInfo) bool {
	if fi.Mode()&fs.ModeSymlink != 0 {
		return true
	}
	data, ok := fi.Sys().(*syscall.Win32FileAttributeData)
	return ok && fi.Mode()&fs.ModeIrregular != 0 && data.FileAttributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0
}
