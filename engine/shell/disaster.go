package shell

import (
	"path"
	"slices"
	"strings"

	"helve/internal/names"
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
	case "find":
		return z.disasterFind(a)
	case "rm", "chmod", "chown", "chgrp", "setfacl", "chattr", "shred", "mv", "rsync", "rimraf", "srm":
		return z.disasterTree(p, a)
	case "kill", "killall5", "pkill", "killall":
		return disasterKill(p, a)
	}
	why := stopsMachine(p, a)
	if why == "" {
		why = z.runner(a)
	}
	if why == "" {
		why = disasterDisk(p, a)
	}
	return why
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

// disguised is a program that a pattern means: /bin/r? The names that it is compared with are those that remove or
// change trees; of others a pattern is asked about, and that is enough.
func (a args) disguised() string {
	w := a.words[0]
	if !w.glob || !w.known {
		return ""
	}
	for _, p := range []string{"rm", "mv", "chmod", "chown", "find", "shred"} {
		ok, err := path.Match(path.Base(w.text), p)
		if ok && err == nil {
			return p
		}
	}
	return ""
}

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
		for _, w := range a.words[1:] {
			if w.known && devicePath(w.text) && formats(p, a.texts) {
				return p + " destroys what is on " + w.text
			}
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

// disasterTree finds recursive changes of a system, a home, or what holds the workspace.
func (z *analyzer) disasterTree(p string, a args) string {
	list := a.words[1:]
	switch p {
	case "rm":
		if slices.Contains(a.texts, "--no-preserve-root") {
			return "rm --no-preserve-root is meant for the whole system"
		}
		if !recursive(a.texts) {
			return z.disasterFiles(a)
		}
	case "rsync": // deletes in the last place what the others do not have
		if !anyBegins(a.texts, "--del") {
			return ""
		}
		list = list[max(len(list)-1, 0):]
	case "mv": // all but the last are taken away
		if len(list) > 1 {
			list = list[:len(list)-1]
		}
	case "rimraf":
	default:
		if !recursive(a.texts) {
			return ""
		}
	}
	for _, w := range list {
		if z.vastOperand(w) {
			return p + " of " + w.text + " destroys more than a workspace"
		}
	}
	return ""
}

// vastOperand reports an operand that names more than a workspace.
func (z *analyzer) vastOperand(w word) bool {
	return (w.known || w.home) && !option(w.text) && z.at.vast(w)
}

// disasterFiles finds rm /bin/*, which needs no -r.
func (z *analyzer) disasterFiles(a args) string {
	for _, w := range a.words[1:] {
		if !w.glob || !w.known || w.home {
			continue
		}
		for _, p := range z.at.resolve(w.text) {
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

// disasterFind finds find / -delete, and -exec with a program that takes away or changes what it is given.
func (z *analyzer) disasterFind(a args) string {
	if !findDeletes(a) {
		return ""
	}
	start := z.vastStart(a)
	if start == "" {
		return ""
	}
	return "find deletes everything below " + start
}

// git is the name of a repository in its working tree.
const git = ".git"

// meansGit tells that a pattern, or a name, means a repository. A * or ? at the beginning means no name with a dot.
func meansGit(pattern string) bool {
	pattern = strings.ReplaceAll(strings.ToLower(pattern), "[!", "[^")
	ok, err := path.Match(pattern, git)
	return ok && err == nil && !strings.ContainsAny(pattern[:1], "*?")
}

// findDeletes reports a find that takes away what it finds.
func findDeletes(a args) bool {
	deletes := slices.Contains(a.texts, "-delete")
	for i, t := range a.texts[:len(a.texts)-1] {
		if strings.HasPrefix(t, "-exec") || strings.HasPrefix(t, "-ok") {
			deletes = deletes || destroysFound(a.texts[i+1:])
		}
	}
	return deletes
}

// findStarts are the places where find begins; without one it is where the command stands.
func findStarts(a args) []word {
	var out []word
	for _, w := range a.words[1:] {
		if w.text == "-L" || w.text == "-H" || w.text == "-P" {
			continue // about links, and may come before the places
		}
		if option(w.text) || w.text == "!" || w.text == "(" {
			break // the tests begin
		}
		out = append(out, w)
	}
	if len(out) == 0 {
		out = append(out, word{text: ".", static: true, known: true, pos: a.words[0].pos})
	}
	return out
}

// plainTests are those of find that pick nearly everything, with the words that they take.
var plainTests = map[string]int{
	"-type": 1, "-mindepth": 1, "-maxdepth": 1,
	"-depth": 0, "-delete": 0, "-print": 0, "-print0": 0,
	"-xdev": 0, "-mount": 0, "-follow": 0, "-ignore_readdir_race": 0,
}

// findsGit reports a find that is asked for repositories by their name, and one with tests that pick others.
func findsGit(texts []string) (asked, others bool) {
	for i := 1; i < len(texts); i++ {
		t := texts[i]
		if len(t) == 0 || t[0] != '-' {
			continue
		}
		if strings.HasPrefix(t, "-exec") || strings.HasPrefix(t, "-ok") {
			for i < len(texts)-1 && texts[i] != ";" && texts[i] != "+" {
				i++
			}
			continue
		}
		skip, plain := plainTests[t]
		i += skip
		if plain {
			continue
		}
		named := strings.HasSuffix(t, "name") || strings.HasSuffix(t, "path")
		if named && i+1 < len(texts) {
			before := texts[i-1]
			asked = asked || meansGit(path.Base(texts[i+1])) && before != "!" && before != "-not"
		}
		others = true
	}
	return asked, others
}

// changers change what they are given so that a system does not work any more.
var changers = []string{"chmod", "chown", "chgrp", "mv", "truncate"}

// destroysFound reports a command behind -exec that is the end of the files found.
func destroysFound(command []string) bool {
	if removes(command[0]) || slices.Contains(changers, path.Base(command[0])) {
		return true
	}
	return slices.Contains(command, "-c") && slices.ContainsFunc(command, removesInside)
}

// removers take away what they are given.
var removers = []string{"rm", "shred", "unlink", "rmdir"}

// removes reports the name of such a program, with its path or without.
func removes(t string) bool { return slices.Contains(removers, path.Base(t)) }

// removesInside reports a script that removes what find found.
func removesInside(t string) bool { return slices.ContainsFunc(strings.Fields(t), removes) }

// vastStart is the place from which find would go through a system or a home, unless it picks files by name.
func (z *analyzer) vastStart(a args) string {
	if picksByName(a.texts) {
		return ""
	}
	starts := findStarts(a)
	i := slices.IndexFunc(starts, func(w word) bool { return (w.known || w.home) && z.at.vast(w) })
	switch {
	case i < 0:
		return ""
	case starts[i].text == ".":
		return "this directory"
	}
	return starts[i].text
}

// picksByName reports a test for a name that says something, and is not turned around. find / -name core -delete is
// rash and no disaster.
func picksByName(texts []string) bool {
	for i, t := range texts[:len(texts)-1] {
		switch t {
		case "-name", "-iname", "-path", "-regex":
		default:
			continue
		}
		before := texts[i-1]
		if before != "!" && before != "-not" && strings.Trim(texts[i+1], "*.") != "" {
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
