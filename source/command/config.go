package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"helve/internal/programs"
	"helve/tool"
)

const (
	// MaxStdout is how much a command may print; one that prints
	// more is ended.
	MaxStdout = 10 << 20
	// MaxStderr is how much it may complain.
	MaxStderr = 1 << 20
	// MaxTools bounds one discovery: registering, naming and searching stay
	// quick.
	MaxTools = 10_000

	// DefaultTimeout is for the discovery.
	DefaultTimeout = 30 * time.Second
	// DefaultCallTimeout is for each call.
	DefaultCallTimeout = 2 * time.Minute
	// DefaultTTL is how long a discovery is remembered.
	DefaultTTL = time.Hour
)

// A Config names the commands. The zero value has none, and brings no tools.
type Config struct {
	Discover    string        // the discovery command, words quoted as in a shell; "" means none
	Call        string        // the call command; the tool's name is added as its last word
	Dir         string        // the project, where both run; "" means the working directory
	Timeout     time.Duration // of the discovery; 0 means DefaultTimeout
	CallTimeout time.Duration // of a call; 0 means DefaultCallTimeout
	TTL         time.Duration // how long a discovery holds; 0 means DefaultTTL, below 0 not at all
	Verbose     bool          // descriptions explain at length how the tool is found and called
}

// Options are what the program around brings. The zero value works.
type Options struct {
	Runner   Runner           // nil: plain processes with groups of their own
	Environ  []string         // allow-listed before use; nil means os.Environ()
	CacheDir string           // where discoveries are remembered; "" means nowhere
	Fresh    bool             // the first listing does not use what is remembered
	Log      *slog.Logger     // nil: silent
	Now      func() time.Time // nil: time.Now
}

// A Level is what a process may touch. What the levels mean, and what is
// reached of them, is the Runner's business.
type Level string

const (
	ReadOnly       Level = "read-only"       // for discovery
	WorkspaceWrite Level = "workspace-write" // for approved calls
)

// A Process is a program to run to its end.
type Process struct {
	Argv                 []string
	Dir                  string
	Env                  []string // the whole environment
	Stdin                []byte
	MaxStdout, MaxStderr int // bytes; a program that writes more is ended
	Level                Level

	// Named are the words of Argv that the configuration has: a sandbox shows what they name. A tool's own name is
	// none of them.
	Named []string
}

// An Outcome is what became of a Process.
type Outcome struct {
	Stdout, Stderr []byte // cut at their bounds
	Exceeded       string // the stream that went over its bound: stdout, stderr; "" for none
	Lost           error  // why a part of what it printed could not be kept, a full disk for example; nil: all was
	Code           int    // exit status, -1 if a signal ended it
	Signal         string // SIGKILL; "" if none did
	Hint           string // what to do about a failure, as far as the sandbox knows; "": it knows nothing
	Sandbox        any    // what held the process, for Result.Meta; nil: nothing did
}

// A Runner runs processes, and ends each with its whole tree when it is over or
// ctx is done. The error says that the program could not be started, or is
// ctx's, with the Outcome so far.
type Runner interface {
	Run(ctx context.Context, p Process) (*Outcome, error)
}

// Source is a tool.Source named command. Its methods are safe for concurrent use.
type Source struct {
	cfg Config
	o   Options

	mu    sync.Mutex
	asked bool // the first listing is over: later ones run the command

	failed atomic.Bool // the last listing
}

var (
	_ tool.Source  = (*Source)(nil)
	_ tool.Watcher = (*Source)(nil)
)

// New makes a source. It starts nothing.
func New(c Config, o Options) *Source {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.CallTimeout = cmp.Or(c.CallTimeout, DefaultCallTimeout)
	c.TTL = cmp.Or(c.TTL, DefaultTTL)
	if o.Runner == nil {
		o.Runner = plain{}
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Source{cfg: c, o: o}
}

// Name is command.
func (s *Source) Name() string { return string(tool.Command) }

var errEmpty = errors.New("tool discovery command is empty")

// words splits a command, with ~ and $HOME replaced by the home. Only white space or quotes are no command.
func words(command, home string) ([]string, error) {
	w, err := programs.Split(command, home)
	if err != nil {
		return nil, fmt.Errorf("tool discovery: the command %q: %w", command, err)
	}
	if strings.Join(w, "") == "" || w[0] == "" {
		return nil, errEmpty
	}
	return w, nil
}

// Check tells whether one of the two commands can never run: it is blank, or a
// quote in it is not closed.
func (c *Config) Check() error {
	for _, cmd := range []string{c.Discover, c.Call} {
		if _, err := words(cmd, ""); cmd != "" && err != nil {
			return err
		}
	}
	return nil
}

// digest names the configuration by its content.
func (c *Config) digest() string {
	b, _ := json.Marshal([]string{c.Discover, c.Call, c.Dir}) // strings only
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// home is the person's, "" where the environment has none.
func (s *Source) home() string { return valueIn(s.o.Environ, "HOME") }

// valueIn is a variable of an environment; of several the last counts.
func valueIn(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

func (s *Source) warn(msg string, args ...any) {
	if s.o.Log != nil {
		s.o.Log.Warn(msg, args...)
	}
}
