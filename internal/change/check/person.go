package check

import (
	"fmt"
	"strings"
)

// Shown rewrites a person's own git configuration for commands that may not learn secrets: it keeps the settings whose
// keys are known to run nothing (gitkeys.txt), and none with an address, in which a password may stand. Credential
// helpers, headers, includes and aliases are gone. What cannot be read is nothing.
func Shown(text []byte) []byte {
	settings, err := parseConfig(text)
	if err != nil {
		return nil
	}
	outside := func(string) bool { return false }
	var b strings.Builder
	for _, s := range settings {
		if s.harmful(outside) != "" || s.addresses() {
			continue
		}
		header := s.section
		if s.hasSub {
			header += " " + quoted(s.sub)
		}
		if s.bare {
			fmt.Fprintf(&b, "[%s]\n\t%s\n", header, s.key)
			continue
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", header, s.key, quoted(s.value))
	}
	return []byte(b.String())
}

// addresses reports a setting that holds an address.
func (s setting) addresses() bool {
	for _, k := range gitKeys() {
		if k.is(s) && len(k.values) > 0 && k.values[0] == "url" {
			return true
		}
	}
	return strings.Contains(s.value, "://")
}

// quoted writes a value as git reads it.
func quoted(s string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(s)
	return `"` + escaped + `"`
}
