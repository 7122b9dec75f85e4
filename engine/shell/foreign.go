package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Programs in other languages are not understood. What a person would see at a glance is: a call that runs a command
// line, or removes a tree, with the text for it in quotes.

const (
	// maxForeign bounds the text that is searched.
	maxForeign = MaxLength
	// maxQuoted bounds the command lines in one text that are judged.
	maxQuoted = 32
	// reach is how far behind a call its text may be.
	reach = 120
)

var (
	// foreignNames are interpreters, without their versions.
	foreignNames = strings.Fields("python pypy perl ruby irb node nodejs deno bun php lua luajit tclsh wish expect " +
		"osascript awk gawk mawk nawk groovy julia Rscript")
	// editorNames are programs with a command line of their own, from which another can be run.
	editorNames = strings.Fields("vim vi nvim view ex gdb lldb sqlite sqlite3 psql mysql less ftp")
	// editorEscapes are how these run a command line.
	editorEscapes = []string{"!", ":!", "shell ", ".shell ", ".system ", `\! `, "sh "}
)

var (
	// runsText finds calls that run a command line.
	runsText = lazily(`(?i)\b(?:system|popen\d?|exec\w*|spawn\w*|run|call|check_call|check_output|getoutput|` +
		`getstatusoutput|shell_exec|passthru|capture[23]e?|execute|command|do shell script)[\s(]`)
	// removesTree finds calls that remove a directory with all that is in it.
	removesTree = lazily(`\b(?:rmtree|rm_rf|rm_r|remove_tree|rmSync|rmdirSync|removeSync|rimraf|rimrafSync|` +
		`emptyDirSync|rmdir_all|remove_dir_all|RemoveAll|deleteDir|unlink_recursive|rm)\s*\(?`)
	// backticks, awkPipes and tclRuns are command lines that are no call.
	backticks = lazily("`([^`]*)`|(?:%x|qx)[({]([^)}]*)[)}]")
	awkPipes  = lazily(`"([^"]*)"\s*\||\|\s*"([^"]*)"`)
	tclRuns   = lazily(`\b(?:spawn|exec)\s+([^\n"';]+)`)
	// quotedText is a text in any of the quotes.
	quotedText = lazily(`"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\x60([^\x60]*)\x60`)
	// homeOf is how these languages name the home directory.
	homeOf = lazily(`^[^;\n]*?(?:homedir\(|Path\.home|environ\S*HOME|ENV\S*HOME|env\.HOME|getenv\S*HOME)`)
)

// versions are the characters of a program's version: python3.12.
const versions = "0123456789."

// foreign reports an interpreter of another language, whatever its version.
func foreign(p string) bool {
	return slices.Contains(foreignNames, strings.TrimRight(p, versions))
}

// foreignCode judges the words of an interpreter's command line.
func (z *analyzer) foreignCode(p string, a args) {
	var judge func(w word)
	switch {
	case foreign(p):
		judge = func(w word) { z.program(p, w.text, w.pos) }
	case z.t.hidden.prefix(a.texts) > 0:
		judge = z.hiddenCode
	case slices.Contains(editorNames, p):
		judge = z.editorCode
	default:
		return
	}
	for _, w := range a.words[1:] {
		judge(w)
	}
}

// hiddenCode judges a word that may hold a command line: as it is, behind an = (exec=…), or behind a colon (EXEC:…).
func (z *analyzer) hiddenCode(w word) {
	if !strings.ContainsAny(w.text, blanks) {
		return
	}
	_, value, _ := strings.Cut(strings.TrimPrefix(w.text, "exec="), "=")
	_, address, _ := strings.Cut(w.text, ":")
	z.quoted(w.text, w.pos)
	z.quoted(strings.TrimPrefix(value, "exec="), w.pos)
	z.quoted(address, w.pos)
}

// editorCode judges what an editor's own command line runs: vim +'!rm -rf /'.
func (z *analyzer) editorCode(w word) {
	text := strings.TrimLeft(w.text, "+")
	for _, e := range editorEscapes {
		code, ok := strings.CutPrefix(text, e)
		if ok {
			z.quoted(code, w.pos)
		}
	}
}

// program judges the text of a program in another language.
func (z *analyzer) program(p, code string, pos syntax.Pos) {
	if len(code) < len(`rm("/")`) || len(code) > maxForeign {
		return
	}
	for _, m := range runsText().FindAllStringIndex(code, maxQuoted) {
		behind := code[m[1]:]
		z.quoted(strings.Join(literals(behind), " "), pos)
	}
	for _, m := range removesTree().FindAllStringIndex(code, maxQuoted) {
		z.removal(code[m[1]:], pos)
	}
	switch strings.TrimRight(p, versions) {
	case "perl", "ruby", "php":
		z.groups(backticks(), code, pos)
	case "awk", "gawk", "mawk", "nawk":
		z.groups(awkPipes(), code, pos)
	case "expect", "tclsh", "wish":
		z.groups(tclRuns(), code, pos)
	}
}

// groups judges what the groups of an expression find.
func (z *analyzer) groups(re *regexp.Regexp, code string, pos syntax.Pos) {
	for _, m := range re.FindAllStringSubmatch(code, maxQuoted) {
		for _, text := range m[1:] {
			z.quoted(text, pos)
		}
	}
}

// literals are the quoted texts at the start of a call's arguments: ("rm", "-rf", "/") and qw(rm -rf /).
func literals(s string) []string {
	s = s[:min(len(s), reach)]
	begin, rest, ok := strings.Cut(s, "qw")
	if ok && len(rest) > 1 && len(begin) < 4 {
		words := rest[1:]
		end := strings.IndexAny(words, ")]}")
		return []string{words[:max(end, 0)]}
	}
	var out []string
	for {
		s = strings.TrimLeft(s, " \t([,")
		m := quotedText().FindStringSubmatchIndex(s)
		if m == nil || m[0] != 0 {
			return out
		}
		out = append(out, literal(s, m))
		s = s[m[1]:]
	}
}

// literal is what is in the quotes, whichever they are.
func literal(s string, m []int) string {
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 {
			return s[m[g]:m[g+1]]
		}
	}
	return ""
}

// removal judges the path behind a call that removes a tree.
func (z *analyzer) removal(s string, pos syntax.Pos) {
	s, _, _ = strings.Cut(s[:min(len(s), reach)], ";")
	if homeOf().MatchString(s) {
		code := quotedText().ReplaceAllString(s, "")
		if !strings.ContainsAny(code, "+/") { // else it goes on from there
			z.catastrophe(pos, "removes the home directory")
			return
		}
	}
	m := quotedText().FindStringSubmatchIndex(s)
	if m == nil {
		return
	}
	text := literal(s, m)
	w := word{text: text, lead: text, known: true, home: strings.HasPrefix(text, "~")}
	if z.at.vast(w) {
		z.catastrophe(pos, "removes %s, which is more than a workspace", text)
	}
}

// quoted refuses text that is given to a shell in some way, where that alone would be refused. Nothing else is made of
// it: that it is given at all is seldom certain.
func (z *analyzer) quoted(text string, pos syntax.Pos) {
	if strings.TrimSpace(text) == "" || z.depth >= maxScripts || z.budget <= 0 {
		return
	}
	z.budget--
	inner := newAnalyzer(z.o)
	inner.until = z.until
	inner.depth = z.depth + 1
	inner.budget = 0
	inner.at.dirs = z.at.dirs
	inner.outer = &pos
	inner.script(text)
	if inner.a.Verdict == Catastrophic {
		z.catastrophe(pos, "%s", inner.a.Reason)
	}
}

// hooks are variables whose value programs give to a shell.
var hooks = lazily(`PAGER|EDITOR|VISUAL|COMMAND|_SSH|ASKPASS|EXTERNAL_DIFF|LESSOPEN|BROWSER|^PS[0-4]$|^ENV$`)

// hook judges the value of such a variable.
func (z *analyzer) hook(name string, w word) {
	if hooks().MatchString(name) {
		z.quoted(w.text, w.pos)
	}
}

// runner finds programs that run what comes behind them in their own words: poetry run, ip netns exec. Where it begins
// is not known: every word may be the first.
func (z *analyzer) runner(a args) string {
	n := z.t.runners.prefix(a.texts)
	if n == 0 || a.wraps >= maxWraps {
		return ""
	}
	for i := n; i < min(len(a.words), n+maxWraps); i++ {
		text := a.texts[i]
		switch {
		case option(text):
			continue
		case strings.ContainsAny(text, separators):
			z.quoted(text, a.words[i].pos)
			continue
		}
		inner := a.from(i)
		inner.wraps = maxWraps
		why := z.disaster(inner)
		if why != "" {
			return why
		}
	}
	return ""
}

// prefixes are programs with their subcommands, joined by spaces.
type prefixes map[string]bool

// maxPrefix is how many words are looked at for a prefix: the longest has three, and there may be options between.
const maxPrefix = 8

// prefix returns how many of the words are one of the prefixes, options between them left out.
func (p prefixes) prefix(words []string) int {
	key := ""
	for i, w := range words[:min(len(words), maxPrefix)] {
		if i > 0 && option(w) {
			continue
		}
		key = strings.TrimPrefix(key+" "+w, " ")
		if p[key] {
			return i + 1
		}
	}
	return 0
}
