package shell

import (
	"path"
	"slices"
	"strings"

	"helve/internal/secrets"
)

// paths tells what a path is to a workspace, to its user and to the system, wherever the shell is.
type paths struct {
	start     string                 // the directory in which the command line starts
	home      string                 // empty: unknown
	roots     []string               // cleaned
	readable  []string               // directories outside the roots that a line may read where it is tried
	protected []string               // whose writing is catastrophic
	isSecret  func(path string) bool // nil: the list of usual names
}

const (
	// unknownDir is in the place of the start directory when the caller does not tell it, unknownHome in that of the
	// home directory. No path that anybody writes has such a name.
	unknownDir  = "/\u2026"
	unknownHome = "/\u2026home"
)

func newPaths(o Options) paths {
	ps := paths{start: unknownDir, home: o.Home, readable: o.Readable, protected: o.Protected, isSecret: o.Secret}
	if path.IsAbs(o.Dir) {
		ps.start = path.Clean(o.Dir)
	}
	for _, r := range o.Roots {
		if path.IsAbs(r) {
			ps.roots = append(ps.roots, path.Clean(r))
		}
	}
	if len(o.Roots) == 0 {
		ps.roots = []string{ps.start}
	}
	if o.Protected == nil {
		ps.protected = []string{".helve"}
	}
	return ps
}

// inRoots reports a path of the workspace.
func (ps *paths) inRoots(p string) bool {
	for _, r := range ps.roots {
		if under(p, r) {
			return true
		}
	}
	return false
}

// under reports that the cleaned path p is dir or lies below it.
func under(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}

// target is how an effect names a path: relative inside the start directory, else absolute. The stand-ins for
// directories that are not known are left out.
func (ps *paths) target(p string) string {
	if p == ps.start {
		return "."
	}
	if under(p, ps.start) && ps.start != "/" {
		return p[len(ps.start)+1:]
	}
	if rest, ok := strings.CutPrefix(p, unknownHome); ok {
		return "~" + rest
	}
	return strings.TrimPrefix(p, unknownDir+"/")
}

// homeDir is where cd alone goes.
func (ps *paths) homeDir() string {
	if ps.home != "" {
		return path.Clean(ps.home)
	}
	return unknownHome
}

// secret tells of a path, or of a pattern for one, that it may hold secrets.
func (ps *paths) secret(path string) bool {
	if ps.isSecret != nil {
		return ps.isSecret(path)
	}
	var usual *secrets.List
	return usual.Has(path)
}

// isProtected reports a path that must not be written: an absolute one with what is below it, a relative one in every
// directory.
func (ps *paths) isProtected(p string) bool {
	for _, q := range ps.protected {
		absolute := strings.HasPrefix(q, "/")
		if absolute && under(p, q) {
			return true
		}
		if !absolute && strings.Contains(p+"/", "/"+q+"/") {
			return true
		}
	}
	return false
}

// disks are how the names of disks and their parts begin on Linux, the BSDs and macOS.
var disks = []string{
	"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "md", "mapper/", "disk/",
	"nbd", "zd", "rdisk", "disk",
}

// devicePath reports a path whose writing destroys a disk, memory or the running system.
func devicePath(p string) bool {
	switch p {
	case "/proc/sysrq-trigger", "/dev/mem", "/dev/kmem", "/dev/port":
		return true
	}
	name, ok := strings.CutPrefix(p, "/dev/")
	return ok && slices.ContainsFunc(disks, func(disk string) bool { return strings.HasPrefix(name, disk) })
}

// vitalFile reports a file without which the machine or its accounts do not work. Other files of the system are asked
// about: who administers a machine edits them.
func vitalFile(p string) bool {
	switch p {
	case "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/fstab":
		return true
	}
	return under(p, "/boot")
}

// systemTop are the directories that hold a system or everybody's homes.
var systemTop = []string{
	"/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/opt", "/proc", "/root", "/sbin", "/srv",
	"/sys", "/usr", "/var",
	"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/local", "/usr/sbin", "/usr/share",
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
	"/var/lib", "/var/lib/dpkg", "/var/lib/rpm", "/var/lib/pacman",
	"/Users", "/System", "/Library", "/Applications", "/private", "/Volumes",
	"/mnt", "/media",
}

// wholeHome reports a home directory itself, or all that is in it: ~, ~/*, ~ada. text begins with ~.
func wholeHome(text string) bool {
	all := strings.Trim(text[1:], "/*.") == ""
	another := !strings.Contains(strings.TrimRight(text, "/*"), "/")
	return all || another
}

// ownContent reports the working directory itself, or all that is in it.
func ownContent(text string) bool { return strings.Trim(text, "./*?[!]") == "" }

// vastPath judges a cleaned path. own: it is where the command stands, in the workspace, which is only asked about.
func (ps *paths) vastPath(p string, glob, own bool) bool {
	if glob { // /etc/*/* empties /etc as well
		for before := ""; before != p; {
			before, p = p, beforeGlob(p)
		}
	}
	if p == unknownHome || slices.ContainsFunc(systemTop, func(top string) bool { return matches(p, top, glob) }) {
		return true
	}
	if ps.home != "" {
		home := path.Clean(ps.home)
		if under(home, p) || matches(p, home, glob) {
			return true
		}
	}
	return !own && ps.holdsRoot(p, glob)
}

// matches reports that a path, which may be a pattern, names p.
func matches(pattern, p string, glob bool) bool {
	if !glob {
		return pattern == p
	}
	ok, err := path.Match(pattern, p)
	return ok && err == nil
}

// beforeGlob is the directory that a pattern such as /etc/* empties; /etc/*.bak empties nothing.
func beforeGlob(p string) string {
	dir, last := path.Split(p)
	ofRoot := dir == "/" && strings.ContainsAny(last, "*?[")
	everything := last != "" && strings.Trim(last, "*.?[!]") == ""
	if ofRoot || everything {
		return path.Clean(dir)
	}
	return p
}

// holdsRoot reports a directory above a workspace root; emptying the root itself by a pattern is only asked about.
func (ps *paths) holdsRoot(p string, glob bool) bool {
	for _, r := range ps.roots {
		emptied := glob && r == p
		if r != unknownDir && under(r, p) && !emptied {
			return true
		}
	}
	return false
}

// maySee reports a path that can be read where a line is tried, or that leads to such a place.
func (ps *paths) maySee(p string) bool {
	return ps.inRoots(p) || slices.ContainsFunc(ps.readable, func(dir string) bool { return under(p, dir) })
}
