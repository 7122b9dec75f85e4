package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"helve/internal/change"
)

// A layerPlan is an overlay over a root, for the launcher.
type layerPlan struct {
	Root  string `json:"root"`
	Upper string `json:"upper,omitempty"`
	Work  string `json:"work,omitempty"`

	// Still says that nothing is changed: Upper is seen, and is not written to.
	Still bool `json:"still,omitempty"`

	// Memory is how many bytes of memory hold what is changed, which is copied to Save when the command has ended.
	Memory int64  `json:"memory,omitempty"`
	Save   string `json:"save,omitempty"`
}

// errLayer begins the error of a launcher that could not make an overlay. The rest is the kernel's reason.
var errLayer = errors.New("the layer over the workspace")

// noLayers remembers the roots over which this machine can lay nothing, with the reason: it does not change soon, and a
// trial costs a launcher.
var noLayers sync.Map // layerKey → string

type layerKey struct {
	path   string
	memory bool
}

// possible reports that the layer may be tried, and else notes why not.
func (l *Layer) possible(o Options, s Spec, mechanism string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.why = "" // a mount of an earlier try may be gone
	switch {
	case o.Level != WorkspaceWrite && !l.lasts:
		return false // nothing can be changed
	case mechanism != Namespaces:
		l.why = "the mechanism " + mechanism + " holds nothing back"
	case s.Leave:
		l.why = "a command that stays changes the workspace itself, so that it sees what others change"
	case s.Out != nil:
		l.why = "a command that is talked to changes the workspace itself"
	}
	for _, p := range l.parts {
		if at := MountedBelow(p.path); at != "" {
			l.why = "a file system is mounted at " + at + ", and no overlay can lie over it"
		}
		if why, known := noLayers.Load(layerKey{p.path, l.memory > 0}); known {
			l.why = why.(string)
		}
	}
	return l.why == ""
}

// refuses reports that the command must not run, as nothing of it can be held back.
func (l *Layer) refuses() bool { return l != nil && l.must && l.Why() != "" }

// refusal is the error of what did not run.
func (l *Layer) refusal() error {
	if reason, ok := strings.CutPrefix(l.Why(), noOverlay+": "); ok {
		return fmt.Errorf("%w: %s", ErrNoOverlay, reason)
	}
	return fmt.Errorf("%w: %s", ErrNoLayer, l.Why())
}

// lacking are the kernel's reasons that say nothing of the next try.
var lacking = []error{
	unix.EAGAIN, unix.EINTR, unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.ENOSPC, unix.EDQUOT,
}

// errOthers: a root has an owner or a group that a folder of ours cannot have. Nor could a file of it be changed in a
// layer. It is not remembered: who owns the root can change that.
var errOthers = errors.New("the folder has an owner or a group that is not yours, and no overlay can lie over it")

// refused tells that the kernel refused a layer, as it will again.
func refused(err error) bool {
	if errors.Is(err, errOthers) {
		return true
	}
	_, why, ok := strings.Cut(err.Error(), errLayer.Error()+": ") // in a launcher's words
	return ok && !slices.ContainsFunc(lacking, func(e error) bool { return strings.HasSuffix(why, e.Error()) })
}

// failed notes why the kernel refused the layer.
func (l *Layer) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(err, errOthers) {
		l.why = strings.TrimPrefix(err.Error(), "sandbox: ")
		return
	}
	_, why, _ := strings.Cut(err.Error(), errLayer.Error()+": ")
	l.why = noOverlay + ": " + why
	for _, p := range l.parts {
		noLayers.Store(layerKey{p.path, l.memory > 0}, l.why)
	}
}

// prepare makes the layer's directories and says how it lies over the roots. With still nothing is changed in it.
func (l *Layer) prepare(still bool) (out []layerPlan, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.laid() {
		if l.since, err = l.tx.Now(); err != nil {
			return nil, err
		}
	}
	// What is mounted read-only stays as it is: over an overlay a command would believe that it changed something.
	l.parts = slices.DeleteFunc(l.parts, func(p layerPart) bool { return readOnlyMount(p.path) })
	for _, part := range l.parts {
		made, err := l.prepareOne(part, still)
		if err != nil {
			return nil, err
		}
		out = append(out, made)
	}
	l.mounts++
	return out, nil
}

// prepareOne makes the directories of one root's layer.
func (l *Layer) prepareOne(part layerPart, still bool) (layerPlan, error) {
	upper := filepath.Join(l.tx.Folder(), string(l.upper(part)))
	if l.memory > 0 {
		err := os.Mkdir(upper, 0o700)
		return layerPlan{Root: part.path, Memory: l.memory, Save: upper}, err
	}
	made := layerPlan{Root: part.path, Upper: upper, Still: still}
	if !l.laid() {
		err := l.tx.MakeLayer(l.upper(part), part.root)
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w: %s", errOthers, part.path)
		}
		if err != nil {
			return made, err
		}
	}
	if still {
		return made, nil
	}
	made.Work = filepath.Join(l.tx.Folder(), part.work(l.mounts))
	return made, os.Mkdir(made.Work, 0o700)
}

func readOnlyMount(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && st.Flags&unix.ST_RDONLY != 0
}

// maxMounts bounds the list of mounts that is read, in bytes: thousands of them.
const maxMounts = 1 << 20

// MountedBelow is a path below a directory at which a file system is mounted, "" where none is. No layer can lie over
// it: a namespace of an ordinary user may not see what such a mount covers.
func MountedBelow(dir string) string {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxMounts))
	for lines.Scan() {
		const point = 4 // proc_pid_mountinfo(5); blanks and the like are octal
		fields := strings.Fields(lines.Text())
		if len(fields) <= point {
			continue
		}
		at := mountEscapes.Replace(fields[point])
		if at != dir && inside(at, dir) {
			return at
		}
	}
	return ""
}

var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// Set tells what the command changed. It is called when the command's tree has ended, once.
func (l *Layer) Set(ctx context.Context) (*change.Set, error) {
	if !l.held {
		return nil, errors.New("sandbox: nothing was held back: " + l.why)
	}
	set := &change.Set{}
	read := l.tx.ReadLayer
	if l.memory > 0 || l.bring != nil {
		read = l.tx.ReadSaved
	}
	for _, part := range l.parts {
		if l.bring != nil {
			if err := l.bring(part.upper()); errors.Is(err, os.ErrNotExist) {
				continue // the root was read-only
			} else if err != nil {
				return nil, err
			}
		}
		list, err := read(ctx, l.upper(part), part.root, l.since)
		if err != nil {
			return nil, err
		}
		set.Changes = append(set.Changes, list...)
	}
	return set, nil
}

// holds reports that a layer holds back what the command changes.
func (p plan) holds() bool { return len(p.Layers) > 0 && !p.Layers[0].Still }

// layered reports a path that a layer covers.
func (p plan) layered(path string) bool {
	for _, l := range p.Layers {
		if inside(path, l.Root) {
			return true
		}
	}
	return false
}

// lay makes the overlay of a layer, in memory or on the disk.
func (p plan) lay(l layerPlan) (tree, error) {
	if l.Memory > 0 {
		var err error
		if l, err = p.memory.add(l); err != nil {
			return tree{}, err
		}
	}
	return layTree(l)
}

// layTree makes the overlay of a layer, which is not mounted anywhere yet. Directories are named by descriptors, so
// that no character of a path means anything to the overlay.
//
// Without "volatile" the kernel would write the whole file system's cache to the disk when the overlay goes.
func layTree(l layerPlan) (tree, error) {
	fs, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return tree{}, fmt.Errorf("%w: open: %w", errLayer, err)
	}
	defer unix.Close(fs)
	directories, flags, attr := [][]string{
		{"lowerdir", l.Root},
		{"upperdir", l.Upper},
		{"workdir", l.Work},
	}, []string{"userxattr", "volatile"}, attrSafe
	if l.Still {
		directories, flags, attr = [][]string{{"lowerdir", l.Upper, l.Root}}, flags[:1], attrReadOnly
	}
	for _, d := range directories {
		if err := setDirectories(fs, d[0], d[1:]); err != nil {
			return tree{}, err
		}
	}
	for _, flag := range flags {
		if err := unix.FsconfigSetFlag(fs, flag); err != nil {
			return tree{}, fmt.Errorf("%w: %s: %w", errLayer, flag, err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return tree{}, fmt.Errorf("%w: create: %w", errLayer, err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attr)
	if err != nil {
		return tree{}, fmt.Errorf("%w: mount: %w", errLayer, err)
	}
	return tree{l.Root, fd}, nil
}

// setDirectories names directories of an overlay, the uppermost first.
func setDirectories(overlay int, key string, paths []string) error {
	var names []string
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", errLayer, path, err)
		}
		defer unix.Close(fd)
		names = append(names, fmt.Sprintf("/proc/self/fd/%d", fd))
	}
	if err := unix.FsconfigSetString(overlay, key, strings.Join(names, ":")); err != nil {
		return fmt.Errorf("%w: %s: %w", errLayer, key, err)
	}
	return nil
}
