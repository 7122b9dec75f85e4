package programs

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/kballard/go-shellquote"
)

// ErrMissing is in every error that says why a configured program cannot start.
var ErrMissing = errors.New("it cannot start")

func missing(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMissing}, args...)...)
}

func notInPath(word string) error {
	return missing("%s: not found in the absolute folders of PATH: name the program by its path", word)
}

// wants is the error of a script whose interpreter is missing.
func wants(path, interpreter string, err error) error {
	_, why, _ := strings.Cut(err.Error(), ErrMissing.Error()+": ")
	return missing("%s is there, and its first line wants %s: %s", path, interpreter, why)
}

// Split takes a configured line apart as a shell would, with ~ and $HOME at the beginning of a word replaced. No shell
// runs the line: one that needs a shell is an error, which says how to have one.
func Split(line, home string) ([]string, error) {
	words, err := shellquote.Split(line)
	if err != nil {
		return nil, err
	}
	if sign := shellSign(line); sign != "" {
		const shelled = "%s stands in it for a shell, and no shell runs it: write sh -c '…', or quote what is no sign for a shell"
		return nil, fmt.Errorf(shelled, sign)
	}
	return AtHome(words, home), nil
}

// AtHome are words with the home in the place of ~ and $HOME.
func AtHome(words []string, home string) []string {
	if home == "" {
		return words
	}
	out := make([]string, len(words))
	for i, w := range words {
		name, value, flag := strings.Cut(w, "=")
		if flag && strings.HasPrefix(name, "-") {
			out[i] = name + "=" + atHome(value, home)
			continue
		}
		out[i] = atHome(w, home)
	}
	return out
}

// atHome is a word with the home in the place of ~ or $HOME at its beginning.
func atHome(word, home string) string {
	for _, sign := range []string{"~", "$HOME", "${HOME}"} {
		rest, ok := strings.CutPrefix(word, sign)
		if ok && (rest == "" || strings.HasPrefix(rest, "/")) {
			return home + rest
		}
	}
	return word
}

// lazy compiles an expression when it is first used: few starts of a program need one of these.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	// quoted is what a shell takes as it stands.
	quoted = lazy(`'[^']*'|"(\\.|[^"\\])*"|\\.`)
	// sign is a word, or the beginning of one, that means something to a shell alone.
	sign = lazy("^(\\|\\|?|\\|&|&&?|;|[0-9]?(>>?|<<?<?)(&?[0-9]|\\S*))$|^\\$\\(|^<\\(|^`|;$")
	// between is what ends one command of a shell's line.
	between = lazy("\\|\\||&&|[|;&\n(){}`]")
)

// shellSign is the first word of a line that needs a shell; "" if there is none.
func shellSign(line string) string {
	for word := range strings.FieldsSeq(quoted().ReplaceAllString(line, "_")) {
		if sign().MatchString(word) {
			return word
		}
	}
	return ""
}

// commands are the commands of a shell's line, as far as a reading of words finds them: what it finds that is no
// program is not there to be shown.
func commands(line, home string) [][]string {
	var out [][]string
	for _, part := range between().Split(line, -1) {
		words, err := shellquote.Split(part)
		if err != nil {
			words = strings.Fields(strings.NewReplacer(`"`, " ", `'`, " ").Replace(part))
		}
		words = AtHome(words, home)
		for len(words) > 0 && strings.Contains(words[0], "=") { // assignments
			words = words[1:]
		}
		if len(words) > 0 && words[0] != "" {
			out = append(out, words)
		}
	}
	return out
}
