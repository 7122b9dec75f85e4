// Package names makes and compares the names of tools: what providers accept, what peers write,
// what a typo meant.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	// MaxPublic is the longest name that OpenAI and Anthropic accept.
	MaxPublic = 64

	maxValid  = 63 // longer names are cut
	validHead = 28
	validTail = 32
	hashLen   = 8 // hex digits: 32 bits tell apart what cleaning made alike; a View settles what is left
)

// GenerateValidName is a rule that callers know by this name: every character outside
// [a-zA-Z0-9_.-] becomes an underscore, and of more than 63 the first 28 and the last 32 stay with
// three underscores between. Two names may become one; Public never lets them.
func GenerateValidName(name string) string {
	s := clean(name, true)
	if len(s) > maxValid {
		s = s[:validHead] + "___" + s[len(s)-validTail:]
	}
	return s
}

// clean replaces each rune that a name may not hold by one underscore; the result is ASCII.
func clean(s string, dot bool) string {
	return strings.Map(func(r rune) rune {
		plain := r < utf8.RuneSelf && (begins(byte(r)) || goesOn(byte(r)))
		if plain || dot && r == '.' {
			return r
		}
		return '_'
	}, s)
}

// Public makes a name that every provider accepts, ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$, out of any text.
// A text that is such a name stays as it is; whenever cleaning or cutting loses something a hash of
// the whole is added.
func Public(s string) string {
	if IsPublic(s) {
		return s
	}
	return Hashed(s, s)
}

// Hashed is s made acceptable with a hash of identity in it, whether or not s lost anything.
func Hashed(s, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	tail := "_" + hex.EncodeToString(sum[:])[:hashLen]
	c := clean(s, false)
	if !IsPublic(c[:min(len(c), 1)]) {
		c = "_" + c
	}
	if len(c)+len(tail) > MaxPublic {
		keep := MaxPublic - len(tail)
		head := keep * 2 / 3 // the start says more than the end
		c = c[:head] + c[len(c)-(keep-head):]
	}
	return c + tail
}

// Fit is a public name of at most max bytes: name itself if it is one, else one
// with a hash of identity in it. The hash comes first: whoever cuts the name
// once more still has what tells it from others.
func Fit(name, identity string, max int) string {
	if IsPublic(name) && len(name) <= max {
		return name
	}
	sum := sha256.Sum256([]byte(identity))
	s := "_" + hex.EncodeToString(sum[:])[:hashLen] + "_" + clean(name, false)
	return s[:min(len(s), max)]
}

// IsPublic tells whether every provider accepts the name.
func IsPublic(s string) bool {
	if s == "" || len(s) > MaxPublic {
		return false
	}
	for i := range len(s) {
		if !begins(s[i]) && (i == 0 || !goesOn(s[i])) {
			return false
		}
	}
	return true
}

// begins tells what a name may begin with, and goesOn what may stand behind that besides.
func begins(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func goesOn(c byte) bool { return c >= '0' && c <= '9' || c == '-' }

// Qualified is the public name of a server's tool: mcp__server__tool. Where the two parts could not
// be told apart again, or lose something, it carries a hash of both, so that `a`+`b_c` and
// `a_b`+`c` never meet.
func Qualified(server, tool string) string { return qualified("mcp__", server, tool) }

// OfPool is the public name of a tool that the workers of a pool bring: pool__NAME__tool, as Qualified
// is that of a server's.
func OfPool(pool, tool string) string { return qualified("pool__", pool, tool) }

func qualified(prefix, server, tool string) string {
	s := prefix + server + "__" + tool
	apart := server != "" && tool != ""
	// Underscores that touch the two in the middle could belong to either side.
	blurred := strings.Contains(server, "__") || strings.HasSuffix(server, "_") || strings.HasPrefix(tool, "_")
	if apart && !blurred && IsPublic(s) {
		return s
	}
	return Hashed(s, server+"\x00"+tool)
}

// PoolSpellings are the ways to write a tool of a pool.
func PoolSpellings(pool, tool string) []string {
	return []string{"pool__" + pool + "__" + tool, "pool__" + pool + "/" + tool, GenerateValidName(tool), tool}
}

// Spellings are the ways in which peers write a server's tool, the most exact first.
func Spellings(server, tool string) []string {
	return []string{
		"mcp__" + server + "__" + tool,
		"mcp__" + server + "/" + tool,
		server + "__" + tool,
		server + "/" + tool,
		server + "." + tool,
		"mcp_" + server + "_" + tool,
		GenerateValidName(server + "__" + tool),
		GenerateValidName(tool),
		tool,
	}
}

// prefixes are what models and hosts put before a name.
var prefixes = []string{
	"functions.", "functions:", "default_api.", "default_api:", "tools.", "tool.", "mcp__helve__", "helve.",
}

// Strip removes what models put before a name, at most once: functions.read → read.
func Strip(name string) (string, bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(name, p); ok && rest != "" {
			return rest, true
		}
	}
	return name, false
}

// Fold is the form in which two spellings that differ in case, dash or underscore are the same:
// ReadFile, read-file, read_file.
func Fold(s string) string {
	if !utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
