package check

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/later"
)

// settingsText has files, wherever they lie, and after each the keys whose values are paths or commands. "*" is every
// word with a slash or a dot, "*End" a key that ends so. What is named counts as it does for git; the file itself by
// package later, or where a value of these keys is new.
//
// "same FILE ...": these have the keys of the line above. "start FILE ...": every word that is a path counts, of a folder
// where the line sets a list of folders of programs. "means FILE WORDS NAME ...": where a line of the file begins with
// these words (joined by "+"), the names are meant.
//
//go:embed settings.txt
var settingsText string

// A settingsFile is a file by which some program runs or loads what it names.
type settingsFile struct {
	path  string         // its end, folded
	all   bool           // every word that looks like a path counts
	start bool           // a program starts with it: see starts
	keys  *regexp.Regexp // before a value that counts; nil: none
	means []meaning
}

// A meaning is what a line means that begins with some words.
type meaning struct {
	words []string
	names []string
}

// settingsFiles are those of settings.txt, by the last part of their path.
var settingsFiles = sync.OnceValue(func() map[string][]settingsFile {
	out := map[string][]settingsFile{}
	var last settingsFile // with the keys of the line above
	for line := range strings.Lines(settingsText) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		if words[0] == "means" { // of the file that stands above
			list := out[words[1]]
			list[0].means = append(list[0].means, meaning{strings.Split(words[2], "+"), words[3:]})
			continue
		}
		if words[0] == "start" {
			for _, at := range words[1:] {
				out[path.Base(at)] = append(out[path.Base(at)], settingsFile{path: at, start: true})
			}
			continue
		}
		files := words[:1]
		if words[0] == "same" {
			files = words[1:]
		} else {
			last = keysOf(words[1:])
		}
		for _, at := range files {
			one := last
			one.path = fsroot.Fold(at)
			name := path.Base(one.path)
			out[name] = append(out[name], one)
		}
	}
	return out
})

// keysOf is a settings file with these keys.
func keysOf(words []string) (f settingsFile) {
	var keys []string
	for _, key := range words {
		end, any := strings.CutPrefix(key, "*")
		switch {
		case any && end == "":
			f.all = true
		case any:
			keys = append(keys, `[\w.-]*`+regexp.QuoteMeta(end))
		default:
			keys = append(keys, regexp.QuoteMeta(key))
		}
	}
	if len(keys) > 0 {
		f.keys = regexp.MustCompile(`(?i)(?:^|[\s"'{,.\[])(` + strings.Join(keys, "|") + `)["']?(?:\s*[:=(]|\s|$)`)
	}
	return f
}

// settingsAt is the settings file that a path is, if it is one.
func settingsAt(at string) (settingsFile, bool) {
	list := settingsFiles()[fsroot.Fold(path.Base(at))]
	if list == nil {
		return settingsFile{}, false
	}
	folded := "/" + fsroot.Fold(at)
	i := slices.IndexFunc(list, func(f settingsFile) bool { return strings.HasSuffix(folded, "/"+f.path) })
	if i < 0 {
		return settingsFile{}, false
	}
	return list[i], true
}

// strange are the means by which a text says something else than its letters: escapes, a word over two lines, anchors
// and tags of YAML.
var strange = regexp.MustCompile(`\\(?:[uUx]|\r?\n)|(^|[\s:\[,-])[&*!]\w|<<\s*:|\x00`)

// values are the values that count in a text, each with its key. All of a text counts that may mean something else than
// it seems to.
func (f settingsFile) values(text string) []string {
	if f.keys == nil {
		return nil
	}
	if strange.MatchString(text) || !utf8.ValidString(text) {
		return []string{text}
	}
	var out []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if isComment(strings.TrimSpace(line)) {
			continue
		}
		for _, m := range f.keys.FindAllStringSubmatchIndex(line, -1) {
			value := line[m[3]:]
			for _, next := range lines[i+1:] { // what is indented below belongs to it
				if strings.TrimSpace(next) == "" || indent(next) <= indent(line) && !closes(next) {
					break
				}
				value += "\n" + next
			}
			out = append(out, line[m[2]:m[3]]+" "+strings.TrimLeft(value, `"'=: `+"\t"))
		}
	}
	return out
}

// isComment tells of a line that says nothing in any form of settings. One with a quote, or with the end of a comment,
// may be the end of what began on a line above it, and "//" begins a name in YAML.
func isComment(line string) bool {
	return !strings.ContainsAny(line, "\"'") && !strings.Contains(line, "*/") &&
		(strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") && !strings.Contains(line, ":"))
}

// meant are the files that a line means without naming them.
func (f settingsFile) meant(line string) []string {
	words := strings.Fields(line)
	var out []string
	for _, m := range f.means {
		if len(words) >= len(m.words) && slices.Equal(words[:len(m.words)], m.words) {
			out = append(out, m.names...)
		}
	}
	return out
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// closes reports a line that goes on with the list of the line above it.
func closes(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " \t"), "- ")
}

// settings guards what a file of settings names.
func (s *survey) settings(at string) {
	f, known := settingsAt(at)
	if !known || s.loaded[at] {
		return
	}
	s.loaded[at] = true
	why := fmt.Sprintf("another program would run or load it: %s names it", path.Base(at))
	end := s.end(at)
	if end != at { // the file lies behind a link
		s.follow(at, false, why)
	}
	text, _ := s.text(end)
	bases := s.basesOf(at)
	if f.start {
		s.starts(path.Dir(at), string(text), why)
	}
	if f.all {
		s.mentioned(bases, string(text), why)
	}
	for line := range strings.Lines(string(text)) {
		for _, name := range f.meant(line) {
			s.named(bases, name, true, why)
		}
	}
	for _, value := range f.values(string(text)) {
		key, rest, _ := strings.Cut(value, " ")
		for n, line := range strings.Split(rest, "\n") {
			if n > 0 && strings.Contains(line, ":") { // another key
				s.mentioned(bases, line, why+" by "+key)
				continue
			}
			s.named(bases, strings.Trim(line, "\"',;-[] \t\r"), true, why+" by "+key)
			s.line(bases, ": "+strings.NewReplacer("[", " ", "]", " ").Replace(line), why+" by "+key)
		}
	}
}

// basesOf are the folders at which the paths of a settings file may begin.
func (s *survey) basesOf(at string) []string {
	dir := path.Dir(at)
	bases := []string{dir}
	if strings.HasPrefix(path.Base(dir), ".") {
		bases = append(bases, path.Dir(dir))
	}
	return append(bases, s.files.real...)
}

// mentioned guards every word of a text that looks like a path.
func (s *survey) mentioned(bases []string, text, why string) {
	for line := range strings.Lines(text) {
		words, ok := pathWords(": " + line)
		if !ok {
			s.out.all = tooMuch
			return
		}
		for _, w := range words {
			if strings.ContainsAny(w.text, "/.") {
				s.word(bases, w, why)
			}
		}
	}
}

// starts guards what the lines of a file name with which a program starts, wherever that is: paths from its own folder,
// and from nowhere else. A folder counts where the line sets a list of folders, as PATH: an alias that goes to one runs
// nothing in it.
func (s *survey) starts(dir, text, why string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		words, ok := pathWords(": " + line)
		if !ok {
			s.out.all = tooMuch
			return
		}
		lists := strings.Contains(strings.ToLower(line), "path")
		for _, w := range words {
			at := from(dir, s.interpolated(w.text))
			if !strings.ContainsAny(w.text, "/.") || strings.Trim(w.text, "./~") == "" {
				continue
			}
			if s.files.look(s.end(at)).Type != change.Dir || lists {
				s.start(at, why)
			}
		}
	}
}

// around looks for settings in the folders above a root, and in the person's home.
func (s *survey) around(dir string) {
	names := settingsFiles()
	folders := []string{s.env("HOME")}
	for at := dir; at != path.Dir(at); at = path.Dir(at) {
		folders = append(folders, at)
	}
	for _, folder := range folders {
		if !path.IsAbs(folder) {
			continue
		}
		for _, name := range s.files.list(folder) {
			s.inFolder(folder+"/"+name, names)
		}
	}
}

// inDir looks for settings in a folder of the workspace.
func (s *survey) inDir(dir string) {
	if later.InDependencies(dir) {
		return
	}
	for _, name := range s.files.list(dir) {
		s.inFolder(dir+"/"+name, settingsFiles())
	}
}

// inFolder looks at one entry of a folder, and into it if settings lie in folders of its name.
func (s *survey) inFolder(at string, names map[string][]settingsFile) {
	name := fsroot.Fold(path.Base(at))
	if importing(name) {
		s.imports(at, 0)
	}
	if names[name] != nil {
		s.settings(at)
		return
	}
	if !strings.HasPrefix(path.Base(at), ".") || s.files.look(at).Type != change.Dir {
		return
	}
	for _, list := range names {
		for _, f := range list {
			first, rest, deep := strings.Cut(f.path, "/")
			if deep && first == fsroot.Fold(path.Base(at)) && s.files.look(at+"/"+rest).Type != change.None {
				s.settings(at + "/" + rest)
			}
		}
	}
}

// judgeSettings tells why a file of settings may not become what it is to become: a value is new by which a program
// would run or load something. Those that package later names are held back whatever they hold.
func (c *checker) judgeSettings(p place) string {
	f, known := settingsAt(string(p.Path))
	if !known || f.keys == nil || later.InDependencies(string(p.Path)) {
		return ""
	}
	text, err := c.read(p, maxText)
	if err != nil {
		return "it has another program run what it names: " + err.Error()
	}
	had := f.values(string(c.readBefore(p, maxText)))
	for _, value := range f.values(string(text)) {
		if !slices.Contains(had, value) {
			return fmt.Sprintf("it has another program run or load what it names: %q", shown(value))
		}
	}
	return ""
}
