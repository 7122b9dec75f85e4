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

// foreignCode is what a command runs in another language: the command lines, and the calls that remove a tree, in the
// words of an interpreter, of an editor, or of a program with an option that is a command line.
func foreignCode(p string, a args, hidden prefixes) []inner {
	var find func(w word) []inner
	switch {
	case foreign(p):
		find = func(w word) []inner { return codeOf(p, w.text, w.pos) }
	case hidden.prefix(a.texts) > 0:
		find = hiddenCode
	case slices.Contains(editorNames, p):
		find = editorCode
	default:
		return nil
	}
	var out []inner
	for _, w := range a.words[1:] {
		out = append(out, find(w)...)
	}
	return out
}

// quoted is a text that is given to a shell in some way.
func quoted(text string, pos syntax.Pos) inner { return inner{as: asQuoted, text: text, pos: pos} }

// hiddenCode is a word that may hold a command line: as it is, behind an = (exec=…), or behind a colon (EXEC:…).
func hiddenCode(w word) []inner {
	if !strings.ContainsAny(w.text, blanks) {
		return nil
	}
	_, value, _ := strings.Cut(strings.TrimPrefix(w.text, "exec="), "=")
	_, address, _ := strings.Cut(w.text, ":")
	return []inner{
		quoted(w.text, w.pos),
		quoted(strings.TrimPrefix(value, "exec="), w.pos),
		quoted(address, w.pos),
	}
}

// editorCode is what an editor's own command line runs: vim +'!rm -rf /'.
func editorCode(w word) []inner {
	var out []inner
	text := strings.TrimLeft(w.text, "+")
	for _, e := range editorEscapes {
		code, ok := strings.CutPrefix(text, e)
		if ok {
			out = append(out, quoted(code, w.pos))
		}
	}
	return out
}

// codeOf is what the text of a program in another language runs or removes.
func codeOf(p, code string, pos syntax.Pos) []inner {
	if len(code) < len(`rm("/")`) || len(code) > maxForeign {
		return nil
	}
	var out []inner
	for _, m := range runsText().FindAllStringIndex(code, maxQuoted) {
		behind := code[m[1]:]
		out = append(out, quoted(strings.Join(literals(behind), " "), pos))
	}
	for _, m := range removesTree().FindAllStringIndex(code, maxQuoted) {
		out = append(out, inner{as: asRemoval, text: code[m[1]:], pos: pos})
	}
	switch strings.TrimRight(p, versions) {
	case "perl", "ruby", "php":
		return append(out, groups(backticks(), code, pos)...)
	case "awk", "gawk", "mawk", "nawk":
		return append(out, groups(awkPipes(), code, pos)...)
	case "expect", "tclsh", "wish":
		return append(out, groups(tclRuns(), code, pos)...)
	}
	return out
}

// groups are what the groups of an expression find.
func groups(re *regexp.Regexp, code string, pos syntax.Pos) []inner {
	var out []inner
	for _, m := range re.FindAllStringSubmatch(code, maxQuoted) {
		for _, text := range m[1:] {
			out = append(out, quoted(text, pos))
		}
	}
	return out
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
func (d disasters) removal(s string) string {
	s, _, _ = strings.Cut(s[:min(len(s), reach)], ";")
	if homeOf().MatchString(s) {
		code := quotedText().ReplaceAllString(s, "")
		if !strings.ContainsAny(code, "+/") { // else it goes on from there
			return "removes the home directory"
		}
	}
	m := quotedText().FindStringSubmatchIndex(s)
	if m == nil {
		return ""
	}
	text := literal(s, m)
	w := word{text: text, lead: text, known: true, home: strings.HasPrefix(text, "~")}
	if !d.at.vast(w) {
		return ""
	}
	return "removes " + text + ", which is more than a workspace"
}
