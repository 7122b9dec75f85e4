package conversation

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Mask takes out of a text what is a secret by its looks: tokens and keys of well-known kinds, private keys in PEM,
// and texts that are known to be secret. A Mask is safe for concurrent use.
type Mask struct{ known [][]byte }

// minSecret is how long a known secret must be, in bytes: what is shorter stands in ordinary words.
const minSecret = 8

// NewMask also masks these texts.
func NewMask(known []string) *Mask {
	m := &Mask{}
	for _, k := range known {
		if len(k) < minSecret {
			continue
		}
		m.known = append(m.known, []byte(k))
		quoted, _ := json.Marshal(k) // strings can be encoded
		if spelled := quoted[1 : len(quoted)-1]; !bytes.Equal(spelled, []byte(k)) {
			m.known = append(m.known, spelled)
		}
	}
	// The longest first: one may be the beginning of another.
	slices.SortFunc(m.known, func(a, b []byte) int { return len(b) - len(a) })
	return m
}

// A kind of secret is known by how it begins, which is fast to look for, and by the whole of it.
type kind struct {
	name    string
	begins  []string
	pattern string
}

// kinds are those whose makers gave them a form of their own, as their documentation has it.
func kinds() []kind {
	return []kind{
		{"GitHub token", []string{"gh", "github_pat_"},
			`(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})`},
		{"AWS key", []string{"AKIA", "ASIA"}, `(?:AKIA|ASIA)[A-Z0-9]{16}\b`},
		{"Anthropic key", []string{"sk-ant-"}, `sk-ant-[A-Za-z0-9_-]{20,255}`},
		{"OpenAI key", []string{"sk-"}, `sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,255}`},
		{"Google key", []string{"AIza", "ya29.", "GOCSPX-"},
			`(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,1000}|GOCSPX-[A-Za-z0-9_-]{20,64})`},
		{"Slack token", []string{"xox", "xapp-", "hooks.slack.com"},
			`(?:xox[abceprs]-[A-Za-z0-9-]{10,255}|xapp-[A-Za-z0-9-]{10,255}` +
				`|hooks\.slack\.com/services/[A-Za-z0-9/]{20,100})`},
		{"Stripe key", []string{"sk_", "rk_", "whsec_"},
			`(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{20,255})`},
		{"npm token", []string{"npm_"}, `npm_[A-Za-z0-9]{36}`},
	}
}

// wordBegins is where a secret may begin: not in the middle of a word, but behind the letters by which JSON spells the
// end of a line or a bracket.
const wordBegins = `(\b|\\[nrtbf]|\\u[0-9a-f]{4})`

type compiled struct {
	begins  [][]byte
	pattern *regexp.Regexp
	instead []byte
}

var compiledKinds = sync.OnceValue(func() []compiled {
	var out []compiled
	for _, k := range kinds() {
		c := compiled{
			pattern: regexp.MustCompile(wordBegins + `(?:` + k.pattern + `)`),
			instead: []byte("${1}[" + k.name + " masked]"),
		}
		for _, b := range k.begins {
			c.begins = append(c.begins, []byte(b))
		}
		out = append(out, c)
	}
	return out
})

// Text is a text without its secrets. Where there are none it is the same slice.
func (m *Mask) Text(text []byte) []byte {
	for _, k := range m.known {
		if bytes.Contains(text, k) {
			text = bytes.ReplaceAll(text, k, []byte("[secret masked]"))
		}
	}
	for _, k := range compiledKinds() {
		if slices.ContainsFunc(k.begins, func(b []byte) bool { return bytes.Contains(text, b) }) {
			text = k.pattern.ReplaceAll(text, k.instead)
		}
	}
	return maskKeys(text)
}

// JSON is Text for lines of JSON: what comes in place of a secret is the same in a string of JSON, and no secret has a
// character in it that would be spelled otherwise there but for the line ends of PEM, in whatever spelling.
func (m *Mask) JSON(lines []byte) []byte { return m.Text(lines) }

var (
	keyBegins = []byte("-----BEGIN ")
	keyEnds   = []byte("-----END ")
	keyWord   = []byte("PRIVATE KEY")
)

const (
	// maxKey bounds a private key in PEM, in bytes, with what a tool adds to its lines.
	maxKey = 64 << 10
	// maxHead bounds what stands between BEGIN and the end of its line.
	maxHead = 80
	// keyLetters are what the lines of a key are made of, and the ends of lines as JSON spells them.
	keyLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\\r\n\t :,-"
)

// maskKeys takes private keys out. One whose end is not there goes as far as its letters do.
func maskKeys(text []byte) []byte {
	var out []byte
	for {
		at := bytes.Index(text, keyBegins)
		if at < 0 {
			break
		}
		head := text[at:min(len(text), at+maxHead)]
		if !bytes.Contains(head, keyWord) {
			out = append(out, text[:at+len(keyBegins)]...)
			text = text[at+len(keyBegins):]
			continue
		}
		out = append(append(out, text[:at]...), "[private key masked]"...)
		text = text[at+keyLength(text[at:]):]
	}
	if out == nil {
		return text
	}
	return append(out, text...)
}

// keyLength is how long the key is that a text begins with.
func keyLength(text []byte) int {
	body := text[:min(len(text), maxKey)]
	if end := bytes.Index(body, keyEnds); end >= 0 {
		rest := body[end+len(keyEnds):]
		// A quote ends a string of JSON: what is behind it is another one's.
		whole := !bytes.ContainsRune(body[:end], '"')
		if line := bytes.Index(rest, []byte("-----")); whole && line >= 0 && line <= maxHead {
			return end + len(keyEnds) + line + len("-----")
		}
	}
	n := bytes.IndexFunc(body, func(r rune) bool { return !strings.ContainsRune(keyLetters, r) })
	if n < 0 {
		return len(body)
	}
	if body[n] == '"' { // the backslashes before it are the quote's
		n = len(bytes.TrimRight(body[:n], `\`))
	}
	return n
}
