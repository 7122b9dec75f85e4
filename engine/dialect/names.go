package dialect

import (
	"strconv"
	"strings"

	"helve/internal/names"
)

// nameRules are what a provider takes as a name.
type nameRules struct {
	ok    func(string) bool // nil: anything
	clean func(s, identity string) string
}

// nameRule is the rule for tools' names. Gemini takes more, but what all take is known everywhere.
func nameRule(d Dialect) nameRules {
	switch d {
	case Gemini, GeminiJSON:
		return nameRules{isGeminiName, names.Hashed}
	case MCP:
		return nameRules{}
	}
	return nameRules{isName, names.Hashed}
}

// What is taken for the name of a parameter. Each rule's clean must make names that its ok takes, of any text.
var (
	anthropicKeys = nameRules{isAnthropicKey, names.Hashed}
	geminiKeys    = nameRules{isGeminiKey, hashedWithoutDashes}
)

// hashedWithoutDashes is for Gemini, which takes dashes in the names of tools and in none of parameters.
func hashedWithoutDashes(s, identity string) string {
	return strings.ReplaceAll(names.Hashed(s, identity), "-", "_")
}

func isName(s string) bool {
	return s != "" && len(s) <= names.MaxPublic && all(s, func(_ int, c byte) bool {
		return isAlnum(c) || c == '_' || c == '-'
	})
}

// maxGeminiName is how long a function's name may be for Gemini, in bytes.
const maxGeminiName = 128

// isGeminiName: a letter or underscore, then [a-zA-Z0-9_.:-].
func isGeminiName(s string) bool {
	return s != "" && len(s) <= maxGeminiName && all(s, func(i int, c byte) bool {
		if i == 0 {
			return c == '_' || isAlnum(c) && c > '9'
		}
		return isAlnum(c) || c == '_' || c == '.' || c == ':' || c == '-'
	})
}

// A naming gives names that a provider takes, none of them twice. The zero value gives every name as it is.
type naming struct {
	rule  nameRules
	taken map[string]bool
}

// name is s where that is taken by the provider and new, else a name with its hash.
func (n *naming) name(s string) string {
	if n.rule.ok == nil {
		return s
	}
	if n.rule.ok(s) && !n.taken[s] {
		n.taken[s] = true
		return s
	}
	// What is clean may be taken, or no name for this provider: a hash of something else is tried then.
	out := n.rule.clean(s, s)
	for i := 2; n.taken[out] || !n.rule.ok(out); i++ {
		out = n.rule.clean("x"+s, s+strconv.Itoa(i))
	}
	n.taken[out] = true
	return out
}
