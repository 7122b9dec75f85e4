package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// mounted mounts something for the time of a test.
func mounted(t *testing.T, what, at, kind string, flags uintptr, data string) {
	t.Helper()
	if err := unix.Mount(what, at, kind, flags, data); err != nil {
		t.Skipf("mounting %s does not work here: %v", kind, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// overlay mounts an empty overlay.
func (d *base) overlay(at string) {
	d.t.Helper()
	var parts []string
	for _, name := range []string{"lower", "upper", "workdir"} {
		part, err := os.MkdirTemp(d.dir, name)
		if err != nil {
			d.t.Fatal(err)
		}
		if err := os.Chmod(part, 0o755); err != nil {
			d.t.Fatal(err)
		}
		parts = append(parts, part)
	}
	mounted(d.t, "none", at, "overlay", 0, "lowerdir="+parts[0]+",upperdir="+parts[1]+",workdir="+parts[2])
}

// stateOnOverlay has helve's own files lie where no layer can be: on another overlay, as in most containers.
func (d *base) stateOnOverlay() {
	d.t.Helper()
	state := filepath.Join(d.home, ".local")
	if err := os.Mkdir(state, 0o755); err != nil {
		d.t.Fatal(err)
	}
	d.overlay(state)
}

// changesOfEveryKind leaves a workspace in one state, whatever it lies on.
const changesOfEveryKind = `echo two >a && rm -r d && mkdir e && echo n >e/n && ln -s a l && mkdir d && echo again >d/g && git add -A && git commit -qm x && git mv e moved && git commit -qm y`

func TestAWorkspaceMayLieOnAnyFileSystem(t *testing.T) {
	newBase(t, 0).needHeld()
	places := map[string]func(t *testing.T, d *base){
		"tmpfs": func(t *testing.T, d *base) { mounted(t, "none", d.work, "tmpfs", 0, "size=64m") },
		"overlay": func(t *testing.T, d *base) {
			d.overlay(d.work)
		},
		"state on an overlay": func(t *testing.T, d *base) { d.stateOnOverlay() },
		"both on an overlay": func(t *testing.T, d *base) {
			home := d.home
			d.overlay(home)
			if err := os.Mkdir(d.work, 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"state on another one": func(t *testing.T, d *base) {
			state := filepath.Join(d.home, ".local")
			if err := os.Mkdir(state, 0o755); err != nil {
				t.Fatal(err)
			}
			mounted(t, "none", state, "tmpfs", 0, "size=64m")
		},
	}
	for name, mount := range places {
		t.Run(name, func(t *testing.T) {
			d := newBase(t, 0)
			mount(t, d)
			if out, err := d.outside(baseRepository); err != nil {
				t.Fatal(err, out)
			}
			if out := d.bash(changesOfEveryKind); !strings.Contains(out, "changed") {
				t.Errorf("%s", out)
			}
			out, err := d.outside("cat a d/g moved/n l; git status --porcelain; git fsck --strict --no-dangling && ls -A")
			want := "two\nagain\nn\ntwo\n.git\na\nd\nl\nmoved\n"
			if err != nil || out != want {
				t.Errorf("%v, %q, want %q", err, out, want)
			}
		})
	}
}

func TestAReadOnlyWorkspaceIsReadOnlyForACommand(t *testing.T) {
	d := newBase(t, 0)
	d.needHeld()
	if _, err := d.outside("echo one >a"); err != nil {
		t.Fatal(err)
	}
	mounted(t, d.work, d.work, "", unix.MS_BIND, "")
	if err := unix.Mount("", d.work, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	if out := d.bash("echo two >a; cat a"); !strings.Contains(out, "Read-only file system") || !strings.Contains(out, "one") || strings.Contains(out, "was kept") {
		t.Errorf("%s", out)
	}
}

// Over what is mounted in the workspace nothing can be held back: mode auto asks, and says where it is.
func TestAMountInTheWorkspaceIsAGapThatIsNamed(t *testing.T) {
	d := newBase(t, 0)
	d.needHeld()
	sub := filepath.Join(d.work, "sub dir")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Run("mounted", func(t *testing.T) {
		mounted(t, "none", sub, "tmpfs", 0, "size=1m")
		if out := d.bash("echo x >y"); !strings.Contains(out, "mounted at "+sub) {
			t.Errorf("%s", out)
		}
		if _, err := os.Stat(filepath.Join(d.work, "y")); err == nil {
			t.Error("it ran unasked")
		}
	})
	if out := d.bash("echo x >y"); !strings.Contains(out, "1 new") {
		t.Errorf("when the mount is gone: %s", out)
	}
}

// Two commands change the same file at the same time: one of them does, the other is told, and what each made elsewhere is
// there.
func TestTwoCommandsAtOnceNeverOverwriteEachOther(t *testing.T) {
	d := newBase(t, 0)
	d.needHeld()
	if out, err := d.outside(baseRepository); err != nil {
		t.Fatal(err, out)
	}
	const n = 4
	var all sync.WaitGroup
	outs := make([]string, n)
	for i := range n {
		all.Go(func() {
			me := string(rune('0' + i))
			outs[i] = d.bash("echo " + me + " >own" + me + "; echo " + me + " >a; touch ready" + me + "; sleep 1; echo " + me + " >>a")
		})
	}
	all.Wait()
	made := 0
	for i, out := range outs {
		if !strings.Contains(out, "not made") && !strings.Contains(out, "changed meanwhile") && !strings.Contains(out, "kept") {
			made++
		}
		if got, err := os.ReadFile(filepath.Join(d.work, "own"+string(rune('0'+i)))); err != nil || len(got) != 2 {
			t.Errorf("command %d: %q, %v; it said %s", i, got, err, out)
		}
	}
	got, err := os.ReadFile(filepath.Join(d.work, "a"))
	if err != nil || len(got) != 4 || got[0] != got[2] {
		t.Errorf("a is of several commands: %q, %v", got, err)
	}
	if made == 0 || made == n {
		t.Errorf("%d of %d commands were told that they changed a: %q", made, n, outs)
	}
	if out, err := d.outside("git fsck --strict --no-dangling"); err != nil {
		t.Error(errors.New(out), err)
	}
}
