package sandbox

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"helve/internal/change"
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
	grouped := filepath.Join(base, "grouped")
	if err := errors.Join(os.Mkdir(grouped, 0o755), os.Chown(grouped, nobody, 0)); err != nil {
		t.Fatal(err)
	}
	tests := "TestAFolderOfAnotherGroup|TestEverySandboxAttackOfTheCorpusIsContained|TestReadOnlyChangesNothing|TestWorkspaceWriteChangesTheWorkspaceOnly|TestProtectedPaths|TestSecretsAreMasked|TestAForkBomb|TestWhatIsLeft|TestARepository|TestCommandsReadTheWorkspace|TestSettingsAreRead|TestWhatMayBeChanged|TestProgramsAndTheir"
	c := exec.CommandContext(t.Context(), program, "-test.run", tests, "-test.v")
	c.Dir, c.Env = filepath.Join(base, "sandbox"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "TMPDIR=" + base, groupedEnv + "=" + grouped}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS") < 5 {
		t.Errorf("as an unprivileged user: %v\n%s", err, out)
	}
	t.Logf("passed %d, skipped %d", strings.Count(string(out), "--- PASS"), strings.Count(string(out), "--- SKIP"))
}

// groupedEnv names a folder of a group that the user is not in.
const groupedEnv = "HELVE_TEST_GROUPED"

// Over a folder of a group that the user is not in no layer is laid: a command runs without one where it may, and is
// refused in words where it may not.
func TestAFolderOfAnotherGroupHasNoLayer(t *testing.T) {
	dir := os.Getenv(groupedEnv)
	if dir == "" {
		t.Skip("a folder of another group does not work here: an ordinary user is given one")
	}
	o := Options{Level: WorkspaceWrite, Roots: []string{dir}, Home: t.TempDir()}
	layer := func() *Layer {
		tx, err := change.Begin(change.Options{Roots: []string{dir}, State: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tx.Close() })
		return NewLayer(tx)
	}
	spec := Spec{Argv: []string{"/bin/sh", "-c", "echo x >f"}, Dir: dir}
	o.Layer = layer()
	p, _, err := Start(t.Context(), o, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if exit, err := p.Wait(t.Context()); err != nil || exit.Code != 0 || o.Layer.Held() || o.Layer.Why() == "" {
		t.Errorf("%+v, %v, held %v: %s", exit, err, o.Layer.Held(), o.Layer.Why())
	}
	if _, err := os.Stat(filepath.Join(dir, "f")); err != nil {
		t.Error(err)
	}
	o.Layer = layer()
	o.Layer.Require()
	if _, _, err := Start(t.Context(), o, spec); !errors.Is(err, ErrNoLayer) {
		t.Errorf("where nothing may be changed: %v", err)
	}
	if _, err := layer().View(t.Context(), o); !errors.Is(err, ErrNoLayer) || errors.Is(err, ErrNoOverlay) {
		t.Errorf("a view: %v", err)
	}
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
