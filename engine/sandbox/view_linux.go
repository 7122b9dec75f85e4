package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"helve/internal/beneath"
)

// maxViewed bounds over how many roots one lies: the kernel hands over at most 253 descriptors at once (unix(7)).
const maxViewed = 250

// descriptorPath is the path of an open directory for this process.
func descriptorPath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// View opens the layer for this process. A launched copy of the program lays it over the roots in a namespace of its
// own and hands over the directories, which live as long as they are open here.
func (l *Layer) View(ctx context.Context, o Options) (*View, error) {
	launcher, err := o.launcher()
	if err != nil {
		return nil, err
	}
	if !l.possible(Options{Level: WorkspaceWrite}, Spec{}, Namespaces) {
		return nil, l.refusal()
	}
	layers, err := l.prepare(false)
	if err != nil && refused(err) {
		l.failed(err)
		return nil, l.refusal()
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if len(layers) == 0 || len(layers) > maxViewed {
		return nil, fmt.Errorf("%w: it would lie over %d folders", ErrNoLayer, len(layers))
	}
	dirs, err := laidFor(ctx, launcher, layers)
	if err != nil && refused(err) {
		l.failed(err)
		return nil, l.refusal()
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: view: %w", err)
	}
	l.holds()
	v := &View{dirs: map[string]*os.File{}}
	for i, layer := range layers {
		v.dirs[layer.Root] = dirs[i]
	}
	for _, root := range l.tx.Roots() {
		if err := v.within(root); err != nil {
			return nil, errors.Join(err, v.Close())
		}
	}
	return v, nil
}

// ErrNoRoot: a root that lies in another one is no folder any more in the layer.
var ErrNoRoot = errors.New("sandbox: a command put something else in the place of a folder of the workspace")

// within opens a root that lies in another one, whose layer has it. What a command put there may be a link to anywhere:
// none is followed.
func (v *View) within(root string) error {
	if v.dirs[root] != nil {
		return nil
	}
	for over, f := range v.dirs {
		if !inside(root, over) {
			continue
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(root, over), "/")
		fd, err := beneath.Open(int(f.Fd()), rel, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return fmt.Errorf("%w: %s: %w; a command can put it back, or drop the draft", ErrNoRoot, root, err)
		}
		v.dirs[root] = os.NewFile(uintptr(fd), root)
		return nil
	}
	return nil
}
