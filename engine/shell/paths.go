package shell

import (
	"path"
	"slices"
	"strings"

	"helve/internal/secrets"
)

// resolve returns what a path may be: one for every directory in which the command may run.
func (z *analyzer) resolve(text string) []string {
	if path.IsAbs(text) {
		return []string{path.Clean(text)}
	}
	out := make([]string, 0, len(z.dirs))
	for _, d := range z.dirs {
		out = append(out, path.Join(d, text))
	}
	return out
}

// inRoots reports a path of the workspace.
func (z *analyzer) inRoots(p string) bool {
	for _, r := range z.roots {
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
func (z *analyzer) target(p string) string {
	if p == z.start {
		return "."
	}
	if under(p, z.start) && z.start != "/" {
		return p[len(z.start)+1:]
	}
	if rest, ok := strings.CutPrefix(p, unknownHome); ok {
		return "~" + rest
	}
	return strings.TrimPrefix(p, unknownDir+"/")
}

// readable returns why this word, taken as a path, must not be read unasked, or "". It notes the read effect.
func (z *analyzer) readable(w word) string {
	if len(w.oneOf) > 0 {
		return z.allReadable(w.oneOf)
	}
	switch w.text {
	case "-", "/dev/null", "/dev/stdin", "/dev/zero", procSubst:
		return ""
	}
	switch {
	case w.home:
		z.effect(Read, w.text)
		return w.text + " is outside the workspace"
	case !w.known || w.split || !w.static && !w.glob:
		z.effect(Read, "*")
		return "a path is computed at run time"
	case w.text == "": // an error of whatever program gets it
		return ""
	}
	for _, p := range z.resolve(w.text) {
		z.effect(Read, z.target(p))
		if !z.inRoots(p) {
			return w.text + " is outside the workspace"
		}
	}
	return z.secretPath(w)
}

// secretPath asks about files that hold credentials by their name, and about globs that may match such files.
func (z *analyzer) secretPath(w word) string {
	for part := range strings.SplitSeq(w.text, "/") {
		hiddenGlob := w.glob && strings.HasPrefix(part, ".") && strings.ContainsAny(part, "*?[")
		if hiddenGlob { // any other glob leaves out what begins with a dot
			return w.text + " may match files that hold secrets"
		}
	}
	if z.secret(w.text) {
		return w.text + " may hold secrets"
	}
	return ""
}

// secret tells of a path, or of a pattern for one, that it may hold secrets.
func (z *analyzer) secret(path string) bool {
	if z.o.Secret != nil {
		return z.o.Secret(path)
	}
	var usual *secrets.List
	return usual.Has(path)
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

// vast reports a path whose recursive change destroys a system, a home, or more than the workspace.
func (z *analyzer) vast(w word) bool {
	text := w.text
	if w.home {
		return wholeHome(text)
	}
	for _, p := range z.resolve(text) {
		own := !path.IsAbs(text) && z.inRoots(p) && !strings.Contains(text, "..") && ownContent(text)
		if z.vastPath(p, w.glob, own) {
			return true
		}
	}
	return false
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
func (z *analyzer) vastPath(p string, glob, own bool) bool {
	if glob { // /etc/*/* empties /etc as well
		for before := ""; before != p; {
			before, p = p, beforeGlob(p)
		}
	}
	if p == unknownHome || slices.ContainsFunc(systemTop, func(top string) bool { return matches(p, top, glob) }) {
		return true
	}
	if z.o.Home != "" {
		home := path.Clean(z.o.Home)
		if under(home, p) || matches(p, home, glob) {
			return true
		}
	}
	return !own && z.holdsRoot(p, glob)
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
func (z *analyzer) holdsRoot(p string, glob bool) bool {
	for _, r := range z.roots {
		emptied := glob && r == p
		if r != unknownDir && under(r, p) && !emptied {
			return true
		}
	}
	return false
}
