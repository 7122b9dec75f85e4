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
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
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

// away tells that the server is on another machine, as far as its address says. One of a network of one's own may be a
// container that has the workspace.
func (c *Config) away() bool {
	u, err := url.Parse(c.URL)
	if err != nil || c.URL == "" {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	own, _ := os.Hostname()
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return !nearby(host) && !strings.HasSuffix(host, ".localhost") && host != strings.ToLower(own)
	}
	ip = ip.Unmap()
	return !ip.IsLoopback() && !ip.IsUnspecified() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast()
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

// shareNever is Config.Share of a server of which each session has its own.
const shareNever = "never"

// A Question is what a server asked of a session's client, or of its person.
type Question struct {
	Server  string
	Session *tool.Session
	Method  string // elicitation/create or sampling/createMessage
	Text    string // what a person reads first, as far as it fits a line of a record

	// Outcome is accept, decline or cancel for elicitation, ok for what else was
	// answered, error where nobody answered, and asked where the answer comes
	// with another call.
	Outcome string
	Began   time.Time
	Took    time.Duration
}

// A PinStore keeps for several processes what was approved, as a text for each server. Update changes one as a whole:
// change gets what stands, nil if there is nothing, and is called again where another process was quicker. Methods are
// safe for concurrent use.
type PinStore interface {
	Read(name string) ([]byte, error) // nil: there is none
	Update(name string, change func(old []byte) ([]byte, error)) error
}
