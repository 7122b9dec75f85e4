package fsroot_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"golang.org/x/sys/windows"

	"helve/internal/fsroot"
)

// A file that its access list keeps from being written is not replaced, although the folder would let it be.
func TestAFileThatItsAccessListKeepsIsNotReplaced(t *testing.T) {
	ws := workspace(t)
	readable, err := windows.SecurityDescriptorFromString("D:P(A;;GR;;;WD)")
	must(t, err)
	dacl, _, err := readable.DACL()
	must(t, err)
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	must(t, windows.SetNamedSecurityInfo(ws+`\f`, windows.SE_FILE_OBJECT, what, nil, nil, dacl, nil))
	if f, err := os.OpenFile(ws+`\f`, os.O_WRONLY, 0); err == nil {
		f.Close()
		t.Skip("this system lets a file be written that its access list keeps")
	}
	s := open(t, fsroot.Options{}, ws)
	if err := put(s, "f", "new"); err == nil || content(t, ws+`\f`) != "ok" {
		t.Errorf("%v, and the file is %q", err, content(t, ws+`\f`))
	}
	noTemps(t, ws)
}

// junction makes a folder that leads to another one, as mklink /J does.
func junction(t *testing.T, link, target string) {
	t.Helper()
	must(t, os.Mkdir(link, 0o755))
	at, err := windows.UTF16PtrFromString(link)
	must(t, err)
	const flags = windows.FILE_FLAG_OPEN_REPARSE_POINT | windows.FILE_FLAG_BACKUP_SEMANTICS
	h, err := windows.CreateFile(at, windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, flags, 0)
	must(t, err)
	defer windows.CloseHandle(h)
	// The form of a mount point: a tag, lengths, and two names, of which the first is for the kernel.
	var names []byte
	for _, u := range utf16.Encode([]rune(`\??\` + target)) {
		names = binary.LittleEndian.AppendUint16(names, u)
	}
	const ends = 4 // each name ends in a zero
	b := binary.LittleEndian.AppendUint32(nil, windows.IO_REPARSE_TAG_MOUNT_POINT)
	b = binary.LittleEndian.AppendUint16(b, uint16(8+len(names)+ends))
	b = binary.LittleEndian.AppendUint16(b, 0)
	for _, n := range []int{0, len(names), len(names) + 2, 0} {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	b = append(append(b, names...), make([]byte, ends)...)
	var n uint32
	err = windows.DeviceIoControl(h, windows.FSCTL_SET_REPARSE_POINT, &b[0], uint32(len(b)), nil, 0, &n, nil)
	if err != nil {
		t.Skip("this system makes no junctions: ", err)
	}
}

// A junction counts as where it leads: out of the workspace it is refused, and inside of it files are the same.
func TestAJunctionIsJudgedByWhereItLeads(t *testing.T) {
	ws := workspace(t)
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("no"), 0o600))
	junction(t, ws+`\out`, outside)
	must(t, os.Mkdir(ws+`\real`, 0o755))
	junction(t, ws+`\in`, ws+`\real`)
	s := open(t, fsroot.Options{}, ws)
	if p, err := s.Resolve("", `out\secret`); !errors.Is(err, fsroot.ErrOutside) {
		t.Errorf("a junction leads out: %q, %v", p.Abs(), err)
	}
	must(t, put(s, `in\file`, "new"))
	if got := content(t, ws+`\real\file`); got != "new" {
		t.Errorf("the file behind the junction is %q", got)
	}
}
