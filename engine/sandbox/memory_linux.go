package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"golang.org/x/sys/unix"

	"helve/engine/sandbox/internal/proc"
	"helve/internal/change"
)

const (
	// A layer in memory has this part of what the machine has, between two bounds: less would end ordinary builds, more
	// would take from others what they need.
	layerShare = 4
	leastLayer = 64 << 20
	mostLayer  = 4 << 30
	// layerEntries bounds its files and directories: as many as a set of changes may have, and some.
	layerEntries = change.MaxChanges + 100_000
)

// machineMemory does not change while a program runs.
var machineMemory = sync.OnceValue(proc.Memory)

// total is what all processes of a command may have by default, in bytes of memory.
func (o Options) total() int64 {
	if o.Level == ReadOnly {
		return defaultMemory
	}
	return machineMemory() / 4 * 3
}

// bounds are what the launcher looks after. The number of processes is the kernel's to bound, but where it spares root.
func (p plan) bounds() proc.Bounds {
	if p.Level == Light {
		return proc.Bounds{}
	}
	b := proc.Bounds{Memory: p.Limits.Total}
	if p.Kept != "" { // it lies on the disk
		b.Folder, b.Grown, b.Entries = keptPlace, p.Limits.TempBytes, tempEntries
		if p.Temp != "" {
			b.Folder = p.Temp
		}
	}
	if p.Root && !(p.Mechanism == Namespaces && boundedByNamespace()) {
		b.Processes = p.Limits.Processes
	}
	return b
}

// LayerMemory is how many bytes a layer in memory may have on this machine; 0: it cannot be had.
func LayerMemory() int64 {
	n := min(machineMemory()/layerShare, mostLayer)
	if n < leastLayer {
		return 0
	}
	return n
}

// A memoryLayer holds in memory what a command changes of one root. The launcher copies it to the disk when the command
// has ended.
type memoryLayer struct {
	upper *os.File // the layer
	save  *os.File // where it is copied to
}

// memoryLayers are those of one sandbox.
type memoryLayers struct{ all []memoryLayer }

// add makes the directories of a layer in memory, and says where they are.
func (m *memoryLayers) add(l layerPlan) (layerPlan, error) {
	save, err := copyTree(l.Save, attrSafe) // it stays writable when the rest does not
	if err != nil {
		return l, fmt.Errorf("%w: %w", errLayer, err)
	}
	err = mountTmpfs(l.Save, fmt.Sprintf("mode=700,size=%d,nr_inodes=%d", l.Memory, layerEntries))
	if err != nil {
		return l, fmt.Errorf("%w: %w", errLayer, err)
	}
	l.Upper, l.Work = filepath.Join(l.Save, "upper"), filepath.Join(l.Save, "work")
	err = errors.Join(change.MakeUpper(l.Upper, l.Root), os.Mkdir(l.Work, 0o700))
	if err != nil {
		return l, fmt.Errorf("%w: %w", errLayer, err)
	}
	upper, err := os.Open(l.Upper)
	if err != nil {
		return l, fmt.Errorf("%w: %w", errLayer, err)
	}
	err = unix.Fsetxattr(int(upper.Fd()), "user.helve", nil, 0)
	if err != nil {
		return l, fmt.Errorf("%w: memory keeps no attributes, which Linux 6.6 is the first to do: %w", errLayer, err)
	}
	unix.Fremovexattr(int(upper.Fd()), "user.helve")
	m.all = append(m.all, memoryLayer{upper, os.NewFile(uintptr(save.fd), "save")})
	return l, nil
}

// saves is what brings the layers to the disk; nil where there are none.
func (m *memoryLayers) saves() func() error {
	if len(m.all) == 0 {
		return nil
	}
	return func() error {
		debug.SetGCPercent(gcPercent) // there may be a million names
		done := make(chan error)
		go func() { done <- m.save() }() // by another thread: this one is confined
		return <-done
	}
}

func (m *memoryLayers) save() error {
	var errs []error
	for _, l := range m.all {
		errs = append(errs, change.SaveLayer(l.save, l.upper))
	}
	return errors.Join(errs...)
}
