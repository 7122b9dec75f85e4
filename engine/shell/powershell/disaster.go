package powershell

import (
	"slices"
	"strings"

	"helve/engine/shell"
)

// always are the commands that destroy a disk or stop the machine whatever their words are, with what they do.
var always = map[string]string{
	"stop-computer":       "stops the machine",
	"restart-computer":    "stops the machine",
	"format-volume":       "destroys what is on a volume",
	"clear-disk":          "destroys what is on a disk",
	"initialize-disk":     "destroys what is on a disk",
	"remove-partition":    "takes a volume away from the system",
	"reset-physicaldisk":  "destroys what is on a disk",
	"remove-physicaldisk": "takes a disk away from the system",
	"remove-virtualdisk":  "takes a volume away from the system",
	"remove-storagepool":  "takes volumes away from the system",
	"diskpart":            "changes the disks of the machine",
	"shutdown":            "stops the machine",
}

// byWords are programs that destroy with these words, all of them, and what they do.
var byWords = []struct {
	program string
	words   string
	does    string
}{
	{"vssadmin", "delete shadows", "takes the copies away that files can be brought back from"},
	{"wmic", "shadowcopy delete", "takes the copies away that files can be brought back from"},
	{"wbadmin", "delete", "takes backups away"},
	{"bcdedit", "/delete", "changes how the machine starts"},
	{"bcdedit", "/set", "changes how the machine starts"},
	{"reg", "delete", "removes keys of the registry"},
	{"cipher", "/w", "overwrites a disk"},
	{"fsutil", "volume", "changes a volume"},
	{"net", "user /delete", "takes an account away"},
	{"takeown", "/r", "takes files of the system from their owners"},
	{"icacls", "/t", "changes the rights on a tree"},
}

// disaster is why a command must never run, or "". Words that are not known may be anything, and are asked about; only
// what destroys a system, a disk or a home belongs here. name and program are in lower case.
func (z *analyzer) disaster(name, program string, c command) string {
	if does := always[name]; does != "" {
		return name + " " + does
	}
	rest := c.words[1:]
	texts := make([]string, len(rest))
	for i, w := range rest {
		texts[i] = strings.ToLower(w.text)
	}
	switch name {
	case "remove-item", "clear-content", "move-item", "set-acl", "clear-item":
		return z.disasterTree(name, rest, texts)
	case "invoke-expression", "powershell", "pwsh", "invoke-command", "start-process", "cmd":
		return z.runs(name, rest)
	}
	if why := disasterWords(program, rest, texts, z.places); why != "" {
		return why
	}
	if z.t.names[program] != "" { // PowerShell's rm is not that of bash
		return ""
	}
	a := z.asBash(program, rest)
	if a.Verdict == shell.Catastrophic {
		return a.Reason
	}
	return ""
}

// disasterWords finds programs of Windows that destroy with certain words.
func disasterWords(program string, rest []token, texts []string, p places) string {
	if program == "format" && slices.ContainsFunc(texts, func(t string) bool { return len(t) == 2 && t[1] == ':' }) {
		return "format destroys what is on a volume"
	}
	for _, d := range byWords {
		if d.program != program || !hasAll(texts, strings.Fields(d.words)) {
			continue
		}
		needsPlace := program == "takeown" || program == "icacls"
		if needsPlace && !slices.ContainsFunc(rest, p.vast) {
			continue
		}
		if program == "reg" && !slices.ContainsFunc(rest, wholeHive) {
			continue
		}
		return program + " " + d.words + " " + d.does
	}
	return ""
}

// hasAll tells that every one of the words, or one that begins so (cipher /w:C), is there.
func hasAll(texts, words []string) bool {
	for _, w := range words {
		if !slices.ContainsFunc(texts, func(t string) bool { return t == w || strings.HasPrefix(t, w+":") }) {
			return false
		}
	}
	return true
}

// wholeHive tells that reg is given a hive, or one of its few great keys.
func wholeHive(w token) bool {
	text := strings.ToLower(strings.Trim(w.text, `\`))
	hive, _, _ := strings.Cut(text, `\`)
	known := slices.Contains(strings.Fields("hklm hkcu hkcr hku hkey_local_machine hkey_current_user hkey_classes_root "+
		"hkey_users"), hive)
	return known && strings.Count(text, `\`) < 2
}

// recursive are the parameters, and what they may be cut to, that have a command go through a tree.
func recursive(texts []string) bool {
	return slices.ContainsFunc(texts, func(t string) bool {
		t, _, _ = strings.Cut(t, ":")
		shortened := len(t) > 1 && strings.HasPrefix("-recurse", t)
		return shortened || t == "/s" || t == "-rf" || t == "-fr"
	})
}

// disasterTree finds changes of a whole system, a home, or what holds the workspace.
func (z *analyzer) disasterTree(name string, rest []token, texts []string) string {
	if name == "move-item" && len(rest) > 1 { // where it goes to loses nothing
		rest = rest[:len(rest)-1]
	}
	for _, w := range rest {
		if strings.HasPrefix(w.text, "-") && !w.quoted {
			_, given, _ := strings.Cut(w.text, ":")
			w.text = given
		}
		if w.text == "" || !z.places.vast(w) {
			continue
		}
		all := w.glob || recursive(texts) || name != "remove-item"
		if all {
			return name + " of " + w.text + " destroys more than a workspace"
		}
	}
	return ""
}

// runs looks into what a command is given to run: only for what is never allowed, since all of it is asked about.
func (z *analyzer) runs(name string, rest []token) string {
	for i, w := range rest {
		text := strings.ToLower(w.text)
		coded := name != "cmd" && len(text) > 1 && (strings.HasPrefix("-encodedcommand", text) || text == "-ec")
		switch {
		case coded && i+1 < len(rest):
			if script, ok := decoded(rest[i+1].text); ok {
				z.nested(script)
			}
			return ""
		case name == "start-process" && !strings.HasPrefix(text, "-"):
			z.nested(joined(rest[i:]))
			return ""
		case strings.HasPrefix(text, "-") || strings.HasPrefix(text, "/"):
			continue
		}
		z.nested(joined(rest[i:]))
		return ""
	}
	return ""
}

// joined are words as the text that a shell is given.
func joined(words []token) string {
	var out []string
	for _, w := range words {
		if !strings.HasPrefix(w.text, "-") || len(out) > 0 {
			out = append(out, w.text)
		}
	}
	return strings.Join(out, " ")
}
