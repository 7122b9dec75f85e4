package shell

import (
	"path"
	"slices"
	"strings"
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

// target is how an effect names a path: relative inside the start directory, else absolute.
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
	switch {
	case w.text == "-" || w.text == "/dev/null" || w.text == "/dev/stdin" || w.text == "/dev/zero" || w.text == procSubst:
		return ""
	case w.home:
		z.effect(Read, w.text)
		return w.text + " is outside the workspace"
	case !w.known || w.split || !w.static && !w.glob:
		z.effect(Read, "*")
		return "a path is computed at run time"
	case w.text == "":
		return ""
	}
	for _, p := range z.resolve(w.text) {
		z.effect(Read, z.target(p))
		if !z.inRoots(p) {
			return w.text + " is outside the workspace"
		}
	}
	return secretPath(w)
}

// secretPath asks about files that hold credentials by their name, and about globs that may match such files.
func secretPath(w word) string {
	for part := range strings.SplitSeq(w.text, "/") {
		if w.glob && strings.HasPrefix(part, ".") && strings.ContainsAny(part, "*?[") {
			return w.text + " may match files that hold secrets"
		}
		if secretName(strings.ToLower(part)) {
			return w.text + " may hold secrets"
		}
	}
	return ""
}

// secretName knows the usual names of files and folders with credentials, in lower case.
func secretName(name string) bool {
	switch name {
	case ".env", ".envrc", ".netrc", "_netrc", ".pgpass", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd", ".ssh", ".aws", ".gnupg",
		".kube", ".docker", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials", "credentials.json", "secrets.yml", "secrets.yaml",
		"secrets.json", ".vault_pass", "terraform.tfstate":
		return true
	case ".env.example", ".env.sample", ".env.template", ".env.dist":
		return false
	}
	if strings.HasPrefix(name, ".env.") {
		return true
	}
	return slices.Contains([]string{".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"}, path.Ext(name))
}

// devicePath reports a path whose writing destroys a disk, memory or the running system.
func devicePath(p string) bool {
	if p == "/proc/sysrq-trigger" || p == "/dev/mem" || p == "/dev/kmem" || p == "/dev/port" {
		return true
	}
	rest, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return false
	}
	for _, disk := range []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "md", "mapper/", "disk/", "nbd", "zd", "rdisk", "disk"} {
		if strings.HasPrefix(rest, disk) {
			return true
		}
	}
	return false
}

// vitalFile reports a file without which the machine or its accounts do not work.
func vitalFile(p string) bool {
	switch p {
	case "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/fstab":
		return true
	}
	return under(p, "/boot")
}

// systemTop are the directories that hold a system or everybody's homes.
var systemTop = []string{"/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/opt", "/proc", "/root", "/sbin", "/srv", "/sys", "/usr", "/var",
	"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/local", "/usr/sbin", "/usr/share", "/var/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/var/lib/dpkg", "/var/lib/rpm", "/var/lib/pacman", "/Users", "/System", "/Library", "/Applications", "/private", "/Volumes", "/mnt", "/media"}

// vast reports a path whose recursive change destroys a system, a home, or more than the workspace.
func (z *analyzer) vast(w word) bool {
	text := w.text
	if w.home && (text == "~" || strings.Trim(text[1:], "/*.") == "" || !strings.Contains(strings.TrimRight(text, "/*"), "/")) {
		return true
	}
	if w.home {
		return false
	}
	for _, p := range z.resolve(text) {
		own := !path.IsAbs(text) && z.inRoots(p) && !strings.Contains(text, "..") && ownContent(text)
		if z.vastPath(p, w.glob, own) {
			return true
		}
	}
	return false
}

// ownContent reports the working directory itself, or all that is in it.
func ownContent(text string) bool { return strings.Trim(text, "./*?[!]") == "" }

// vastPath judges a cleaned path. own: it is where the command stands, in the workspace, which is only asked about.
func (z *analyzer) vastPath(p string, glob, own bool) bool {
	if glob {
		for before := ""; before != p; {
			before, p = p, beforeGlob(p)
		}
	}
	if p == unknownHome || slices.ContainsFunc(systemTop, func(top string) bool { return matches(p, top, glob) }) {
		return true
	}
	if z.o.Home != "" && (under(path.Clean(z.o.Home), p) || matches(p, path.Clean(z.o.Home), glob)) {
		return true
	}
	return !own && z.holdsRoot(p, glob)
}

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
	if dir == "/" && strings.ContainsAny(last, "*?[") || last != "" && strings.Trim(last, "*.?[!]") == "" {
		return path.Clean(dir)
	}
	return p
}

// holdsRoot reports a directory above a workspace root; emptying the root itself by a pattern is only asked about.
func (z *analyzer) holdsRoot(p string, glob bool) bool {
	for _, r := range z.roots {
		if r != unknownDir && under(r, p) && !(glob && r == p) {
			return true
		}
	}
	return false
}
