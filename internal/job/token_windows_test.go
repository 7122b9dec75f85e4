package job

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A program starts with the restricted token in a job. Where the system knows integrity, hardly a privilege is left.
func TestAProgramStartsWithTheLowToken(t *testing.T) {
	token, err := LowToken()
	if err != nil {
		t.Fatal(err)
	}
	defer token.Close()
	own, err := windows.OpenCurrentProcessToken()
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	before, after := privileges(t, own), privileges(t, token)
	if held := LowIsHeld() == nil; held && after > 1 { // Wine 8 makes the token and takes nothing away
		t.Errorf("%d privileges are left of %d, want that of walking through folders at most", after, before)
	}
	var out strings.Builder
	cmd := exec.Command(os.Args[0], "do", "say")
	cmd.Stdout = &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Token: syscall.Token(token)}
	j, err := Start(cmd, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "said") {
		t.Errorf("%v: %q", err, out.String())
	}
}

// privileges is how many a token has.
func privileges(t *testing.T, token windows.Token) int {
	t.Helper()
	var size uint32
	err := windows.GetTokenInformation(token, windows.TokenPrivileges, nil, 0, &size)
	if !errors.Is(err, windows.ERROR_INSUFFICIENT_BUFFER) {
		t.Fatal(err)
	}
	b := make([]byte, size)
	if err := windows.GetTokenInformation(token, windows.TokenPrivileges, &b[0], size, &size); err != nil {
		t.Fatal(err)
	}
	return int(*(*uint32)(unsafe.Pointer(&b[0])))
}

// Whether low integrity keeps a program from writing is tried, not believed: the answer must be what a program meets.
func TestWhatIsSaidOfLowIntegrityIsWhatAProgramMeets(t *testing.T) {
	said := LowIsHeld()
	if said != nil && !errors.Is(said, errNotHeld) {
		t.Fatal(said)
	}
	token, err := LowToken()
	if err != nil {
		t.Fatal(err)
	}
	defer token.Close()
	file := filepath.Join(t.TempDir(), "file")
	cmd := exec.Command(os.Args[0], "do", "write "+file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Token: syscall.Token(token)}
	j, err := Start(cmd, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	cmd.Wait()
	_, err = os.Stat(file)
	if written := err == nil; written != (said != nil) {
		t.Errorf("a program of low integrity wrote: %v; said was %v", written, said)
	}
	t.Logf("low integrity is held here: %v", said == nil)
}

func TestAFolderIsLabelledForLowIntegrity(t *testing.T) {
	if err := LowIsHeld(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := LowFolder(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Error(err)
	}
}
