package shell

import (
	"path"
	"slices"
	"strings"

	"helve/internal/names"
)

// stateWords ask nearly every program what it has or how it stands.
var stateWords = names.List("list ls show status info current version versions --list")

// asksForState reports a program that no table knows, asked for no more than that: flatpak list, asdf current.
func (l looking) asksForState(program string, words []string) bool {
	if len(words) == 0 || !stateWords.Has(words[0]) || l.t.knows(program) || builders.Has(program) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w string) bool {
		return !plainWord().MatchString(strings.TrimLeft(w, "-"))
	})
}

// builders take a bare word for something that the workspace defines and that they are to do.
var builders = names.List("make gmake bmake ninja rake just task gradle ant mage invoke inv fab doit scons waf sbt lein mix " +
	"grunt gulp jake cake buck buck2 pants earthly dagger nox tox npx yarn pnpm bun bunx mvn nix")

// verboseFor are programs that -v or -V has talk while they do what they do without it.
var verboseFor = names.List("pytest py.test ctest tox nox phpunit pest rake ninja ant grunt sbt behave nosetests nose2 prove " +
	"cucumber sudo mv cp rm ln chmod chown")

// maxSubcommands is how many words behind a program name what it does: go tool nm.
const maxSubcommands = 2

// namesSystemProgram reports a program that is found by PATH, or lies where the system has its programs. Another path
// is a program of somebody's.
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
func (l looking) asksForHelp(program string, words []string) bool {
	if len(words) == 1 && slices.Contains(helpWords, words[0]) {
		return true // whatever PATH finds: where it is tried it can do nothing else
	}
	if len(words) == 0 || len(words) > maxSubcommands+1 || !l.t.knows(program) || halts.Has(program) {
		return false
	}
	last := words[len(words)-1]
	for _, w := range words[:len(words)-1] {
		if !plainWord().MatchString(w) {
			return last == "--verbose" && slices.Contains(helpWords, words[0])
		}
	}
	if slices.Contains(helpWords, last) {
		return true
	}
	return asksInShort(program, words)
}

// asksInShort is asksForHelp for -h, -v and plain words, which some programs take for something else.
func asksInShort(program string, words []string) bool {
	last, alone := words[len(words)-1], len(words) == 1
	isWord := plainWord().MatchString(last) && !builders.Has(program)
	switch {
	case program == "ssh": // its -v talks, and its -h is no option
		return alone && last == "-V"
	case last == "-h":
		return len(words) <= 2
	case alone && (last == "-v" || last == "-V"):
		return !verboseFor.Has(program)
	case alone:
		return isWord && (last == "help" || last == "version")
	}
	return isWord && words[0] == "help"
}

// halts are programs for which -h is no question.
var halts = names.List("shutdown halt poweroff reboot init telinit")

// plainWord is what a subcommand looks like.
var plainWord = lazily(`^[a-z][a-z0-9-]*$`)

// knows reports a program that stands in one of the tables. Any other may do anything, whatever it is asked.
func (t *tables) knows(name string) bool {
	if t.readonly[name] != nil || t.wrappers[name] != nil || t.writers[name] != nil {
		return true
	}
	for _, names := range []map[string]bool{t.subcommands, t.code, t.never, t.net} {
		if names[name] {
			return true
		}
	}
	return begins(t.grants, name) || begins(t.net, name) || begins(t.runners, name) || begins(t.hidden, name) ||
		begins(trials(), name)
}

// begins reports an entry about a program: its name, with words behind it or alone.
func begins[V any](entries map[string]V, program string) bool {
	for k := range entries {
		rest, ok := strings.CutPrefix(k, program)
		if ok && (rest == "" || rest[0] == ' ' || rest[0] == ':') {
			return true
		}
	}
	return false
}

// afterGitOptions are the words from git's subcommand on. ok is false where an option has git obey other settings or
// other programs.
func afterGitOptions(words []string) (rest []string, ok bool) {
	for len(words) > 0 {
		switch w := words[0]; {
		case w == "-c":
			if len(words) < 2 || !harmlessSetting().MatchString(words[1]) {
				return nil, false
			}
			words = words[2:]
		case w == "-C" || w == "--git-dir" || w == "--work-tree":
			words = words[min(len(words), 2):]
		case strings.HasPrefix(w, "--exec-path="), strings.HasPrefix(w, "--config-env"):
			return nil, false
		case strings.HasPrefix(w, "-") && w != "--help" && w != "--version":
			words = words[1:]
		default:
			return words, true
		}
	}
	return words, true
}

// harmlessSetting are settings of git that say how its output looks.
var harmlessSetting = lazily(`^(?i)(color\.[a-z.]+|core\.(quotepath|abbrev|pager=cat$|fsmonitor=(false|0)?$|` +
	`ignorecase|precomposeunicode)|` +
	`diff\.(renames|algorithm|context|noprefix|mnemonicprefix|renamelimit|wordregex|colormoved)|log\.(date|` +
	`decorate|showsignature=false$)|` +
	`safe\.directory|grep\.[a-z]+|blame\.[a-z]+|status\.[a-z]+|column\.[a-z]+|advice\.[a-z]+|i18n\.[a-z]+|` +
	`user\.[a-z]+|pager\.[a-z]+=(false|cat)$)`)
