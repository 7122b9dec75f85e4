package powershell

import (
	"path"
	"slices"
	"strings"

	"helve/engine/shell"
	"helve/internal/secrets"
)

// places are the folders of an analysis, with slashes; in lower case where the system does not tell it apart.
type places struct {
	dir       string // "": not known
	roots     []string
	home      string // "": not known
	protected []string
	secret    func(path string) bool
	drives    bool // paths begin with drives
}

func newPlaces(o shell.Options) places {
	p := places{drives: len(o.Dir) > 1 && o.Dir[1] == ':'}
	p.dir = p.clean(o.Dir)
	for _, r := range o.Roots {
		p.roots = append(p.roots, p.clean(r))
	}
	if len(o.Roots) == 0 && p.dir != "" {
		p.roots = []string{p.dir}
	}
	p.home = p.clean(o.Home)
	p.secret = o.Secret
	if p.secret == nil {
		var usual *secrets.List
		p.secret = usual.Has
	}
	p.protected = o.Protected
	if o.Protected == nil {
		p.protected = []string{".helve"}
	}
	return p
}

// clean is an absolute path in the form in which paths are compared; "" stays.
func (p *places) clean(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(s, `\`, "/")
	if p.drives {
		s = strings.ToLower(s)
	}
	return path.Clean(s)
}

// homeMark stands for the home folder in texts whose place is known, and drive for that of the system.
const (
	homeMark = "~"
	drive    = "C:"
)

// variables are those whose text is known. None of them makes a word read-only: they say what would be destroyed.
func (p *places) variables() map[string]string {
	return map[string]string{
		"home":                  homeMark,
		"env:userprofile":       homeMark,
		"env:home":              homeMark,
		"env:homepath":          homeMark,
		"env:systemdrive":       drive,
		"env:homedrive":         drive,
		"env:systemroot":        drive + `\Windows`,
		"env:windir":            drive + `\Windows`,
		"env:programfiles":      drive + `\Program Files`,
		"env:programfiles(x86)": drive + `\Program Files (x86)`,
		"env:programdata":       drive + `\ProgramData`,
		"env:public":            drive + `\Users\Public`,
		"pwd":                   ".",
	}
}

// resolve is the place that a word names, "" where the text does not tell: a provider, another computer, a path that
// depends on a drive's own folder.
func (p *places) resolve(text string) string {
	s := strings.ReplaceAll(text, `\`, "/")
	if p.drives {
		s = strings.ToLower(s)
	}
	s = strings.TrimPrefix(s, "//?/")
	s = strings.TrimPrefix(s, "//./")
	switch {
	case s == "" || strings.HasPrefix(s, "//"):
		return ""
	case s == homeMark || strings.HasPrefix(s, "~/"):
		return below(p.home, s[1:])
	case strings.Contains(s, ":"):
		return p.onDrive(s)
	case s[0] == '/' && p.drives: // on the drive of the folder
		return path.Clean(p.dir[:2] + s)
	case s[0] == '/':
		return path.Clean(s)
	}
	return below(p.dir, s)
}

// below is what lies below a folder, "" if that is not known.
func below(dir, s string) string {
	if dir == "" {
		return ""
	}
	return path.Join(dir, s)
}

// onDrive is the place of a path that begins with a drive; "" for one with a colon elsewhere, and for what is relative
// to a drive's own folder.
func (p *places) onDrive(s string) string {
	ordinary := p.drives && len(s) > 2 && s[1] == ':' && s[2] == '/' && !strings.Contains(s[2:], ":")
	if !ordinary {
		return ""
	}
	return path.Clean(s)
}

// inRoots tells that a place lies in the workspace.
func (p *places) inRoots(place string) bool {
	return slices.ContainsFunc(p.roots, func(r string) bool { return under(place, r) })
}

// under tells that a cleaned path is a folder or lies below it.
func under(place, dir string) bool {
	return place == dir || strings.HasPrefix(place, strings.TrimSuffix(dir, "/")+"/")
}

// target is how an effect names a word, whose place is known: relative inside the folder of the command, else absolute.
// Letters stay as they were typed, since rules are written by people.
func (p *places) target(text, place string) string {
	typed := strings.ReplaceAll(text, `\`, "/")
	switch {
	case place == p.dir:
		return "."
	case p.dir == "" || !under(place, p.dir):
		return place
	}
	rel := strings.TrimPrefix(place[len(p.dir):], "/")
	typed = path.Clean(typed)
	if strings.HasSuffix(strings.ToLower(typed), strings.ToLower(rel)) && len(typed) >= len(rel) {
		return typed[len(typed)-len(rel):]
	}
	return rel
}

// unreadable is why the file or folder that a word names must not be read unasked, or "".
func (z *analyzer) unreadable(t token) string {
	if !t.static {
		z.effect(shell.Read, "*")
		return "a path is computed at run time"
	}
	place := z.places.resolve(t.text)
	if place == "" {
		return t.text + " is no plain path"
	}
	z.effect(shell.Read, z.places.target(t.text, place))
	if !z.places.inRoots(place) {
		return t.text + " is outside the workspace"
	}
	// Names that end in dots and spaces are the same without them on Windows.
	text := strings.TrimRight(strings.ReplaceAll(t.text, `\`, "/"), ". ")
	for part := range strings.SplitSeq(text, "/") {
		if t.glob && strings.HasPrefix(part, ".") && strings.ContainsAny(part, "*?[") {
			return t.text + " may match files that hold secrets"
		}
	}
	if z.places.secret(text) {
		return t.text + " may hold secrets"
	}
	return ""
}

func (z *analyzer) effect(kind shell.EffectKind, target string) {
	z.a.Effects = append(z.a.Effects, shell.Effect{Kind: kind, Target: target})
}

// systemTop are the folders of Windows that hold a system or everybody's homes; of other systems package shell has
// them.
var systemTop = strings.Split("/|/windows|/windows/system32|/windows/syswow64|/users|/users/public|/program files|"+
	"/program files (x86)|/programdata|/recovery|/boot|/efi|/home|/etc|/usr|/var|/bin|/sbin|/lib|/root|/opt|/system|"+
	"/library|/applications|/volumes", "|")

// vast tells that a word names a place whose recursive change destroys a system, a home, or more than the workspace.
func (p *places) vast(t token) bool {
	if !t.known {
		return false
	}
	text := strings.ToLower(strings.ReplaceAll(t.text, `\`, "/"))
	text = strings.TrimPrefix(text, "microsoft.powershell.core/")
	text = strings.TrimPrefix(text, "filesystem::")
	if isRegistry(text) {
		_, key, _ := strings.Cut(text, ":")
		return strings.Count(strings.Trim(key, ":/*"), "/") < 2
	}
	if t.glob {
		text = folderOf(text)
	}
	if len(text) == 2 && text[1] == ':' || text == homeMark {
		return true
	}
	place := p.resolve(text)
	if place == "" {
		return false
	}
	return ofSystem(place) || p.home != "" && under(p.home, place) || p.holdsRoot(place, t)
}

// ofSystem tells that a place is a drive, or a folder that holds a system or everybody's homes.
func ofSystem(place string) bool {
	if len(place) > 1 && place[1] == ':' {
		place = place[2:]
	}
	return place == "" || slices.Contains(systemTop, strings.ToLower(place))
}

// folderOf is the folder that a pattern such as C:\Windows\*.* empties; of *.bak it is the pattern itself.
func folderOf(text string) string {
	for {
		dir, last := path.Split(strings.TrimSuffix(text, "/"))
		if last == "" || strings.Trim(last, "*.?") != "" || strings.Trim(last, ".") == "" {
			return text
		}
		switch dir {
		case "":
			return "."
		case "/":
			return dir
		}
		text = strings.TrimSuffix(dir, "/")
	}
}

// holdsRoot tells that a place has a folder of the workspace in it. What stands where the command runs is asked about,
// and so is all that is in a folder of the workspace.
func (p *places) holdsRoot(place string, t token) bool {
	for _, r := range p.roots {
		own := r == place && (t.glob || relative(t.text))
		if under(r, place) && !own {
			return true
		}
	}
	return false
}

// relative tells that a word names where the command stands, and does not climb.
func relative(text string) bool {
	return strings.Trim(text, `./\*`) == "" && !strings.Contains(text, "..")
}

// isRegistry tells that a path in lower case lies in the registry's hives of the machine or of the person.
func isRegistry(text string) bool {
	for _, hive := range []string{"hklm:", "hkcu:", "hkcr:", "hku:", "registry::"} {
		if strings.HasPrefix(text, hive) {
			return true
		}
	}
	return false
}

// protectedPath tells that a word names what decides about an agent's rights.
func (p *places) protectedPath(t token) bool {
	text := strings.ToLower(strings.ReplaceAll(t.text, `\`, "/"))
	for _, name := range p.protected {
		name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
		if text == name || strings.HasPrefix(text, name+"/") {
			return true
		}
		if strings.Contains(text+"/", "/"+strings.TrimPrefix(name, "/")+"/") {
			return true
		}
	}
	return false
}
