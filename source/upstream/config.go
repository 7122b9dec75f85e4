package upstream

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"helve/tool"
	"helve/tool/telemetry"
)

const (
	// DefaultTimeout is for one call, without the time in which the server
	// waits for an answer of ours.
	DefaultTimeout = time.Minute
	// DefaultStartTimeout is for starting, shaking hands and listing.
	DefaultStartTimeout = 10 * time.Second
	// DefaultIdle is how long a connection stays that nobody uses.
	DefaultIdle = 15 * time.Minute
)

// A Config says how one server is reached. Name and one of Command and URL are
// required.
type Config struct {
	Name string // in public names and messages

	// In all of these but Dir ${env:NAME}, ${env:NAME:-otherwise} and
	// ${file:PATH} are replaced when the server is started.
	Command string            // a program, or
	Args    []string          // with its arguments
	Env     map[string]string // over the allow-listed environment
	Dir     string            // where it starts; "" means here

	URL     string            // a server; what it refers to is replaced by New
	Headers map[string]string // sent to this server only
	Type    string            // "", stdio, http, sse; "" means stdio for a Command, and http, then sse, for a URL

	OAuth OAuth // for a server that wants it; the zero value registers a client on the fly

	Trust        bool          // its readOnlyHint is believed, and its tools are not asked about
	Timeout      time.Duration // of a call; 0 means DefaultTimeout
	StartTimeout time.Duration // 0 means DefaultStartTimeout
	Idle         time.Duration // 0 means DefaultIdle, below 0 for ever

	Include []string          // when not empty: only these tools, by original name; * is any text
	Exclude []string          // never these
	Rename  map[string]string // original name → name

	// Unpinned uses changed definitions without a question: for a server whose
	// descriptions differ at each start.
	Unpinned bool

	// Eager starts the server at once, not at the first call, although its list
	// is remembered, and starts it again when it breaks.
	Eager bool
	Share string // auto (also ""), never
}

// OAuth names a client that an authorisation server knows already.
type OAuth struct {
	ClientID     string // registered before; "" means none
	ClientSecret string // of that client; ${env:NAME} and ${file:PATH} are replaced
	MetadataURL  string // https address of a document that describes the client, where the server takes one

	// Grant is how a token is had without a person: GrantClient, GrantAssertion or
	// GrantEnterprise; "" asks a person. In PrivateKey and Assertion ${env:NAME} and
	// ${file:PATH} are replaced, each time that a token is asked for.
	Grant            string
	PrivateKey       string // of GrantClient, in PEM, in place of a secret
	Assertion        string // the workload's token of GrantAssertion, the identity token of GrantEnterprise
	IdentityIssuer   string // of GrantEnterprise: the company's identity provider
	IdentityClientID string // as which helve is registered there
	Issuer           string // the only authorisation server that gets to see any of this; "": the one that the MCP server names
}

// Options are what the program around brings. The zero value works.
type Options struct {
	StateDir string   // where pins and tokens are kept, 0700; "" means nowhere: nothing is pinned
	Pins     PinStore // where pins are kept for several processes, beside StateDir; nil: there alone
	CacheDir string   // where lists are remembered; "" means nowhere: every source starts its server
	Fresh    bool     // what is remembered is not taken, only written anew

	// Patient is for how long a server may go on starting when those who waited have left, in a program that lives
	// long: one that is downloaded first comes then. What is below the start time-out counts as that.
	Patient time.Duration

	Environ []string          // allow-listed before use; nil means os.Environ()
	Launch  Launcher          // nil: plain processes with groups of their own
	HTTP    http.RoundTripper // nil: a transport of its own
	Login   Login             // nil: a server that wants OAuth is an error that says so
	Log     *slog.Logger      // nil: silent
	Version string            // of the program, told to servers; "" means dev

	// Processes bounds the servers that are started, for all sources that have it in
	// common. nil: nothing does.
	Processes *Processes

	// Telemetry is told of each request, and whether there is a connection. nil: nobody is, and it costs nothing.
	Telemetry telemetry.Provider

	// Notify gets what a server tells unasked: resources/updated,
	// prompts/list_changed, … and, for a session without Back, message. session
	// is nil for shared connections. It must not block. nil: nobody listens.
	Notify func(server string, session *tool.Session, method string, params json.RawMessage)

	// Asked is told of every question of a server to a client, when it is over. It
	// must be safe for concurrent use. nil: nobody keeps a record.
	Asked func(Question)
}

// validate tells what is missing or contradicts itself.
func (c *Config) validate() error {
	switch {
	case c.Name == "":
		return errors.New("mcp server: no name")
	case c.Command == "" && c.URL == "":
		return fmt.Errorf("mcp server %s: neither command nor url", c.Name)
	case c.Command != "" && c.URL != "":
		return fmt.Errorf("mcp server %s: both command and url: say one", c.Name)
	case c.Share != "" && c.Share != "auto" && c.Share != "never":
		return fmt.Errorf("mcp server %s: share %q: want auto or never", c.Name, c.Share)
	}
	switch c.Type {
	case "", "stdio", "http", "sse":
	default:
		return fmt.Errorf("mcp server %s: type %q: want stdio, http or sse", c.Name, c.Type)
	}
	if err := c.OAuth.validate(); err != nil {
		return fmt.Errorf("mcp server %s: %w", c.Name, err)
	}
	if c.URL == "" {
		return nil
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("mcp server %s: url %q: want http:// or https://", c.Name, c.URL)
	}
	return nil
}

func (c Config) filled() Config {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.StartTimeout = cmp.Or(c.StartTimeout, DefaultStartTimeout)
	c.Idle = cmp.Or(c.Idle, DefaultIdle)
	return c
}

// Digest names what the server is, by content: its command or address and all
// that decides what it lists. Grants and memories that were about another
// server do not fit any more.
func (c *Config) Digest() string {
	what := []any{c.Name, c.Command, c.Args, c.Env, c.Dir, c.URL, c.Headers, c.Type}
	b, _ := json.Marshal(what) // strings only
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// key names what is remembered about the server: its definition without the
// folder that it starts in, so that the first session in a new folder knows its
// tools. A program of the folder itself is that folder's alone: a relative
// command, or a word that names a file there, as in node server.js.
func (c *Config) key(digest string) string {
	if c.URL == "" && c.local() {
		return digest
	}
	elsewhere := *c
	elsewhere.Dir = ""
	return elsewhere.Digest()
}

func (c *Config) local() bool {
	if strings.ContainsRune(filepath.ToSlash(c.Command), '/') && !filepath.IsAbs(c.Command) {
		return true
	}
	for _, word := range c.Args {
		if filepath.IsAbs(word) {
			continue
		}
		st, err := os.Stat(filepath.Join(c.Dir, word))
		if err == nil && st.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// reference is a value that is elsewhere.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(env|file):([^}]*)\}`)
})

// defaultMark is between a variable and what counts where it is not set:
// ${env:NAME:-text}.
const defaultMark = ":-"

// maxSecret bounds a file that a reference names, in bytes: a key, not a book.
const maxSecret = 64 << 10

// expand replaces references in the values of m. A reference to nothing is an
// error: an empty key would be sent instead.
func expand(m map[string]string, environ []string) (map[string]string, error) {
	out := make(map[string]string, len(m))
	for k, v := range m {
		s, err := expanded(v, environ)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		out[k] = s
	}
	return out, nil
}

// expandAll is the same for the words of a command.
func expandAll(words, environ []string) ([]string, error) {
	out := make([]string, len(words))
	for i, w := range words {
		s, err := expanded(w, environ)
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// expanded replaces the references in one value. The first that means nothing is
// the error.
func expanded(v string, environ []string) (string, error) {
	var bad error
	s := reference().ReplaceAllStringFunc(v, func(ref string) string {
		parts := reference().FindStringSubmatch(ref)
		s, err := resolve(parts[1], parts[2], environ)
		bad = cmp.Or(bad, err)
		return s
	})
	return s, bad
}

// resolve is what a reference means: a variable, or a file's content. A variable
// that is empty counts as set, unless the reference has something to fall back
// on.
func resolve(kind, name string, environ []string) (string, error) {
	if kind == "env" {
		name, otherwise, has := strings.Cut(name, defaultMark)
		for _, e := range environ {
			if v, ok := strings.CutPrefix(e, name+"="); ok && (v != "" || !has) {
				return v, nil
			}
		}
		if has {
			return otherwise, nil
		}
		return "", fmt.Errorf("the variable %s is not set", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() > maxSecret {
		return "", fmt.Errorf("%s: want a file of at most %d bytes", name, maxSecret)
	}
	b := make([]byte, maxSecret)
	n, _ := f.Read(b)
	return strings.TrimRight(string(b[:n]), "\r\n"), nil
}
