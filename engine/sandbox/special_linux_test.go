package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoFileGetsTheRightsOfItsOwner(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		must(t, os.Mkdir(filepath.Join(f.root, "dir"), 0o755))
		must(t, os.WriteFile(filepath.Join(f.root, "old"), nil, 0o755))
		o := f.options(WorkspaceWrite)
		o.Mechanism = m
		for _, c := range []string{
			"cp /bin/true a && chmod 4755 a",
			"chmod u+s old",
			"chmod g+s dir",
			"install -m 6755 /bin/true b",
			"perl -e 'use Fcntl; umask 0; sysopen(F, \"c\", O_CREAT|O_WRONLY, 06755)'",
			"perl -e 'umask 0; require \"syscall.ph\"' 2>/dev/null; perl -e 'chmod 02755, \"old\"'",
			"python3 -c 'import os; os.umask(0); os.mknod(\"d\", 0o104755)'",
			"python3 -c 'import os; fd=os.open(\"old\", os.O_RDONLY); os.fchmod(fd, 0o4755)'",
		} {
			run(t, o, f, c)
		}
		filepath.WalkDir(f.root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			st, err := e.Info()
			if err == nil && st.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
				t.Errorf("%s has mode %v", path, st.Mode())
			}
			return err
		})
		// A call whose mode lies in memory is not there, whatever the mode.
		const openat2 = "import ctypes, struct, os; l = ctypes.CDLL(None, use_errno=True); " +
			"how = struct.pack('QQQ', os.O_CREAT | os.O_WRONLY, 0o4755, 0); " +
			"print(l.syscall(437, -100, b'e', how, 24), ctypes.get_errno() == 38)"
		if out, e, _ := run(t, o, f, `python3 -c "`+openat2+`"`); e.Code == 0 && out != "-1 True\n" {
			t.Errorf("openat2 is answered by %q", out)
		}
		// Other modes are set as ever.
		out, _, _ := run(t, o, f, "chmod 751 old && mkdir -m 1777 s && stat -c %a old s && umask 077 && : > n && stat -c %a n")
		if strings.Join(strings.Fields(out), " ") != "751 1777 600" {
			t.Errorf("other modes: %s", out)
		}
	})
}

func TestWithoutNamespacesProcessesOutsideKeepTheirLimits(t *testing.T) {
	if _, err := Reach(t.Context(), Options{Mechanism: Landlock}); err != nil {
		t.Skip(err)
	}
	f := newFixture(t)
	o := f.options(WorkspaceWrite)
	o.Mechanism = Landlock
	for c, want := range map[string]bool{
		"python3 -c 'import resource,os; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (100, 100))'":           false,
		"python3 -c 'import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)'":                                      false,
		"python3 -c 'import os; os.sched_setaffinity(os.getppid(), {0})'":                                               false,
		"python3 -c 'import os; os.setpriority(os.PRIO_PROCESS, 0, 19)'":                                                true,
		"python3 -c 'import resource; resource.prlimit(0, resource.RLIMIT_NOFILE, (100, 100))'":                         true,
		"python3 -c 'import ctypes; import sys; sys.exit(ctypes.CDLL(None).shmget(0, 4096, 0o1600) < 0)'":               false,
		"python3 -c 'import os; fd = os.open(\"a.go\", os.O_RDONLY); print(os.read(fd, 7))' && ulimit -n 50 && nice ls": true,
	} {
		out, e, _ := run(t, o, f, "command -v python3 >/dev/null || exit 77; "+c)
		if e.Code == 77 {
			t.Skip("no python here")
		}
		if (e.Code == 0) != want {
			t.Errorf("%s: %+v, want success %v\n%s", c, e, want, out)
		}
	}
}
