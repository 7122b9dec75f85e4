package shell

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed tried.txt
var triedText string

// trial is one line of tried.txt.
type trial struct {
	refused []string
	need    []string
	mode    string
}

// trials is tried.txt by the words that a command begins with, and asks by their first words those that have
// subcommands.
var trials = sync.OnceValue(func() map[string]trial {
	out := map[string]trial{}
	for _, line := range logicalLines(triedText) {
		name, rest, _ := strings.Cut(line, "|")
		var t trial
		for _, w := range strings.Fields(rest) {
			need, isNeed := strings.CutPrefix(w, "need=")
			mode, isMode := strings.CutPrefix(w, "mode=")
			switch {
			case isNeed:
				t.need = strings.Split(need, ",")
			case isMode:
				t.mode = mode
			default:
				t.refused = append(t.refused, w)
			}
		}
		out[strings.Join(strings.Fields(name), " ")] = t
	}
	return out
})

// tries reports a line that may be tried where nothing can be changed, sent or learned, because nothing in its words
// says that it wants to: every command is one that looks, and nothing but /dev/null is written.
func (z *analyzer) tries() bool {
	if z.a.Verdict != Ask || z.a.Err != nil || z.unclear || len(z.a.Commands) == 0 && !z.assigns {
		return false
	}
	for _, e := range z.a.Effects {
		// A host of "*" is only what the name of a program says, and that was judged.
		if e.Kind == Net && e.Target != "*" || e.Kind == Write && !strings.HasPrefix(e.Target, "/dev/") {
			return false
		}
		if e.Kind == Read && z.private(e.Target) {
			return false
		}
	}
	return !slices.ContainsFunc(z.a.Commands, func(c Command) bool {
		return c.Verdict != ReadOnly && !z.looks(c) || slices.ContainsFunc(c.Words, z.private)
	})
}

// private reports a word that names a file with secrets, or a place outside the workspace that cannot be read where the
// line is tried. What only looks like a path, as a pattern of sed does, is none.
func (z *analyzer) private(word string) bool {
	if _, value, ok := strings.Cut(word, "="); ok {
		word = value
	}
	if z.secret(word) {
		return true
	}
	switch {
	case word == "~" || strings.HasPrefix(word, "~/"):
		if z.o.Home == "" {
			return true
		}
		word = path.Join(z.o.Home, word[1:])
	case strings.HasPrefix(word, "~"), strings.HasPrefix(word, "$HOME"), strings.HasPrefix(word, "${HOME"):
		return true
	case strings.HasPrefix(word, "../"):
		p := path.Join(z.start, word)
		return !z.inRoots(p) && !z.maySee(p)
	case !strings.HasPrefix(word, "/"):
		return false
	}
	p := path.Clean(word)
	top, _, _ := strings.Cut(p[1:], "/")
	home := z.o.Home != "" && under(p, path.Clean(z.o.Home))
	if systemSecret(p) {
		return true
	}
	return (home || slices.Contains(personal, top)) && !z.inRoots(p) && !z.maySee(p)
}

// personal are the directories at the top of a system that hold what is somebody's, and not the system's.
var personal = strings.Fields("home root Users mnt media srv tmp var run boot Volumes")

// maySee reports a path that can be read where a line is tried, or that leads to such a place.
func (z *analyzer) maySee(p string) bool {
	return slices.ContainsFunc(z.o.Readable, func(dir string) bool { return under(p, dir) })
}

// systemSecret reports a file of the system that holds passwords or keys.
func systemSecret(p string) bool {
	for _, secret := range []string{"/etc/shadow", "/etc/gshadow", "/etc/sudoers"} {
		if strings.HasPrefix(p, secret) {
			return true
		}
	}
	return under(p, "/etc/ssl/private") || strings.HasPrefix(p, "/etc/ssh/ssh_host") && !strings.HasSuffix(p, ".pub")
}

// looks reports a command that only looks, by its words.
func (z *analyzer) looks(c Command) bool {
	if c.Program == "" || !namesSystemProgram(c.Words[0]) {
		return z.funcs[c.Words[0]] // its body was judged where it stands
	}
	words := c.Words[1:]
	if z.asksForHelp(c.Program, words) {
		return true
	}
	if c.Program == "git" {
		words = afterGitOptions(words)
	}
	for n := min(len(words), maxSubcommands); n >= 0; n-- {
		key := strings.Join(append([]string{c.Program}, words[:n]...), " ")
		t, ok := trials()[key]
		if ok {
			return t.allows(words[n:])
		}
	}
	return false
}

// maxSubcommands is how many words behind a program name what it does: go tool nm.
const maxSubcommands = 2

// namesSystemProgram reports a program that is found by PATH, or lies where the system has its programs. Another path is
// a program of somebody's.
func namesSystemProgram(word string) bool {
	if !strings.Contains(word, "/") {
		return true
	}
	switch path.Dir(path.Clean(word)) {
	case "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin":
		return true
	}
	return false
}

// helpWords ask a program for its version or how it is used.
var helpWords = []string{"--help", "--version", "-version", "-help"}

// asksForHelp reports a known program that is only asked what it can do: docker --help, cargo build --help.
func (z *analyzer) asksForHelp(program string, words []string) bool {
	if len(words) == 1 && (words[0] == "--help" || words[0] == "--version") {
		return true // whatever PATH finds: where it is tried it can do nothing else
	}
	if len(words) == 0 || len(words) > maxSubcommands+1 || !z.knows(program) {
		return false
	}
	last := words[len(words)-1]
	for _, w := range words[:len(words)-1] {
		if !plainWord().MatchString(w) {
			return last == "--verbose" && slices.Contains(helpWords, words[0])
		}
	}
	alone := len(words) == 1
	short := alone && slices.Contains([]string{"-V", "-v", "-h", "version", "help"}, last)
	helpFirst := words[0] == "help" && plainWord().MatchString(last)
	return short && program != "ssh" || program == "ssh" && last == "-V" || helpFirst || slices.Contains(helpWords, last)
}

// plainWord is what a subcommand looks like.
var plainWord = lazily(`^[a-z][a-z0-9-]*$`)

// knows reports a program that stands in one of the tables. Any other may do anything, whatever it is asked.
func (z *analyzer) knows(program string) bool {
	t := z.t
	known := t.readonly[program] != nil || t.subcommands[program] || t.wrappers[program] != nil || t.writers[program] != nil
	known = known || t.code[program] || t.never[program] || t.net[program]
	if known {
		return true
	}
	begins := func(set map[string]bool) bool {
		for k := range set {
			if k == program || strings.HasPrefix(k, program+" ") || strings.HasPrefix(k, program+":") {
				return true
			}
		}
		return false
	}
	if begins(t.grants) || begins(t.net) || begins(t.runners) || begins(t.hidden) {
		return true
	}
	for k := range trials() {
		if k == program || strings.HasPrefix(k, program+" ") {
			return true
		}
	}
	return false
}

// afterGitOptions are the words from git's subcommand on.
func afterGitOptions(words []string) []string {
	for len(words) > 0 {
		switch w := words[0]; {
		case w == "-C" || w == "-c" || w == "--git-dir" || w == "--work-tree":
			words = words[min(len(words), 2):]
		case strings.HasPrefix(w, "-") && w != "--help" && w != "--version":
			words = words[1:]
		default:
			return words
		}
	}
	return words
}

// allows reports words behind a program of the table that ask for nothing but to look.
func (t trial) allows(words []string) bool {
	if slices.ContainsFunc(t.refused, func(r string) bool { return hasWord(words, r) }) {
		return false
	}
	met := func(n string) bool { return hasWord(words, n) }
	if len(t.need) > 0 && !slices.ContainsFunc(t.need, met) {
		return false
	}
	switch t.mode {
	case "none": // mount and hostname change something with an operand
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") })
	case "one":
		return len(words) <= 1 || !plainOperands(words, 1)
	case "noassign":
		return !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "=") })
	case "tar":
		return !slices.ContainsFunc(words, func(w string) bool { return tarActs().MatchString(w) })
	case "sed":
		return !hasWord(words, "-i") && !hasWord(words, "--in-place*") && !anyMatches(words, sedActs())
	case "awk":
		return !anyMatches(words, awkWrites())
	case "sql":
		return len(words) > 1 && sqlLooks().MatchString(words[len(words)-1])
	case "code":
		return onlyComputes(words)
	case "shell":
		return shellLooks(words)
	}
	return true
}

// plainOperands reports more words than these that are no options.
func plainOperands(words []string, most int) bool {
	n := 0
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			n++
		}
	}
	return n > most
}

// hasWord reports a word of the table among the words: with * at its end the beginning of one, and an option of one
// letter also among others, as -ni is for sed.
func hasWord(words []string, want string) bool {
	begin, open := strings.CutSuffix(want, "*")
	letter := len(want) == 2 && want[0] == '-' && want[1] != '-'
	for _, w := range words {
		switch {
		case w == want, open && strings.HasPrefix(w, begin):
			return true
		case letter && letters().MatchString(w) && strings.Contains(w[1:], want[1:]):
			return true
		}
	}
	return false
}

// letters are options of one letter each, as -ni.
var letters = lazily(`^-[a-zA-Z]{2,3}$`)

func anyMatches(words []string, re *regexp.Regexp) bool {
	return slices.ContainsFunc(words, re.MatchString)
}

var (
	// sedActs are the commands and flags of sed that write a file or run a program.
	sedActs = lazily(`(^|[;{}$/0-9])\s*[wWe]\s+\S|/[gpiIm0-9]*[we](\s|$)`)
	// awkWrites are the words of awk that write a file or run a program.
	awkWrites = lazily(`system|getline|\|\s*"|print[^;}]*>`)
	// tarActs are letters and options of tar that write, or run a program.
	tarActs = lazily(`^-?[a-zA-Z]*[xcru]|^--(extract|get|create|append|update|delete|to-command|use-compress|checkpoint-action)`)
	// sqlLooks are statements of SQL and commands of its shell that only read.
	sqlLooks = lazily(`(?is)^\s*(select|explain|pragma\s+\w+(\(\w+\))?|with\b[^;]*\bselect|\.(schema|tables|indexes|databases|headers|mode|dump)\b)[^;]*;?\s*$`)
	// codeActs are words in a line of some language that change, start or send something. What else does is stopped.
	codeActs = lazily(`(?i)write|\brm\w*\(|unlink|remove|rmtree|rmdir|rename|delete|mkdir|makedirs|chmod|chown|symlink|truncate|touch|` +
		`system|popen|subprocess|spawn|\bexec|fork|socket|urllib|urlopen|requests|https?[.:]|fetch|connect|smtp|ftp|shutil|kill|` +
		`["'][rb+]*[wax][tb+]*["']|mode\s*=|unpack|extractall|save|to_csv|install|ctypes|savefig|` + "`")
)

// codeModules are modules of Python that are run for what they print.
var codeModules = []string{"json.tool", "site", "sysconfig", "platform", "this", "timeit", "tokenize", "ast", "dis", "pydoc", "calendar", "inspect"}

// onlyComputes reports an interpreter with a program among its words that says nothing of changing, starting or sending.
// A file, or what it reads, may say anything.
func onlyComputes(words []string) bool {
	for i, w := range words {
		rest := words[i+1:]
		switch {
		case w == "-m":
			return len(rest) > 0 && (slices.Contains(codeModules, rest[0]) || rest[0] == "pip" && pipLooks(rest[1:]))
		case inlineCode().MatchString(w):
			return len(rest) > 0 && !codeActs().MatchString(rest[0])
		case !strings.HasPrefix(w, "-"):
			return false
		}
	}
	return false
}

// inlineCode are the options behind which stands a program: python -c, node -e, perl -ne.
var inlineCode = lazily(`^-[a-zA-Z0-9]{0,4}[cepErR]$|^--(eval|print)$`)

// pipLooks is pip, run as a module.
func pipLooks(words []string) bool {
	if len(words) == 0 {
		return false
	}
	t, ok := trials()["pip "+words[0]]
	return ok && t.allows(words[1:])
}

// shellLooks reports a shell that checks a script, or one whose script stands among the words and was judged there.
func shellLooks(words []string) bool {
	for _, w := range words {
		switch {
		case w == "-n", w == "-c", w == "-lc", w == "-ec", w == "-xc", w == "-euc":
			return true
		case !strings.HasPrefix(w, "-"):
			return false
		}
	}
	return false
}
