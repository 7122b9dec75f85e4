package shell

import (
	"slices"
	"strings"

	"helve/internal/names"
)

// disasters tells of commands that must never run, since they destroy a system, a disk or a home. It looks at words as
// bash would see them.
type disasters struct{ at *places }

// of returns why the command of a program is one, or "".
func (d disasters) of(p string, a args) string {
	switch p {
	case "find":
		return d.find(a)
	case "rm", "chmod", "chown", "chgrp", "setfacl", "chattr", "shred", "mv", "rsync", "rimraf", "srm":
		return d.tree(p, a)
	case "kill", "killall5", "pkill", "killall":
		return disasterKill(p, a)
	}
	why := stopsMachine(p, a)
	if why == "" {
		why = disasterDisk(p, a)
	}
	return why
}

// tree finds recursive changes of a system, a home, or what holds the workspace.
func (d disasters) tree(p string, a args) string {
	if p == "rm" && slices.Contains(a.texts, "--no-preserve-root") {
		return "rm --no-preserve-root is meant for the whole system"
	}
	if p == "rm" && !recursive(a.texts) {
		return d.files(a)
	}
	for _, w := range changedWhole(p, a) {
		if d.vastOperand(w) {
			return p + " of " + w.text + " destroys more than a workspace"
		}
	}
	return ""
}

// changedWhole are the operands that a program changes, or takes away, with all that is below them.
func changedWhole(p string, a args) []word {
	list := a.words[1:]
	switch p {
	case "rsync": // deletes in the last place what the others do not have
		if !anyBegins(a.texts, "--del") {
			return nil
		}
		return list[max(len(list)-1, 0):]
	case "mv": // all but the last are taken away
		if len(list) > 1 {
			list = list[:len(list)-1]
		}
		return list
	case "rimraf":
		return list
	}
	if !recursive(a.texts) {
		return nil
	}
	return list
}

// stopVerbs are what systemctl and loginctl stop the machine by.
var stopVerbs = names.List("poweroff reboot halt kexec rescue emergency " +
	"rescue.target emergency.target poweroff.target reboot.target halt.target")

// stopsMachine finds what stops the machine, or takes it to a state in which nobody works.
func stopsMachine(p string, a args) string {
	switch p {
	case "shutdown", "reboot", "halt", "poweroff", "telinit":
		return p + " stops the machine"
	case "init":
		if len(a.texts) > 1 && strings.Contains("06", a.texts[1]) {
			return "init " + a.texts[1] + " stops the machine"
		}
	case "systemctl", "loginctl":
		for verb := range strings.FieldsSeq(string(stopVerbs)) {
			i := slices.Index(a.texts, verb)
			if i == 1 || i > 1 && leadsToVerb(a.texts[1]) {
				return p + " " + verb + " stops the machine"
			}
		}
	}
	return ""
}

// leadsToVerb reports a first word behind which the verb is still what systemctl does.
func leadsToVerb(t string) bool { return option(t) || t == "isolate" || t == "start" }

var (
	// diskPrograms write to devices, some of them only with certain options: see formats.
	diskPrograms = strings.Fields("mke2fs blkdiscard wipefs mkswap badblocks sgdisk hdparm cryptsetup nvme " +
		"fdisk sfdisk parted")
	// volumePrograms take away what file systems are on, whatever their arguments are.
	volumePrograms = []string{"lvremove", "vgremove", "pvremove"}
	// volumeCommands do so with this first argument.
	volumeCommands = []string{"zpool destroy", "mdadm --zero-superblock", "umount -a"}
)

// disasterDisk finds what overwrites a disk whole.
func disasterDisk(p string, a args) string {
	first := ""
	if len(a.texts) > 1 {
		first = a.texts[1]
	}
	if strings.HasPrefix(p, "mkfs") || slices.Contains(diskPrograms, p) {
		device := func(w word) bool { return w.known && devicePath(w.text) }
		i := slices.IndexFunc(a.words[1:], device)
		if i >= 0 && formats(p, a.texts) {
			return p + " destroys what is on " + a.texts[1+i]
		}
	}
	if slices.Contains(volumePrograms, p) || slices.Contains(volumeCommands, p+" "+first) {
		return p + " takes volumes away from the system"
	}
	if p == "diskutil" && strings.HasPrefix(first, "erase") {
		return "diskutil " + first + " destroys a disk"
	}
	return ""
}

// formatWords are what makes a disk program destructive, where it is not always: any one of these words.
var formatWords = map[string][]string{
	"wipefs":     {"-a", "--all", "-af", "-fa", "-o"},
	"badblocks":  {"-w", "-wsv", "-svw", "-ws", "-sw"},
	"sgdisk":     {"-Z", "-z", "-o", "--zap-all", "--zap", "--clear"},
	"cryptsetup": {"luksFormat", "luksErase", "erase", "reencrypt"},
	"nvme":       {"format", "sanitize", "write-zeroes"},
	"fdisk":      {"--delete", "-w", "--wipe"},
	"sfdisk":     {"--delete", "-w", "--wipe"},
	"parted":     {"mklabel", "mktable", "rm", "mkpart"},
}

// formats tells the destructive uses of disk programs from those that look. A program that is not in the table destroys
// whatever its options are.
func formats(p string, texts []string) bool {
	if p == "hdparm" {
		return anyBegins(texts, "--security-erase") || anyBegins(texts, "--trim")
	}
	words, ok := formatWords[p]
	if !ok {
		return true
	}
	return slices.ContainsFunc(texts, func(t string) bool { return slices.Contains(words, t) })
}

// anyBegins reports that one of the texts begins so.
func anyBegins(texts []string, prefix string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.HasPrefix(t, prefix) })
}

// vastOperand reports an operand that names more than a workspace.
func (d disasters) vastOperand(w word) bool {
	return (w.known || w.home) && !option(w.text) && d.at.vast(w)
}

// files finds rm /bin/*, which needs no -r.
func (d disasters) files(a args) string {
	for _, w := range a.words[1:] {
		if !w.glob || !w.known || w.home {
			continue
		}
		for _, p := range d.at.resolve(w.text) {
			if systemFiles.Has(beforeGlob(p)) {
				return "rm of " + w.text + " removes the files of the system"
			}
		}
	}
	return ""
}

// systemFiles are the directories whose files a system needs.
var systemFiles = names.List("/bin /sbin /lib /lib64 /usr/bin /usr/sbin /usr/lib /boot /etc /dev")

// recursive reports -r in any of its forms, among other letters too. GNU programs take the long one cut short.
func recursive(texts []string) bool {
	for _, t := range texts[1:] {
		long := len(t) > 2 && strings.HasPrefix("--recursive", t)
		letters := len(t) > 1 && t[0] == '-' && t[1] != '-'
		if long || letters && strings.ContainsAny(t, "rR") {
			return true
		}
	}
	return false
}

// disasterKill finds the signal to every process: kill -9 -1.
func disasterKill(p string, a args) string {
	if p == "killall5" {
		return "killall5 ends every process"
	}
	if len(a.texts) < 2 {
		return ""
	}
	last := a.texts[len(a.texts)-1]
	everything := last == "." || last == ".*"
	switch {
	case len(a.texts) > 2 && last == "-1":
		return "kill … -1 ends every process"
	case p == "kill" && last == "1":
		return "kill 1 ends the first process, and with it all"
	case p != "kill" && everything:
		return p + " " + last + " ends every process"
	}
	return ""
}
