package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"helve/internal/beneath"
)

const (
	// viewTime bounds the start of a view: it is a matter of milliseconds.
	viewTime = 20 * time.Second
	// viewSocket is the descriptor by which a launched copy hands its directories back.
	viewSocket = 3
	// maxViewed bounds how many there are: the kernel hands over at most 253 descriptors at once (unix(7)).
	maxViewed = 250
)

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

// laidFor has a launched copy lay layers over their roots, and opens what it hands over.
func laidFor(ctx context.Context, launcher string, layers []layerPlan) ([]*os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "view"), os.NewFile(uintptr(pair[1]), "view")
	defer ours.Close()
	defer theirs.Close()
	config, err := json.Marshal(layers)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, viewTime)
	defer cancel()
	var words bytes.Buffer
	cmd := exec.CommandContext(ctx, launcher)
	cmd.Env = append(launcherEnv(), marker+"=view") // the last of two counts
	cmd.Dir = "/"
	cmd.Stdin, cmd.Stderr = bytes.NewReader(config), &words
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = plan{Root: os.Geteuid() == 0, Network: true}.attr()
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(words.String()); said != "" && ctx.Err() == nil {
			return nil, errors.New(said)
		}
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	return received(pair[0], len(layers))
}

// received takes directories from a socket.
func received(socket, count int) ([]*os.File, error) {
	room := make([]byte, unix.CmsgSpace(count*4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), room, unix.MSG_CMSG_CLOEXEC|unix.MSG_DONTWAIT)
	if err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(room[:n])
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("receive: %d messages: %w", len(messages), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	var out []*os.File
	for _, fd := range fds {
		out = append(out, os.NewFile(uintptr(fd), "layer"))
	}
	if len(out) != count {
		for _, f := range out {
			f.Close()
		}
		return nil, fmt.Errorf("received %d of %d", len(out), count)
	}
	return out, nil
}

// viewMain is the life of a copy of the program that lays layers over roots and hands them over.
func viewMain() int {
	if err := handOver(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func handOver() error {
	var layers []layerPlan
	if err := json.NewDecoder(os.Stdin).Decode(&layers); err != nil {
		return err
	}
	var fds []int
	for _, l := range layers {
		t, err := layTree(l)
		if err != nil {
			return err
		}
		fds = append(fds, t.fd)
	}
	return unix.Sendmsg(viewSocket, []byte{1}, unix.UnixRights(fds...), nil, 0)
}
