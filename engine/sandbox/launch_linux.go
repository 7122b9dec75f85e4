package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"helve/engine/sandbox/internal/proc"
)

// launched is the life of a copy of the program that prepares a sandbox and watches over the command in it.
func launched() int {
	return proc.Supervise(func(config json.RawMessage) (proc.Ending, error) {
		if len(config) == 0 || string(config) == "null" {
			return proc.Ending{}, nil // off: only the watch
		}
		var p plan
		if err := json.Unmarshal(config, &p); err != nil {
			return proc.Ending{}, err
		}
		p.renames, p.memory = &renames{}, &memoryLayers{}
		if err := p.apply(); err != nil {
			return proc.Ending{}, fmt.Errorf("sandbox: %s: %w", p.Mechanism, err)
		}
		if p.Trial {
			return proc.Ending{}, errTrial
		}
		if p.Level == Light && !p.asks() {
			return proc.Ending{}, nil // its temporary directories are the machine's
		}
		return proc.Ending{Save: p.memory.saves(), Left: p.ended, Stays: p.asks()}, nil
	})
}

// ended is what is to do when the command has ended; it tells what the command left where that is lost.
func (p plan) ended() []string {
	p.renames.settle()
	return p.left()
}

// apply confines this thread, from which the command is started. The order matters: mounting needs capabilities, the
// filter would refuse mounting, and both Landlock and the filter need that no new privileges can be had.
func (p plan) apply() error {
	if p.Mechanism == Namespaces {
		if err := p.mountAll(); err != nil {
			return err
		}
		if !p.Network {
			loopback()
		}
	}
	if p.Mechanism == Landlock && p.Limits.Processes > 0 { // without a user namespace the kernel counts all that the user runs anywhere
		p.Limits.Processes += userThreads()
	}
	steps := []func() error{
		p.Limits.apply,
		p.dropCapabilities,
		noNewPrivileges,
		hideLauncher,
		p.landlockIfThere,
		p.seccomp,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func noNewPrivileges() error {
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	return nil
}

// hideLauncher keeps the command from this process, which is not confined in all its threads.
func hideLauncher() error {
	err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		return fmt.Errorf("hide the launcher: %w", err)
	}
	return nil
}

// landlockIfThere is a second wall where the kernel has it. Where it is to be the only one, the kernel must.
func (p plan) landlockIfThere() error {
	abi := landlockABI()
	if abi > 0 {
		return p.landlock(abi)
	}
	if p.Mechanism == Landlock {
		return errors.New("the kernel has no Landlock")
	}
	return nil
}

// loopback brings up lo, so that a test may talk to its own server. Without it nothing works that should not.
func loopback() {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}

// apply sets the limits of this process, which its children inherit. A core file would leave what was in memory.
func (l Limits) apply() error {
	limits := []struct {
		name     string
		resource int
		value    int64
	}{
		{"core files", unix.RLIMIT_CORE, 0},
		{"processes", unix.RLIMIT_NPROC, int64(l.Processes)},
		{"open files", unix.RLIMIT_NOFILE, int64(l.OpenFiles)},
		{"file size", unix.RLIMIT_FSIZE, l.FileBytes},
		{"memory", unix.RLIMIT_DATA, l.Memory},
	}
	for _, x := range limits {
		if x.value == 0 && x.resource != unix.RLIMIT_CORE {
			continue // zero is no limit
		}
		err := lower(x.resource, uint64(x.value))
		if err != nil {
			return fmt.Errorf("limit of %s: %w", x.name, err)
		}
	}
	return nil
}

// lower sets a limit for good. One that is lower already stays: to raise it would need privileges.
func lower(resource int, value uint64) error {
	var now unix.Rlimit
	err := unix.Getrlimit(resource, &now)
	if err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}

// userThreads counts the threads of this user on the machine.
func userThreads() int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	n := 0
	for _, d := range dirs {
		var st unix.Stat_t
		if unix.Stat(d, &st) == nil && int(st.Uid) == os.Geteuid() {
			n += threadsOf(d)
		}
	}
	return n
}

// threadsOf reads the number of threads from a process's directory in /proc, 0 where it has ended. By proc(5) it is
// field 20 of stat, the 18th behind the program's name; the name, in brackets, may hold anything.
func threadsOf(dir string) int {
	const threads = 17
	text, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0
	}
	behind := text[bytes.LastIndexByte(text, ')')+1:]
	fields := strings.Fields(string(behind))
	if len(fields) <= threads {
		return 0
	}
	n, _ := strconv.Atoi(fields[threads])
	return n
}

// keptByRoot is a root's power over files of others, without which a root could not work in a workspace that is not
// its own.
const keptByRoot = 1<<unix.CAP_CHOWN |
	1<<unix.CAP_DAC_OVERRIDE |
	1<<unix.CAP_FOWNER |
	1<<unix.CAP_FSETID |
	1<<unix.CAP_SETUID |
	1<<unix.CAP_SETGID

// dropCapabilities takes all capabilities from the command, or all but those of keptByRoot. In the Landlock
// mechanism, where root is the real one, a command keeps none: FOWNER would change modes everywhere. Light does not
// promise that it cannot.
func (p plan) dropCapabilities() error {
	keep := uint64(0)
	if p.Root && (p.Mechanism == Namespaces || p.Level == Light) {
		keep = keptByRoot
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if keep&(1<<c) == 0 {
			unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // without CAP_SETPCAP there is nothing to drop
		}
	}
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var now [2]unix.CapUserData // of version 3: two words of 32 capabilities each
	err := unix.Capget(&header, &now[0])
	if err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	var data [2]unix.CapUserData
	for i := range data {
		mask := uint32(keep>>(32*i)) & now[i].Permitted
		data[i] = unix.CapUserData{Effective: mask, Permitted: mask}
	}
	// Of this thread alone: the others only watch, and nothing that is confined can reach them.
	err = unix.Capset(&header, &data[0])
	if err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// selfPath is this program. The link follows it even if its file is replaced meanwhile.
func selfPath() (string, error) {
	const link = "/proc/self/exe"
	if _, err := os.Stat(link); err == nil {
		return link, nil
	}
	return os.Executable()
}

// launcher is the program that prepares the sandbox.
func (o Options) launcher() (string, error) {
	mustNotBeLaunched()
	if o.Launcher != "" {
		return o.Launcher, nil
	}
	if !initialized.Load() {
		return "", ErrNoInit
	}
	return selfPath()
}

// launcherEnv is the environment of the launcher alone. It lives for milliseconds or only waits: it needs no
// collector and no search for the number of processors, which would cost a good part of its start.
func launcherEnv() []string {
	return append(raceEnv(), marker+"=1", "GOGC=off", "GOMEMLIMIT=32MiB", "GOMAXPROCS=2")
}
