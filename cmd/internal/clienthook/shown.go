package clienthook

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/hookfiles"
)

// A line that helve confines is held by that, whatever its programs do. Of one that runs as the client would run it, an
// interpreter's text for instance, nothing is known but its words: where those name what has the client ask, it is not
// run. What puts a name together at run time is not seen so.

// maxWords bounds the words of a line that are looked at.
const maxWords = 20_000

// switches tells of a program's subcommand that it decides what agents may do, or switches a client's hooks.
func switches(program, sub string) bool {
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case "helve":
		own := []string{"init", "setup", "config", "trust", "allow", "ask", "deny", "rules", "approvals"}
		return slices.Contains(own, sub)
	case "claude":
		return slices.Contains([]string{"hooks", "config", "plugin"}, sub)
	case "codex":
		return slices.Contains([]string{"features", "hooks"}, sub)
	case "gemini", "qwen":
		return sub == "hooks"
	}
	return false
}

// show tells what words of the lines name that has a client ask helve; "": nothing that could be seen.
func (r *run) show(lines []string, dir string) string {
	home := r.Getenv("HOME")
	seen := map[string]bool{}
	for _, line := range lines {
		words := wordsOf(line)
		for i, w := range words {
			if i+1 < len(words) && switches(w, words[i+1]) {
				const why = "its words are %s %s, by which people alone decide what agents may do"
				return fmt.Sprintf(why, w, words[i+1])
			}
			if seen[w] {
				continue
			}
			seen[w] = true
			if why := hookfiles.Why(strings.ToLower(filepath.ToSlash(w))); why != "" {
				return fmt.Sprintf("its words name %s: %s", w, why)
			}
			if why := r.ws.Foreign().Asks(placed(w, dir, home)); why != "" {
				return fmt.Sprintf("its words name %s: %s", w, why)
			}
		}
	}
	return ""
}

// placed is a word as a path; what a variable stands for is the home, as it mostly is.
func placed(word, dir, home string) string {
	for _, prefix := range []string{"~/", "HOME/", "{HOME}/"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(dir, word)
}

// aWord is what stands between the signs of shells and interpreters.
var aWord = lazy("[^\\s\\\\\"'`$()\\[\\]<>|&;,=:+]+")

func wordsOf(line string) []string { return aWord().FindAllString(line, maxWords) }
