package shell

import (
	"path"
	"slices"
	"strings"
)

// disaster returns why a command must never run, or "". It looks at words as bash would see them, also at guessed ones:
// refusing too much is the smaller harm here, but only what destroys a system, a disk or a home belongs in it.
func (z *analyzer) disaster(a args) string {
	p := a.program()
	if p == "" {
		p = a.disguised()
	}
	if z.funcs[p] && len(a.words) > 1 {
		return z.disaster(a.from(1))
	}
	z.foreignCode(p, a)
	switch p {
	case "rm", "chmod", "chown", "chgrp", "setfacl", "chattr", "shred", "mv", "find", "rsync", "rimraf", "srm":
		return z.disasterTree(p, a)
	case "kill", "killall5", "pkill", "killall":
		return disasterKill(p, a)
	case "shutdown", "reboot", "halt", "poweroff", "telinit":
		return p + " stops the machine"
	case "init":
		if len(a.texts) > 1 && strings.Contains("06", a.texts[1]) {
			return "init " + a.texts[1] + " stops the machine"
		}
	case "systemctl", "loginctl":
		for _, verb := range []string{"poweroff", "reboot", "halt", "kexec", "rescue", "emergency", "rescue.target", "emergency.target", "poweroff.target", "reboot.target", "halt.target"} {
			if i := slices.Index(a.texts, verb); i == 1 || i > 1 && (option(a.texts[1]) || a.texts[1] == "isolate" || a.texts[1] == "start") {
				return p + " " + verb + " stops the machine"
			}
		}
	}
	if why := z.runner(a); why != "" {
		return why
	}
	return z.disasterDisk(p, a)
}

// disguised is a program that a pattern means: /bin/r?
func (a args) disguised() string {
	w := a.words[0]
	if !w.glob || !w.known {
		return ""
	}
	for _, p := range []string{"rm", "mv", "chmod", "chown", "find", "shred"} {
		if ok, err := path.Match(path.Base(w.text), p); ok && err == nil {
			return p
		}
	}
	return ""
}

// disasterDisk finds what overwrites a disk whole.
func (z *analyzer) disasterDisk(p string, a args) string {
	if strings.HasPrefix(p, "mkfs") || slices.Contains([]string{"mke2fs", "blkdiscard", "wipefs", "mkswap", "badblocks", "sgdisk", "hdparm", "cryptsetup", "nvme", "fdisk", "sfdisk", "parted"}, p) {
		for _, w := range a.words[1:] {
			if w.known && devicePath(w.text) && formats(p, a.texts) {
				return p + " destroys what is on " + w.text
			}
		}
	}
	if slices.Contains([]string{"lvremove", "vgremove", "pvremove"}, p) || len(a.texts) > 1 && slices.Contains([]string{"zpool destroy", "mdadm --zero-superblock", "umount -a"}, p+" "+a.texts[1]) {
		return p + " takes volumes away from the system"
	}
	if p == "diskutil" && len(a.texts) > 1 && strings.HasPrefix(a.texts[1], "erase") {
		return "diskutil " + a.texts[1] + " destroys a disk"
	}
	return ""
}

// formats tells the destructive uses of disk programs from those that look.
func formats(p string, texts []string) bool {
	has := func(options ...string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return slices.Contains(options, t) })
	}
	switch p {
	case "wipefs":
		return has("-a", "--all", "-af", "-fa", "-o")
	case "badblocks":
		return has("-w", "-wsv", "-svw", "-ws", "-sw")
	case "sgdisk":
		return has("-Z", "-z", "-o", "--zap-all", "--zap", "--clear")
	case "hdparm":
		return slices.ContainsFunc(texts, func(t string) bool { return strings.HasPrefix(t, "--security-erase") || strings.HasPrefix(t, "--trim") })
	case "cryptsetup":
		return has("luksFormat", "luksErase", "erase", "reencrypt")
	case "nvme":
		return has("format", "sanitize", "write-zeroes")
	case "fdisk", "sfdisk":
		return has("--delete", "-w", "--wipe")
	case "parted":
		return has("mklabel", "mktable", "rm", "mkpart")
	}
	return true
}

// disasterTree finds recursive changes of a system, a home, or what holds the workspace.
func (z *analyzer) disasterTree(p string, a args) string {
	if p == "find" {
		return z.disasterFind(a)
	}
	if p == "rm" && slices.Contains(a.texts, "--no-preserve-root") {
		return "rm --no-preserve-root is meant for the whole system"
	}
	if p == "rm" && !recursive(a.texts) {
		return z.disasterFiles(a)
	}
	if p != "mv" && p != "rsync" && p != "rimraf" && !recursive(a.texts) {
		return ""
	}
	if p == "rsync" && !slices.ContainsFunc(a.texts, func(t string) bool { return strings.HasPrefix(t, "--del") }) {
		return ""
	}
	list := a.words[1:]
	if p == "rsync" && len(list) > 0 {
		list = list[len(list)-1:]
	}
	if p == "mv" && len(list) > 1 {
		list = list[:len(list)-1]
	}
	for _, w := range list {
		if (w.known || w.home) && !strings.HasPrefix(w.text, "-") && z.vast(w) {
			return p + " of " + w.text + " destroys more than a workspace"
		}
	}
	return ""
}

// disasterFiles finds rm /bin/*, which needs no -r.
func (z *analyzer) disasterFiles(a args) string {
	for _, w := range a.words[1:] {
		if !w.glob || !w.known || w.home {
			continue
		}
		for _, p := range z.resolve(w.text) {
			if slices.Contains(systemFiles, beforeGlob(p)) {
				return "rm of " + w.text + " removes the files of the system"
			}
		}
	}
	return ""
}

// systemFiles are the directories whose files a system needs.
var systemFiles = []string{"/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/boot", "/etc", "/dev"}

func recursive(texts []string) bool {
	for _, t := range texts[1:] {
		if len(t) > 2 && strings.HasPrefix("--recursive", t) || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "rR") {
			return true
		}
	}
	return false
}

func (z *analyzer) disasterFind(a args) string {
	deletes := slices.Contains(a.texts, "-delete")
	for i, t := range a.texts[:len(a.texts)-1] {
		if strings.HasPrefix(t, "-exec") || strings.HasPrefix(t, "-ok") {
			deletes = deletes || removes(a.texts[i+1]) || slices.Contains([]string{"chmod", "chown", "chgrp", "mv", "truncate"}, path.Base(a.texts[i+1])) || slices.Contains(a.texts[i+1:], "-c") && slices.ContainsFunc(a.texts[i+1:], removesInside)
		}
	}
	if !deletes {
		return ""
	}
	if start := z.vastStart(a); start != "" {
		return "find deletes everything below " + start
	}
	return ""
}

func removes(t string) bool {
	return slices.Contains([]string{"rm", "shred", "unlink", "rmdir"}, path.Base(t))
}

// removesInside reports a script that removes what find found.
func removesInside(t string) bool { return slices.ContainsFunc(strings.Fields(t), removes) }

// vastStart is the place from which find would go through a system or a home, unless it picks files by name.
func (z *analyzer) vastStart(a args) string {
	for i, t := range a.texts[:len(a.texts)-1] {
		picks := t == "-name" || t == "-iname" || t == "-path" || t == "-regex"
		if picks && !slices.Contains([]string{"!", "-not"}, a.texts[i-1]) && strings.Trim(a.texts[i+1], "*.") != "" {
			return ""
		}
	}
	starts := 0
	for _, w := range a.words[1:] {
		if slices.Contains([]string{"-L", "-H", "-P"}, w.text) {
			continue
		}
		if strings.HasPrefix(w.text, "-") || w.text == "!" || w.text == "(" {
			break
		}
		starts++
		if (w.known || w.home) && z.vast(w) {
			return w.text
		}
	}
	if here := (word{text: ".", static: true, known: true}); starts == 0 && z.vast(here) {
		return "this directory"
	}
	return ""
}

// disasterKill finds the signal to every process: kill -9 -1.
func disasterKill(p string, a args) string {
	if p == "killall5" {
		return "killall5 ends every process"
	}
	last := a.texts[len(a.texts)-1]
	switch {
	case len(a.texts) > 2 && last == "-1":
		return "kill … -1 ends every process"
	case p == "kill" && last == "1" && len(a.texts) > 1:
		return "kill 1 ends the first process, and with it all"
	case p != "kill" && (last == "." || last == ".*") && len(a.texts) > 1:
		return p + " " + last + " ends every process"
	}
	return ""
}
