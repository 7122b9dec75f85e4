package fsroot_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"helve/internal/fsroot"
)

// Everything here is about names and files as Windows has them.
func TestPathsAsProgramsOfWindowsWriteThem(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	drive := filepath.VolumeName(ws)
	below := strings.TrimPrefix(ws, drive)
	slashed := filepath.ToSlash(below)
	letter := strings.ToLower(drive[:1])
	for _, asked := range []string{
		`a\b\deep`,
		`a/b\deep`,
		`.\a\..\a\b\deep`,
		ws + `\a\b\deep`,
		strings.ToUpper(ws) + `\a\b\deep`,
		filepath.ToSlash(ws) + "/a/b/deep",
		`\\?\` + ws + `\a\b\deep`,
		below + `\a\b\deep`,                           // of the drive of the workspace
		"/" + letter + slashed + "/a/b/deep",          // Git Bash
		"/mnt/" + letter + slashed + "/a/b/deep",      // WSL
		"A/B/../b/DEEP",                               // case is not looked at
		strings.ToLower(drive) + below + `\a\b\\deep`, // nor is that of the drive
	} {
		p, err := s.Resolve("", asked)
		if err != nil || p.Target() != "a/b/deep" {
			t.Errorf("Resolve(%s) = %q, %v", asked, p.Asked(), err)
		}
	}
}

func TestNamesThatWindowsCannotHave(t *testing.T) {
	s := open(t, fsroot.Options{}, workspace(t))
	for asked, hint := range map[string]string{
		"CON":                  "device",
		"con":                  "device",
		"aux.txt":              "device",
		"a/NUL":                "device",
		"com1.log":             "device",
		"CONIN$":               "device",
		"f.txt ":               "dots and spaces",
		"f.":                   "dots and spaces",
		"a./b":                 "dots and spaces",
		"...":                  "dots and spaces",
		"secret.txt::$DATA":    "alternate stream",
		"file:stream":          "alternate stream",
		"C:f":                  "whole path",
		"new\nline":            "control characters",
		"what?":                "control characters",
		"a*":                   "control characters",
		"a<b":                  "control characters",
		`a|b`:                  "control characters",
		"caf\xe9":              "UTF-8",
		`C:\x\..\CON`:          "device",
		`\\?\C:\ws\COM9`:       "device",
		strings.Repeat("n", 9): "",
	} {
		_, err := s.Resolve("", asked)
		if hint == "" {
			must(t, err)
			continue
		}
		if !errors.Is(err, fsroot.ErrBadPath) || !strings.Contains(err.Error(), hint) {
			t.Errorf("Resolve(%q) = %v, want %q in it", asked, err, hint)
		}
	}
}

func TestWhatLeadsOutOnWindows(t *testing.T) {
	s := open(t, fsroot.Options{}, workspace(t))
	for _, asked := range []string{
		`..\secret`,
		`a\..\..\secret`,
		`C:\Windows\win.ini`,
		`c:/windows/win.ini`,
		`\Windows\win.ini`,
		"/etc/passwd",
		"/c/Windows/win.ini",
		`\\server\share\x`,
		`\\?\C:\Windows\win.ini`,
		`\\?\UNC\server\share\x`,
		`\\.\PhysicalDrive0`,
		`\\.\pipe\docker_engine`,
	} {
		if p, err := s.Resolve("", asked); !errors.Is(err, fsroot.ErrOutside) && !errors.Is(err, fsroot.ErrBadPath) {
			t.Errorf("Resolve(%s) = %q, %v", asked, p.Abs(), err)
		}
	}
}

// NTFS has a second, short name for a long one. A rule for .git must hold for GIT~1, too.
func TestAShortNameIsTheLongOne(t *testing.T) {
	ws := workspace(t)
	must(t, os.MkdirAll(ws+`\.git`, 0o755))
	must(t, os.WriteFile(ws+`\.git\a long name.txt`, []byte("x"), 0o644))
	short := func(name string) string {
		at, err := windows.UTF16PtrFromString(name)
		must(t, err)
		var found windows.Win32finddata
		h, err := windows.FindFirstFile(at, &found)
		must(t, err)
		must(t, windows.FindClose(h))
		return windows.UTF16ToString(found.AlternateFileName[:])
	}
	dir, file := short(ws+`\.git`), short(ws+`\.git\a long name.txt`)
	if dir == "" || file == "" {
		t.Skip("this drive makes no short names")
	}
	s := open(t, fsroot.Options{}, ws)
	p, err := s.Resolve("", dir+`\`+file)
	if err != nil || p.Target() != ".git/a long name.txt" {
		t.Errorf("Resolve(%s\\%s) = %q, %v", dir, file, p.Target(), err)
	}
}

func TestAFileDeeperThanTheOldBoundIsWritten(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	long := strings.Repeat(strings.Repeat("d", 60)+"/", 6) + "f.txt"
	p, err := s.Resolve("", long)
	must(t, err)
	must(t, s.MkdirAll(p.Parent()))
	must(t, put(s, long, "far"))
	if b, _, err := s.ReadFile(p, 10); err != nil || string(b) != "far" {
		t.Errorf("%q, %v", b, err)
	}
}

// A virus scanner opens what was just written, and lets nobody rename it meanwhile.
func TestAFileThatIsInUseForAMomentIsReplaced(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	held := hold(t, ws+`\f`)
	timer := time.AfterFunc(100*time.Millisecond, func() { windows.CloseHandle(held) })
	defer timer.Stop()
	must(t, put(s, "f", "new"))
	if got := content(t, ws+`\f`); got != "new" {
		t.Errorf("the file is %q", got)
	}
	noTemps(t, ws)
}

func TestAFileThatStaysInUseIsLeftAsItWas(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	held := hold(t, ws+`\f`)
	err := put(s, "f", "new")
	windows.CloseHandle(held)
	if err == nil || content(t, ws+`\f`) != "ok" {
		t.Errorf("%v, and the file is %q", err, content(t, ws+`\f`))
	}
	noTemps(t, ws)
}

// hold opens a file so that others may read and write, but neither rename nor replace it.
func hold(t *testing.T, name string) windows.Handle {
	t.Helper()
	at, err := windows.UTF16PtrFromString(name)
	must(t, err)
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE
	h, err := windows.CreateFile(at, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, 0, 0)
	must(t, err)
	return h
}

func TestAHiddenFileStaysHidden(t *testing.T) {
	ws := workspace(t)
	at, err := windows.UTF16PtrFromString(ws + `\f`)
	must(t, err)
	must(t, windows.SetFileAttributes(at, windows.FILE_ATTRIBUTE_HIDDEN))
	s := open(t, fsroot.Options{}, ws)
	must(t, put(s, "f", "new"))
	if got, err := windows.GetFileAttributes(at); err != nil || got&windows.FILE_ATTRIBUTE_HIDDEN == 0 {
		t.Errorf("attributes %x, %v", got, err)
	}
}

func TestAnAccessListOfItsOwnIsKept(t *testing.T) {
	ws := workspace(t)
	mine, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;WD)")
	must(t, err)
	dacl, _, err := mine.DACL()
	must(t, err)
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	must(t, windows.SetNamedSecurityInfo(ws+`\f`, windows.SE_FILE_OBJECT, what, nil, nil, dacl, nil))
	list := func() string {
		sd, err := windows.GetNamedSecurityInfo(ws+`\f`, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
		must(t, err)
		return sd.String()
	}
	before := list()
	s := open(t, fsroot.Options{}, ws)
	must(t, put(s, "f", "new"))
	if after := list(); after != before {
		t.Errorf("the access list was %s and is %s", before, after)
	}
}
