package check

import (
	"fmt"
	"strings"

	"helve/internal/git"
)

// Shown rewrites a person's own git configuration for commands that may not learn secrets: it keeps the settings whose
// keys are known to run nothing (gitkeys.txt), and none with an address, in which a password may stand. Credential
// helpers, headers, includes and aliases are gone. What cannot be read is nothing.
func Shown(text []byte) []byte {
	settings, err := git.ParseConfig(text)
	if err != nil {
		return nil
	}
	outside := func(string) bool { return false }
	var b strings.Builder
	for _, s := range settings {
		if harmful(s, outside) != "" || addresses(s) {
			continue
		}
		header := s.Section
		if s.HasSub {
			header += " " + quoted(s.Sub)
		}
		if s.Bare {
			fmt.Fprintf(&b, "[%s]\n\t%s\n", header, s.Key)
			continue
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", header, s.Key, quoted(s.Value))
	}
	return []byte(b.String())
}

// addresses reports a setting that holds an address.
func addresses(s git.Setting) bool {
	for _, k := range gitKeys() {
		if k.is(s) && len(k.values) > 0 && k.values[0] == "url" {
			return true
		}
	}
	return strings.Contains(s.Value, "://")
}

// quoted writes a value as git reads it.
func quoted(s string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(s)
	return `"` + escaped + `"`
}
