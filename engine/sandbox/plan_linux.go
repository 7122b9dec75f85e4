package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plan is what the launcher is told. Paths are absolute with links resolved.
type plan struct {
	Mechanism string   `json:"mechanism"`
	Level     Level    `json:"level"`
	Network   bool     `json:"network"`
	Sockets   bool     `json:"sockets"` // Unix sockets with names
	Trial     bool     `json:"trial"`   // prepare everything, then stop
	Writable  []string `json:"writable"`
	Visible   []string `json:"visible"` // shown although a temporary directory would hide them
	Guard     []guard  `json:"guard"`
	Mask      []string `json:"mask"`
	Covers    []cover  `json:"covers,omitempty"` // files in whose place others are seen
	Temp      string   `json:"temp"`             // a private directory on disk, without namespaces
	Kept      string   `json:"kept,omitempty"`   // the directory that is /tmp, and outlives the command
	Shared    bool     `json:"shared,omitempty"` // the session is that of whoever started it: its terminal is out of reach
	Root      bool     `json:"root"`             // this process is root of its user namespace and keeps a root's power over files
	Limits    Limits   `json:"limits"`

	Reads *readPlan `json:"reads,omitempty"` // all that can be read beside Visible; nil: everything but Mask

	Absent  []absent    `json:"absent,omitempty"` // what must not be made
	Layers  []layerPlan `json:"layers,omitempty"` // what holds back what is changed in the roots
	renames *renames    // of the launcher
	memory  *memoryLayers
	kept    *tree // a copy of Kept that is not mounted yet
}

// guard is a path in a writable directory that stays read-only. Pin: it stays writable, but cannot be renamed or
// removed, because a guarded path lies below it.
type guard struct {
	Path string `json:"path"`
	Pin  bool   `json:"pin"`
}

// tempDirs are replaced by private, empty ones.
var tempDirs = []string{"/tmp", "/var/tmp", "/run", "/var/run"}

// plan is what these options mean for one mechanism and a command that starts in dir with an environment.
func (o Options) plan(mechanism, dir string, env []string) plan {
	o.look = o.seen()
	p := plan{
		Mechanism: mechanism,
		Level:     o.Level,
		Network:   o.Network && o.Level != ReadOnly,
		Sockets:   o.Sockets && o.Level != ReadOnly,
		Writable:  o.writable(),
		Limits:    o.Limits.filled(),
		Root:      os.Geteuid() == 0,
	}
	// A temporary directory itself is not shown, though a command starts in it: it is replaced as a whole.
	p.Visible = o.clean(slices.Concat(o.Roots, o.show, []string{dir}))
	p.Visible = slices.DeleteFunc(p.Visible, func(v string) bool {
		return v == "/" || slices.Contains(tempDirs, v)
	})
	if p.Network { // names are resolved by files that often lie in /run
		p.Visible = append(p.Visible, o.clean([]string{"/etc/resolv.conf", "/etc/hosts"})...)
	}
	p.Mask = o.masked()
	if o.Level == Light {
		o.lighten(&p)
		return p
	}
	p.Kept = o.Temp
	if o.confines(mechanism) {
		p.Reads = o.reads(env, p.Visible)
		p.Mask = append(p.Mask, private()...)
		p.Mask = append(p.Mask, p.Reads.secrets()...)
	}
	if p.Reads != nil && o.Level == ReadOnly {
		fill(&p.Limits.Memory, defaultMemory)
	}
	fill(&p.Limits.Total, o.total())
	if p.Sockets { // where there are no sockets to connect with, they need no mask
		p.Mask = append(p.Mask, o.sockets(p.Visible)...)
	}
	p.Mask = o.clean(o.unmasked(o.clean(p.Mask)))
	return p
}

// unmasked are masks without what was named.
func (o Options) unmasked(masks []string) []string {
	named := o.clean(o.Named)
	if len(named) == 0 {
		return masks
	}
	var out []string
	for _, m := range masks {
		out = append(out, around(m, named)...)
	}
	return out
}

// maxSockets bounds the sockets that are masked one by one: each is a mount of its own.
const maxSockets = 200

// sockets lists the sockets with a name in the file system outside the writable directories: behind one may be a
// service that does what the sandbox forbids. Those in /run and /tmp disappear with their directory.
func (o Options) sockets(visible []string) []string {
	text, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		const name = 7 // the last column; a socket without a name has none, an abstract one begins with @
		fields := strings.Fields(line)
		if len(fields) <= name || !strings.HasPrefix(fields[name], "/") || len(out) >= maxSockets {
			continue
		}
		path := filepath.Clean(fields[name])
		reachable := !hiddenByTemp(path) || insideAny(path, visible)
		if reachable && !insideAny(path, o.writable()) {
			out = append(out, path)
		}
	}
	return out
}

// errTrial ends a launcher that only tried.
var errTrial = errors.New("trial succeeded")
