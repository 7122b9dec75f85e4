// Package rewritten knows the form of a command line that runs another one by helve exec: what a client's hook puts in
// the place of a line, and how the line is found again in it.
//
// The form is the same for every line, so that an eye finds the line in it:
//
//	helve exec --client codex -c 'LINE'
//
// A client that goes on in the folder in which a line ended looks for that in the shell which ran it. For a line that
// may leave its folder, helve exec tells the shell around it by a descriptor of its own:
//
//	{ d=$(helve exec --client claude-code --cwd-fd 9 -c 'LINE' 9>&1 >&8); } 8>&1 && builtin cd -- "$d"
package rewritten

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// FolderFD is the descriptor to which helve exec says in which folder a line ended.
const FolderFD = 9

// MaxLength bounds a rewritten line: Linux takes 128 KiB as one argument of a program, and the client's own words stand
// around it.
const MaxLength = 100 << 10

// maxParsed bounds the text in which a line is looked for: parsing hostile input is quadratic.
const maxParsed = 32 << 10

const (
	moveBefore = "{ d=$("
	moveBehind = ` 9>&1 >&8); } 8>&1 && builtin cd -- "$d"`
)

// A Command is a line that is to run by helve exec.
type Command struct {
	Line       string
	Client     string // the name of helve init
	Exe        string // helve's own, a path or a name on PATH
	Background bool   // it goes on beside the agent's work: nothing of it is held back
	// Follow says that the client goes on in the folder in which the line ended, when it succeeded.
	Follow bool
}

// Text is the rewritten line. "" means that it cannot be rewritten: it would be too long, or is no text.
func (c Command) Text() string {
	if strings.ContainsRune(c.Line, 0) || !utf8.ValidString(c.Line) {
		return ""
	}
	words := []string{quoteSparingly(c.Exe), "exec", "--client", quoteSparingly(c.Client)}
	if c.Background {
		words = append(words, "--background")
	}
	follows := c.Follow && Moves(c.Line)
	if follows {
		words = append(words, "--cwd-fd", strconv.Itoa(FolderFD))
	}
	text := strings.Join(append(words, "-c", Quote(c.Line)), " ")
	if follows {
		text = moveBefore + text + moveBehind
	}
	if len(text) > MaxLength {
		return ""
	}
	return text
}

// Line is the form in which a client runs a line. "" means that it cannot be rewritten.
func Line(client, exe, line string) string {
	return Command{Line: line, Client: client, Exe: exe, Follow: Follows(client)}.Text()
}

// Follows says of a client that it goes on in the folder in which a line ended.
func Follows(client string) bool { return client == "claude-code" }

// Quote is a text as one word of a shell, always in single quotes: the line begins at the same place whatever it is.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// quoteSparingly leaves a word as it is that needs no quotes.
func quoteSparingly(s string) string {
	other := func(r rune) bool {
		return !strings.ContainsRune("/._-+@%", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if s == "" || strings.IndexFunc(s, other) >= 0 {
		return Quote(s)
	}
	return s
}

// movers are the commands of a shell that change its folder, or run text that may.
var movers = map[string]bool{
	"cd": true, "pushd": true, "popd": true, "chdir": true,
	"eval": true, "source": true, ".": true, "builtin": true, "command": true, "trap": true,
}

// Moves says of a line that the shell which runs it may end in another folder. A line that is no valid bash does not.
func Moves(line string) bool {
	f := parse(line)
	if f == nil {
		return len(line) > maxParsed
	}
	moves := false
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst: // what they do to their folder ends with them
			return false
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name, static := word(n.Args[0])
				moves = moves || !static || movers[name]
			}
		}
		return !moves
	})
	return moves
}

func parse(line string) *syntax.File {
	if len(line) > maxParsed {
		return nil
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	return f
}

// Inner is the line that a text runs by helve exec, if it does that and nothing else: what a hook wrote, or what
// somebody typed. The text is then judged as that line.
func Inner(text string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, moveBefore); ok {
		rest, ok = strings.CutSuffix(rest, moveBehind)
		if !ok {
			return "", false
		}
		text = rest
	}
	if strings.ContainsRune(text, '\r') { // the parser drops those at the ends of lines, and bash does not
		return "", false
	}
	words, ok := simple(text)
	if !ok || len(words) < 3 || !isHelve(words[0]) || words[1] != "exec" {
		return "", false
	}
	return Of(words[2:])
}

// isHelve says of a program's name that it is helve's.
func isHelve(name string) bool {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".exe") == "helve"
}

// Of is the line that the words behind helve exec run.
func Of(words []string) (string, bool) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			return joined(words[i+1:])
		case w == "-c":
			return only(words[i+1:])
		case strings.HasPrefix(w, "-c="), strings.HasPrefix(w, "-c") && !strings.HasPrefix(w, "--"):
			return "", false // nobody writes it so, and it is not worth a guess
		case w == "--client", w == "--cwd-fd":
			i++
		case w == "--json", w == "--background", strings.HasPrefix(w, "--client="), strings.HasPrefix(w, "--cwd-fd="):
		case strings.HasPrefix(w, "-"): // another workspace, other settings
			return "", false
		default:
			return joined(words[i:])
		}
	}
	return "", false
}

// only is the one word of a list.
func only(words []string) (string, bool) {
	if len(words) != 1 {
		return "", false
	}
	return words[0], true
}

// joined are words as the line that runs them.
func joined(words []string) (string, bool) {
	return Join(words), len(words) > 0
}

// Join are the words of a command as a line that bash reads as these words.
func Join(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoteSparingly(w)
	}
	return strings.Join(out, " ")
}

// simple are the words of a text that is one simple command, all of them known and nothing beside it.
func simple(text string) ([]string, bool) {
	f := parse(text)
	if f == nil || len(f.Stmts) != 1 || len(f.Last) > 0 {
		return nil, false
	}
	s := f.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || s.Coprocess || len(s.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil, false
	}
	var out []string
	for _, a := range call.Args {
		w, ok := word(a)
		if !ok {
			return nil, false
		}
		out = append(out, w)
	}
	return out, true
}

// word is the text of a word that says itself what it is.
func word(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text, ok := literal(p.Value)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar || !inDouble(&b, p.Parts) {
				return "", false
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// literal is a text without quotes: a backslash takes the next character as it is. What bash would expand is not known.
func literal(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			if i++; s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case strings.IndexByte("*?[{~", c) >= 0:
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// inDouble writes what stands in double quotes, if all of it is text.
func inDouble(b *strings.Builder, parts []syntax.WordPart) bool {
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			return false
		}
		s := lit.Value
		for i := 0; i < len(s); i++ {
			if s[i] != '\\' || i+1 == len(s) || strings.IndexByte("$`\"\\\n", s[i+1]) < 0 {
				b.WriteByte(s[i])
				continue
			}
			if i++; s[i] != '\n' {
				b.WriteByte(s[i])
			}
		}
	}
	return true
}
