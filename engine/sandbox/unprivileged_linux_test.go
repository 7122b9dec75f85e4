package sandbox

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user with no rights at all.
const nobody = 65534

// A root may do what blurs the result: the attacks are run once more as a user who may do little, the way helve is
// run mostly.
func TestTheAttacksAreContainedForAnUnprivilegedUserToo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this run is one already")
	}
	if testing.Short() {
		t.Skip("runs many commands")
	}
	base, err := os.MkdirTemp("", "unprivileged-*") // the test's own folder lies below one that only root enters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	program := filepath.Join(base, "tests")
	if err := copyProgram(program); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{base, filepath.Join(base, "docs"), filepath.Join(base, "sandbox")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(d, nobody, nobody); err != nil {
			t.Skipf("another user does not work here: %v", err) // in a user namespace that has one alone
		}
		os.Chmod(d, 0o755)
	}
	tests := "TestEverySandboxAttackOfTheCorpusIsContained|TestReadOnlyChangesNothing|TestWorkspaceWriteChangesTheWorkspaceOnly|TestProtectedPaths|TestSecretsAreMasked|TestAForkBomb|TestWhatIsLeft|TestARepository|TestCommandsReadTheWorkspace|TestSettingsAreRead|TestWhatMayBeChanged|TestProgramsAndTheir"
	c := exec.CommandContext(t.Context(), program, "-test.run", tests, "-test.v")
	c.Dir, c.Env = filepath.Join(base, "sandbox"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "TMPDIR=" + base}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS") < 5 {
		t.Errorf("as an unprivileged user: %v\n%s", err, out)
	}
	t.Logf("passed %d, skipped %d", strings.Count(string(out), "--- PASS"), strings.Count(string(out), "--- SKIP"))
}

func copyProgram(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, from); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
