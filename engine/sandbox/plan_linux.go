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
	Trial     bool     `json:"trial"` // prepare everything, then stop
	Writable  []string `json:"writable"`
	Visible   []string `json:"visible"` // shown although a temporary directory would hide them
	Guard     []guard  `json:"guard"`
	Mask      []string `json:"mask"`
	Temp      string   `json:"temp"` // a private directory on disk, without namespaces
	Root      bool     `json:"root"` // this process is root of its user namespace and keeps a root's power over files
	Limits    Limits   `json:"limits"`
}

// guard is a path in a writable directory that stays read-only. Pin: it stays writable, but cannot be renamed or
// removed, because a guarded path lies below it.
type guard struct {
	Path string `json:"path"`
	Pin  bool   `json:"pin"`
}

// tempDirs are replaced by private, empty ones.
var tempDirs = []string{"/tmp", "/var/tmp", "/run", "/var/run"}

func (o Options) plan(mechanism, dir string) plan {
	p := plan{Mechanism: mechanism, Level: o.Level, Network: o.Network && o.Level != ReadOnly, Writable: o.writable(), Limits: o.Limits.filled(),
		Root: os.Geteuid() == 0}
	p.Visible = cleanPaths(append(append(slices.Clone(o.Roots), o.show...), dir))
	p.Visible = slices.DeleteFunc(p.Visible, func(v string) bool { return v == "/" || slices.Contains(tempDirs, v) })
	if p.Network { // names are resolved by files that often lie in /run
		p.Visible = append(p.Visible, cleanPaths([]string{"/etc/resolv.conf", "/etc/hosts"})...)
	}
	p.Mask = o.masked()
	if o.Level != ReadOnly { // where there are no sockets to connect with, they need no mask
		p.Mask = append(p.Mask, o.sockets(p.Visible)...)
	}
	p.Mask = existing(p.Mask)
	return p
}

// existing keeps the paths that are there, links resolved: what is not there needs no mask.
func existing(list []string) []string {
	return slices.DeleteFunc(cleanPaths(list), func(p string) bool { _, err := os.Lstat(p); return err != nil })
}

// maxSockets bounds the sockets that are masked one by one.
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
		fields := strings.Fields(line)
		if len(fields) < 8 || !strings.HasPrefix(fields[7], "/") || len(out) >= maxSockets {
			continue
		}
		path := filepath.Clean(fields[7])
		hidden := slices.ContainsFunc(tempDirs, func(d string) bool { return inside(path, d) })
		own := slices.ContainsFunc(o.writable(), func(d string) bool { return inside(path, d) })
		if !own && (!hidden || slices.ContainsFunc(visible, func(d string) bool { return inside(path, d) })) {
			out = append(out, path)
		}
	}
	return out
}

// errTrial ends a launcher that only tried.
var errTrial = errors.New("trial succeeded")
