package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"helve/engine/sandbox/internal/proc"
	"helve/internal/tempdir"
)

// Start runs a command at the level that o asks for, or returns ErrLevel. With a nil Spec.Env the command gets Env of
// this process. The caller must Close the process.
func Start(ctx context.Context, o Options, s Spec) (*Process, Reached, error) {
	launcher, err := o.launcher()
	if o.Level == Off {
		return startOff(ctx, launcher, s)
	}
	if err != nil {
		return nil, Reached{Level: o.Level}, err
	}
	r, err := Reach(ctx, o)
	if err != nil {
		return nil, r, err
	}
	o.wide = !r.Confined
	p, err := startReached(ctx, o, s, launcher, r.Mechanism)
	if err != nil && !errors.Is(err, ErrNoLayer) {
		o.doubt(launcher, r.Mechanism)
	}
	return p, r, err
}

// startReached runs the command by a mechanism that was found to work, in a layer where one was asked for and can be
// had.
func startReached(ctx context.Context, o Options, s Spec, launcher, mechanism string) (*Process, error) {
	if o.Layer == nil || !o.Layer.possible(o, s, mechanism) {
		if o.Layer.refuses() {
			return nil, o.Layer.refusal()
		}
		o.Layer.through()
		o.Layer = nil
		return startIn(ctx, o, s, launcher, mechanism)
	}
	again, err := copyFiles(s)
	if err != nil {
		return nil, err
	}
	p, err := startIn(ctx, o, s, launcher, mechanism)
	if err != nil && refused(err) {
		o.Layer.failed(err)
		if o.Layer.must {
			closeFiles(again)
			return nil, o.Layer.refusal()
		}
		o.Layer.through()
		o.Layer = nil
		p, err = startIn(ctx, o, again, launcher, mechanism)
	} else {
		closeFiles(again)
	}
	if o.Layer != nil && err == nil {
		o.Layer.holds()
	}
	return p, err
}

// startOff confines nothing; where a launcher is there, it watches over the tree.
func startOff(ctx context.Context, launcher string, s Spec) (*Process, Reached, error) {
	if s.Env == nil {
		s.Env = Env(os.Environ())
	}
	if launcher != "" {
		s.Supervisor = &proc.Supervisor{Argv: []string{launcher}, Env: launcherEnv()}
	}
	p, err := proc.Start(ctx, s)
	return p, Reached{Level: Off, Mechanism: None}, err
}

// startIn runs the command with one mechanism.
func startIn(ctx context.Context, o Options, s Spec, launcher, mechanism string) (*Process, error) {
	if s.Env == nil {
		s.Env = Env(os.Environ())
	}
	o.look = o.seen()
	p := o.plan(mechanism, s.Dir, s.Env)
	p.Shared = s.Lasting && mechanism == Namespaces
	if !p.Network {
		s.Env = withoutRetries(s.Env)
	}
	if o.Layer != nil {
		var err error
		if p.Layers, err = o.Layer.prepare(o.Level == ReadOnly); err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
	}
	undo := []func(){}
	s.After = func() {
		for _, f := range undo {
			f()
		}
	}
	if err := o.prepare(&p, &s, &undo); err != nil {
		s.After()
		return nil, err
	}
	config, err := json.Marshal(p)
	if err != nil {
		s.After()
		return nil, err
	}
	s.Supervisor = p.supervisor(launcher, config)
	s.Bounds = p.bounds()
	return startWarm(ctx, s, trialKey{launcher: launcher, mechanism: mechanism, network: p.Network, shared: p.Shared})
}

// supervisor is how the launcher is started for this plan.
func (p plan) supervisor(launcher string, config []byte) *proc.Supervisor {
	v := &proc.Supervisor{
		Argv:   []string{launcher},
		Env:    launcherEnv(),
		Config: config,
		Dir:    "/",

		InSession: p.Shared,
	}
	switch p.Mechanism {
	case Namespaces:
		v.Attr = p.attr()
	case Bubblewrap:
		v.Argv = p.bwrap(launcher)
	}
	return v
}

// startWarm starts the command with a launcher that waits already, if there is one, and sets the next one waiting from
// the second command of a row on: a program that runs one command only would pay for a second launcher.
func startWarm(ctx context.Context, s Spec, key trialKey) (*Process, error) {
	v := s.Supervisor
	if key.mechanism == Namespaces {
		v.Ready = takeWarm(key)
	}
	process, err := proc.Start(ctx, s)
	if err != nil {
		s.After()
		return nil, err
	}
	if key.mechanism == Namespaces && !s.Once && inRow(key) {
		next := proc.Supervisor{Argv: v.Argv, Env: v.Env, Dir: v.Dir, Attr: v.Attr, InSession: v.InSession}
		go keepWarm(key, next) // ends when the launcher is started
	}
	return process, nil
}

// prepare makes what a mechanism needs on disk; undo takes it away.
func (o Options) prepare(p *plan, s *Spec, undo *[]func()) error {
	if o.Level == Light {
		p.Guard = o.lightGuards()
		if insideAny(os.TempDir(), p.Writable) {
			return nil
		}
		return p.ownTemp(s, undo)
	}
	caches := o.clean(o.Caches)
	direct := slices.DeleteFunc(slices.Clone(p.Writable), func(dir string) bool {
		return p.layered(dir) || slices.Contains(caches, dir)
	})
	p.Guard, p.Absent = o.guards(direct)
	if p.Mechanism == Landlock {
		return p.ownTemp(s, undo)
	}
	s.Env = withTemp(s.Env, "/tmp")
	return nil
}

// ownTemp makes a private temporary directory on disk.
func (p *plan) ownTemp(s *Spec, undo *[]func()) error {
	if p.Kept != "" {
		p.Temp = p.Kept
		s.Env = withTemp(s.Env, p.Temp)
		return nil
	}
	dir, err := tempdir.Make(s.TempDir, tempPrefix)
	if err != nil {
		return fmt.Errorf("sandbox: private temporary directory: %w", err)
	}
	*undo = append(*undo, func() { dir.Remove() })
	p.Temp = dir.Path
	s.Env = withTemp(s.Env, dir.Path)
	return nil
}

// needed are the capabilities of the launcher in its user namespace, where they reach the user's own files only. The
// command keeps none of them.
var needed = []uintptr{
	unix.CAP_SYS_ADMIN,  // to mount
	unix.CAP_NET_ADMIN,  // to bring up lo
	unix.CAP_SETPCAP,    // to drop the rest
	unix.CAP_SYS_PTRACE, // to read the paths of a call that waits for an answer
	// for what an overlay does in its own directories, which nobody else may enter
	unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_CHOWN, unix.CAP_FSETID,
}

// attr starts the launcher in namespaces of its own. Numbers of users and groups stay what they are.
func (p plan) attr() *syscall.SysProcAttr {
	const own = syscall.CLONE_NEWUSER |
		syscall.CLONE_NEWNS |
		syscall.CLONE_NEWPID |
		syscall.CLONE_NEWIPC |
		syscall.CLONE_NEWUTS
	a := &syscall.SysProcAttr{Cloneflags: own}
	if !p.Network {
		a.Cloneflags |= syscall.CLONE_NEWNET
	}
	if p.Root { // who has all numbers keeps them: files of others stay theirs
		a.UidMappings = identity("/proc/self/uid_map")
		a.GidMappings = identity("/proc/self/gid_map")
		a.GidMappingsEnableSetgroups = true
		return a
	}
	a.UidMappings = itself(os.Geteuid())
	a.GidMappings = itself(os.Getegid())
	a.AmbientCaps = needed
	return a
}

// itself maps one number to itself: all that an ordinary user may map.
func itself(id int) []syscall.SysProcIDMap {
	return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
}

// identity maps every number that this namespace knows to itself.
func identity(file string) []syscall.SysProcIDMap {
	f, err := os.Open(file)
	if err != nil {
		return []syscall.SysProcIDMap{{Size: 1}}
	}
	defer f.Close()
	var out []syscall.SysProcIDMap
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var first, outside, n int
		_, err := fmt.Sscan(sc.Text(), &first, &outside, &n)
		if err == nil { // outside is of the namespace around this one, of no meaning here
			out = append(out, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: n})
		}
	}
	return out
}

// gaps are the promises that a mechanism does not keep at this level.
func gaps(o Options, mechanism string) []string {
	var out []string
	if landlockABI() == 0 {
		out = append(out, "no Landlock: one wall less")
	}
	if mechanism == Landlock {
		out = append(out, o.landlockGaps()...)
	}
	if !o.confines(mechanism) && o.Level != Light {
		out = append(out, "what lies outside the workspace can be read, but for the usual places of secrets")
	}
	// The kernel's limit on a user's processes spares root.
	bounded := mechanism == Namespaces && boundedByNamespace()
	if os.Geteuid() == 0 && !bounded {
		out = append(out, "the number of processes is bounded for root by looking, not by the kernel")
	}
	slices.Sort(out)
	return out
}

// landlockGaps are what namespaces would keep.
func (o Options) landlockGaps() []string {
	out := []string{"processes outside can be seen"}
	if landlockABI() < 6 {
		out = append(out, "processes outside can be signalled")
	}
	if o.Level == Light {
		return append(out,
			"processes that leave the group are not ended",
			"what others make in the home while it runs cannot be read",
			"protected paths can be changed, and secrets read, in what it may change")
	}
	if o.Level != WorkspaceWrite {
		return out
	}
	out = append(out,
		"modes, owners, times and extended attributes of files outside can be changed where the user may",
		"protected paths in the workspace can be changed")
	if o.Sockets {
		out = append(out, "sockets of services in the file system can be reached")
	}
	writable := o.writable()
	inWorkspace := func(m string) bool { return insideAny(m, writable) }
	if slices.ContainsFunc(o.masked(), inWorkspace) {
		out = append(out, "masked files in the workspace can be read")
	}
	return out
}
