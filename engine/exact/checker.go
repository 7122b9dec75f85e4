package exact

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"helve/engine/code"
	"helve/engine/sandbox"
	"helve/internal/programs"
)

const (
	// DefaultIdle is how long a server stays without questions: a project of some size takes it seconds to read again.
	DefaultIdle = 10 * time.Minute
	// maxStart bounds the start of a server.
	maxStart = time.Minute
	// maxFailures is how often a server may fail before it is left alone.
	maxFailures = 3
	// maxSilent is how many questions in a row a server may leave without any answer until it counts as hanging:
	// while it reads a large project, the first ones are.
	maxSilent = 10
)

// Options say for which workspace servers are started, and how.
type Options struct {
	// Dir is the workspace's folder, links resolved.
	Dir string
	// Environ is the person's environment, as os.Environ gives it.
	Environ []string
	// Sandbox says what is masked and which limits hold. Level, roots, network and sockets are what this package needs.
	Sandbox sandbox.Options
	// Idle is how long a server stays without questions; 0: DefaultIdle.
	Idle time.Duration
	// Notice is told, once each, why a server is not used that is there. It may be nil.
	Notice func(program string, err error)

	start func(*server) (*process, error) // nil: in the sandbox
	list  []server                        // nil: all that are known
}

// A Checker asks language servers. It starts them when they are needed. Safe for concurrent use.
type Checker struct {
	o       Options
	servers []*running
	written *written
}

var _ code.Checker = (*Checker)(nil)

// New makes a checker. Nothing is started. Close it when no more questions come.
func New(o Options) *Checker {
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	o.Environ = outsideOnly(o.Dir, o.Environ)
	if o.list == nil && runtime.GOOS != "windows" { // nothing keeps a server there from the network
		o.list = servers()
	}
	c := &Checker{o: o, written: &written{dir: o.Dir, notice: o.Notice}}
	for i := range o.list {
		c.servers = append(c.servers, &running{spec: &o.list[i], o: &c.o, turn: make(chan struct{}, 1)})
	}
	return c
}

// Close ends all servers.
func (c *Checker) Close() error {
	c.written.close()
	for _, r := range c.servers {
		r.turn <- struct{}{} // a question under way ends soon: its time is bounded
		r.closed = true
		r.end()
		<-r.turn
	}
	return nil
}

// Checks tells whether a server of this machine knows a language, or an index that lies in the workspace may.
func (c *Checker) Checks(l code.Language) bool { return c.server(l) != nil || c.written.checks(l) }

// server is the one for a language; nil: there is none.
func (c *Checker) server(l code.Language) *running {
	for _, r := range c.servers {
		if r.spec.reads(l) && r.found() {
			return r
		}
	}
	return nil
}

// Meanings asks the index of the workspace, and the servers about what that does not know. A server that is not ready
// when ctx ends goes on starting for the questions to come.
func (c *Checker) Meanings(ctx context.Context, files iter.Seq[code.Entry], places []code.Asked) []code.Meaning {
	out := make([]code.Meaning, len(places))
	c.written.meanings(ctx, files, places, out)
	for _, r := range c.servers {
		var asked []*code.Asked
		var into []*code.Meaning
		for i := range places {
			if !out[i].Known && c.server(places[i].Language) == r {
				asked, into = append(asked, &places[i]), append(into, &out[i])
			}
		}
		if len(asked) > 0 {
			r.ask(ctx, files, asked, into)
		}
	}
	return out
}

// A running is a server that is started when it is needed, and again when it ended.
type running struct {
	spec *server
	o    *Options

	finding sync.Once
	path    string // of the program; "": there is none

	turn     chan struct{} // held by whoever uses what follows
	closed   bool
	failures int
	session  *session
	proc     *process
	started  chan error // what came of the start; nil: it is known
	silent   int        // questions in a row without any answer
	used     time.Time  // the end of the last question
	idle     *time.Timer
	working  sync.WaitGroup
}

// found tells whether the program is there. It is looked for once.
func (r *running) found() bool {
	r.finding.Do(func() {
		if r.o.start != nil {
			r.path = r.spec.program
			return
		}
		path, err := r.spec.find(r.o.Dir, r.o.Environ)
		if errors.Is(err, errInside) {
			r.notice(err)
		}
		r.path = path
	})
	return r.path != ""
}

func (r *running) notice(err error) {
	if r.o.Notice != nil {
		r.o.Notice(r.spec.program, err)
	}
}

// ask asks one question of many places, after those before it.
func (r *running) ask(ctx context.Context, files iter.Seq[code.Entry], places []*code.Asked, into []*code.Meaning) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return
	}
	if !r.ready(ctx, files) {
		return
	}
	came, err := r.session.meanings(ctx, files, places, into)
	if came > 0 {
		r.silent = 0
	} else {
		r.silent++
	}
	switch {
	case err != nil:
		r.failed(err)
	case r.silent >= maxSilent:
		r.failed(errHangs)
	default:
		r.later()
	}
}

var errHangs = errors.New("it does not answer")

// ready starts the server if it does not run, and waits until it can be asked. The turn is held.
func (r *running) ready(ctx context.Context, files iter.Seq[code.Entry]) bool {
	if r.closed || r.failures >= maxFailures {
		return false
	}
	if r.session == nil {
		if err := r.start(files); err != nil {
			r.failed(err)
			return false
		}
	}
	if r.started == nil {
		return true
	}
	select {
	case err := <-r.started:
		r.started = nil
		if err != nil {
			r.failed(err)
		}
		return err == nil
	case <-ctx.Done():
		r.later()
		return false
	}
}

// start starts the program, and lets it be greeted meanwhile.
func (r *running) start(files iter.Seq[code.Entry]) error {
	with, err := r.prepare(files)
	if err != nil {
		return err
	}
	proc, err := r.launch(with.env)
	if err != nil {
		return err
	}
	c := newConn(proc.in, r.spec.protocol == lsp, answered(with.settings))
	s := newSession(r.spec, r.o.Dir, c, files)
	s.settings = with.settings
	started := make(chan error, 1)
	r.proc, r.session, r.started, r.silent = proc, s, started, 0
	r.working.Go(func() { c.read(proc.out) }) // until the process has ended
	r.working.Go(c.write)
	r.working.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), maxStart)
		defer cancel()
		started <- s.words.start(ctx)
	})
	return nil
}

// prepare finds what the server is started with.
func (r *running) prepare(files iter.Seq[code.Entry]) (prepared, error) {
	if r.spec.prepare == nil {
		return prepared{settings: r.spec.settings}, nil
	}
	return r.spec.prepare(r.o.Dir, r.o.Environ, func(yield func(string) bool) {
		for f := range files {
			if r.spec.reads(code.LanguageOf(f.Path, nil)) && !yield(f.Path) {
				return
			}
		}
	})
}

func (r *running) launch(env []string) (*process, error) {
	if r.o.start != nil {
		return r.o.start(r.spec)
	}
	box := r.o.Sandbox
	box.Level = sandbox.ReadOnly
	box.Roots = []string{r.o.Dir}
	box.Network, box.Sockets, box.Writable, box.Caches = false, false, nil, nil
	env = slices.Concat(sandbox.Env(r.o.Environ), env, r.spec.env)
	argv := []string{r.path}
	need := programs.For(programs.Command{Argv: argv, Dir: r.o.Dir, Env: env, Home: box.Home, Roots: box.Roots})
	shown := box.Shows(need.Readable, need.Named, need.Masked)
	return launch(shown, append(argv, r.spec.args...), r.o.Dir, env)
}

// failed ends a server that cannot be used. The turn is held.
func (r *running) failed(err error) {
	r.end()
	if r.failures++; r.failures == maxFailures {
		r.notice(err)
	}
}

// end ends the server, if it runs. The turn is held.
func (r *running) end() {
	if r.idle != nil {
		r.idle.Stop()
		r.idle = nil
	}
	if r.session == nil {
		return
	}
	r.session.conn.end(context.Canceled) // who waits for the start need not wait for its time
	r.proc.close()
	r.working.Wait()
	r.session, r.proc, r.started = nil, nil, nil
}

// later has the server end when no question comes for a while. The turn is held.
func (r *running) later() {
	r.used = time.Now()
	if r.idle == nil {
		r.idle = time.AfterFunc(r.o.Idle, r.unused)
		return
	}
	r.idle.Reset(r.o.Idle)
}

// unused ends a server that nobody asked for a while. It waits for its turn: whoever has it may just have called later.
func (r *running) unused() {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	if time.Since(r.used) >= r.o.Idle {
		r.end()
	}
}
