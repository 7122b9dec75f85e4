package check

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"helve/internal/git"
)

//go:embed gitkeys.txt
var gitKeysText string

// A gitKey is a key of git's configuration that is harmless, and what its value must be.
type gitKey struct {
	section, key string
	sub          bool   // it has a subsection
	only         string // the subsection that it must be; "" and "*": any
	values       []string
}

// gitKeys are those of gitkeys.txt.
var gitKeys = sync.OnceValue(func() []gitKey {
	var out []gitKey
	for line := range strings.Lines(gitKeysText) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		parts := strings.Split(words[0], ".")
		out = append(out, gitKey{
			section: parts[0],
			key:     parts[len(parts)-1],
			sub:     len(parts) > 2,
			values:  words[1:],
		})
	}
	return out
})

// harmful tells why a setting may make git run something, or lead elsewhere; "" for one that is harmless. worktree
// reports that a path, as a setting has it, is the folder whose files the git directory keeps.
func harmful(s git.Setting, worktree func(path string) bool) string {
	for _, k := range gitKeys() {
		if !k.is(s) {
			continue
		}
		if k.allows(s, worktree) {
			return ""
		}
		return fmt.Sprintf("%s is %q", s.Name(), shown(s.Value))
	}
	return fmt.Sprintf("%s may have git run or follow something", s.Name())
}

// is reports that a setting has this key.
func (k gitKey) is(s git.Setting) bool {
	if k.section != s.Section || k.sub != s.HasSub || k.only != "" && k.only != "*" && k.only != s.Sub {
		return false
	}
	return k.key == "*" || k.key == s.Key
}

// allows reports that a setting of this key has a harmless value.
func (k gitKey) allows(s git.Setting, worktree func(string) bool) bool {
	if len(k.values) == 0 {
		return true
	}
	switch k.values[0] {
	case "bool":
		words := []string{"true", "false", "yes", "no", "on", "off", "1", "0", ""}
		return s.Bare || slices.Contains(words, strings.ToLower(s.Value))
	case "url":
		return harmlessURL(s.Value)
	case "worktree":
		return worktree(s.Value)
	}
	return slices.Contains(k.values, s.Value)
}

// harmlessURL reports an address for which git runs no helper that the address names: "ext::sh -c …" is one that does,
// and what begins with a dash would be an option to some program.
func harmlessURL(url string) bool {
	scheme, _, helper := strings.Cut(url, "::")
	if helper && !strings.ContainsAny(scheme, "/:") {
		return false
	}
	return !strings.HasPrefix(url, "-") && !strings.Contains(url, "://-")
}

// shownValue is how much of a value is shown.
const shownValue = 80

// shown is the beginning of a text that somebody else wrote.
func shown(s string) string {
	if len(s) > shownValue {
		return s[:shownValue] + "…"
	}
	return s
}

// judgeConfig tells why a file of git's configuration may not become what it is to become: settings that it did not
// have before must be harmless. old is nil where nothing that was there counts.
func judgeConfig(text, old []byte, worktree func(string) bool) string {
	settings, err := git.ParseConfig(text)
	if err != nil {
		return "git's configuration: " + err.Error()
	}
	var before []git.Setting
	if old != nil {
		before, _ = git.ParseConfig(old) // what cannot be read excuses nothing
	}
	for _, s := range settings {
		if slices.Contains(before, s) {
			continue
		}
		why := harmful(s, worktree)
		if why == "" && redirects(s, before) {
			why = fmt.Sprintf("%s is %q: what is pushed or fetched next would go elsewhere", s.Name(), shown(s.Value))
		}
		if why != "" {
			return "git's configuration: " + why
		}
	}
	return losesRemote(settings, before)
}

// losesRemote tells of a remote that would have no address any more: the next one of its name leads where it likes.
func losesRemote(settings, before []git.Setting) string {
	hasURL := func(sub string) bool {
		return slices.ContainsFunc(settings, func(s git.Setting) bool {
			return s.Section == "remote" && s.Sub == sub && s.Key == "url"
		})
	}
	for _, b := range before {
		if b.Section == "remote" && b.HasSub && b.Key == "url" && !hasURL(b.Sub) {
			const gone = "git's configuration: the remote %q would be gone, and its name free for another address"
			return fmt.Sprintf(gone, shown(b.Sub))
		}
	}
	return ""
}

// redirects reports a setting by which something that was there leads elsewhere: another address of a remote, another
// remote of a branch, and where to push in place of where it was fetched from. New remotes and branches lead where they
// like: nobody pushes to them unawares.
func redirects(s git.Setting, before []git.Setting) bool {
	had := func(key string) bool {
		return slices.ContainsFunc(before, func(b git.Setting) bool { return b.Section == s.Section && b.Sub == s.Sub && b.Key == key })
	}
	switch s.Section + "." + s.Key {
	case "remote.url", "remote.pushurl", "remote.push", "remote.mirror":
		return had("url") || had("pushurl")
	case "branch.remote":
		return had("remote")
	case "branch.pushremote", "remote.pushdefault":
		return true
	}
	return false
}
