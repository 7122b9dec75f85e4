package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"helve/builtin"
	"helve/codetool"
	"helve/engine/exact"
	"helve/engine/tree"
	"helve/internal/config"
	"helve/internal/resolved"
	"helve/internal/version"
	"helve/policy"
	"helve/source"
	"helve/tool"
	"helve/tool/telemetry"
	"helve/wrap"
)

// locate finds the folders, and where state lies.
func (w *Assembly) locate() error {
	if w.o.Log == nil {
		w.o.Log = slog.New(slog.DiscardHandler)
	}
	if w.o.Environ == nil {
		w.o.Environ = os.Environ()
	}
	w.places = placesOf(w.o, w.getenv)
	dirs := w.o.Dirs
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	for _, d := range dirs {
		dir, err := Folder(d)
		if err != nil {
			return err
		}
		if what := w.tooWide(dir); what != "" && !w.o.AllowHome {
			if len(w.dirs) > 0 {
				return fmt.Errorf("workspace: %s is %s: it is no further folder to work in\n"+
					"hint: name a project's own folder, or allow it: --allow-home", dir, what)
			}
			w.fixed = fmt.Sprintf("%s is %s, in which tools change nothing: "+
				"work in a project's own folder, or start helve with --allow-home", dir, what)
			w.warn("workspace: %s", w.fixed)
		}
		w.dirs = append(w.dirs, dir)
	}
	return nil
}

// placesOf says where configuration and state lie.
func placesOf(o Options, getenv func(string) string) config.Environment {
	e := config.EnvironmentOf(getenv)
	e.StateDir = cmp.Or(o.State, e.StateDir)
	e.CacheDir = cmp.Or(o.Cache, e.CacheDir)
	e.Managed = cmp.Or(o.Layers.Managed, e.Managed)
	return e
}

// Folder is a folder as a workspace sees it: absolute, links resolved. What is no folder, or cannot be read, is an
// error.
func Folder(dir string) (string, error) {
	if dir == "" { // a variable that is not set; the working directory is .
		return "", errors.New("workspace: the name of the folder is empty")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	st, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &missingFolder{dir, err}
	}
	if err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	if !st.IsDir() {
		return "", fmt.Errorf("workspace: %s is not a directory", dir)
	}
	f, err := os.Open(dir)
	if err == nil {
		err = errors.Join(f.Close(), reachable(dir))
	}
	if err != nil {
		return "", fmt.Errorf("workspace: %w\nhint: whoever runs this must be able to read the folder", err)
	}
	return filepath.EvalSymlinks(dir)
}

// A missingFolder is a workspace that is not there, in words for a person; it is fs.ErrNotExist.
type missingFolder struct {
	dir string
	err error
}

func (e *missingFolder) Error() string {
	return "workspace: there is no folder " + e.dir + "\nhint: name one that is there, or make it first"
}

func (e *missingFolder) Unwrap() error { return e.err }

// reachable tells whether what is in a folder can be looked at: to read the folder is another right.
func reachable(dir string) error {
	_, err := os.Lstat(dir + string(filepath.Separator) + ".")
	return err
}

// tooWide tells why a folder is more than a workspace should be; "" if it is not. What configures helve, and what it
// keeps, would be a part of such a workspace: a tool that changes files there could free itself.
func (w *Assembly) tooWide(dir string) string {
	if filepath.Dir(dir) == dir {
		return "the root of the file system"
	}
	home := w.getenv("HOME")
	real, err := filepath.EvalSymlinks(home)
	if err == nil && home != "" && real == dir {
		return "your home folder"
	}
	for _, own := range append(w.guarded(), w.places.CacheDir) {
		if _, ok := inside(dir, resolved.Paths{}.Of(filepath.Clean(own))); ok {
			return "a folder that holds helve's own files (" + own + ")"
		}
	}
	return ""
}

// configure reads the layers and chooses the profile.
func (w *Assembly) configure() error {
	trust := config.TrustStore{Dir: w.places.StateDir}
	c, err := w.load(func(dir, digest string) bool {
		return w.o.Trust || trust.Accepted(dir, digest)
	})
	if err != nil {
		return err
	}
	w.tell(c)
	w.settings, err = chosen(c)
	if err == nil && w.o.Foreign {
		err = w.settings.foreignMode()
	}
	w.now.Store(w.settings)
	return err
}

// load reads the layers.
func (w *Assembly) load(trusted func(dir, digest string) bool) (*config.Config, error) {
	o := w.configOptions(trusted)
	if w.o.Layers.Pushed != nil {
		var err error
		if o.Pushed, err = w.o.Layers.Pushed(); err != nil {
			return nil, err
		}
	}
	return config.Load(w.places, o)
}

func (w *Assembly) configOptions(trusted func(dir, digest string) bool) config.Options {
	return config.Options{
		Workspace: w.Dir(),
		UserFile:  w.o.Layers.User,
		Program:   w.o.Config,
		Instead:   w.o.Layers.Instead,
		Flags: config.Flags{
			Mode:          w.o.Mode,
			Profile:       w.o.Profile,
			Tools:         string(w.o.Layers.Tools),
			HasTools:      w.o.Layers.Tools != nil,
			DisabledTools: w.o.Layers.DisabledTools,
		},
		Tolerant: w.o.Tolerant,
		Trusted:  trusted,
	}
}

// tell says what is to be known of a configuration that is used all the same.
func (w *Assembly) tell(c *config.Config) {
	for _, text := range c.Warnings {
		w.warn("%s", text)
	}
	if line := c.IgnoredLine(); line != "" {
		w.notice("%s", line)
	}
}

func (w *Assembly) warn(format string, args ...any) {
	w.o.Log.Warn(fmt.Sprintf(format, args...))
}

func (w *Assembly) notice(format string, args ...any) {
	w.o.Log.Log(context.Background(), LevelNotice, fmt.Sprintf(format, args...))
}

// openTools opens the folders for the built-in tools, and the index of their code. Both do nothing before one of the
// tools is called.
func (w *Assembly) openTools() (err error) {
	ignored := tree.GitIgnoreFile(w.getenv)
	w.trees = &tree.Set{Config: tree.Config{GlobalIgnore: ignored}}
	box := w.sandbox()
	cache := w.settings.indexes(w.places.CacheDir)
	w.files, err = builtin.Open(builtin.Options{
		Dirs:         w.dirs,
		State:        w.places.StateDir,
		Environ:      w.o.Environ,
		Cache:        cache,
		Resident:     w.o.Resident,
		Trees:        w.trees,
		Pages:        filepath.Join(w.places.CacheDir, "pages"),
		ReadsFolders: !w.o.Worker,
		Denied:       w.denied,
		DeniedWrite:  w.deniedWrite,
		Guarded:      func(target string) string { return w.rules().Guards(target) },
		Asks:         func(target string) string { return w.rules().Asks(target) },
		Asking:       w.askingHere,
		SomeDenied:   func() bool { return w.rules().DeniesSome(tool.Read) },
		Secret:       w.secret,
		SecretList:   w.secretList,
		OneCall:      w.o.OneCall,
		Attached:     w.o.Attached,
		AllowPrivate: w.settings.privateHosts(),
		Summarizer:   w.o.Summarizer,
		History:      w.settings.history(w.o.NoHistory),
		Broken:       w.broken,
		Sandbox: builtin.Sandbox{
			Level:    box.Level,
			Network:  box.Network,
			Sockets:  box.Sockets,
			Writable: box.Writable,
			Readable: box.Readable,
			Masked:   box.Masked,
			Idle:     time.Duration(w.settings.Limits.IdleMS) * time.Millisecond,
			Reach:    w.reachOf(),
		},
	})
	if err != nil {
		return err
	}
	w.later(w.files.Close)
	w.code, err = codetool.Open(codetool.Options{
		Dir:      w.Dir(),
		Cache:    cache,
		Version:  version.String(),
		Resident: w.o.Resident,
		Trees:    w.trees,
		Environ:  w.o.Environ,
		Denied:   func(target string) bool { return w.denied(target) || w.secret(target) },
		Checker:  w.checker(),
	})
	if err != nil {
		return err
	}
	w.later(w.code.Close)
	return w.makeTools()
}

// checker asks the language servers of this machine, if the configuration says so; nil: nobody is asked.
func (w *Assembly) checker() codetool.Checker {
	if w.settings.Code == nil || w.settings.Code.Exact != "auto" {
		return nil
	}
	dir, err := filepath.EvalSymlinks(w.Dir())
	if err != nil {
		dir = w.Dir()
	}
	return exact.New(exact.Options{
		Dir:     dir,
		Environ: w.o.Environ,
		Sandbox: w.sandbox(),
		Notice: func(program string, err error) {
			w.notice("code.exact: %s is not used: %v", program, err)
		},
	})
}

// broken asks the index of code what a change breaks, where it is at work and nobody has switched that off.
func (w *Assembly) broken(ctx context.Context, path string) func(context.Context) (broke []string, unchecked string) {
	if w.code == nil || w.settings.Diagnostics != nil && !*w.settings.Diagnostics {
		return nil
	}
	return w.code.Broken(ctx, path)
}

// denied tells whether a rule keeps a file from being read. It is asked by calls only, when there are rules.
func (w *Assembly) denied(target string) bool { return w.rules().Denies(tool.Read, target) }

// deniedWrite tells whether a rule keeps a file from being written.
func (w *Assembly) deniedWrite(target string) bool { return w.rules().Denies(tool.Write, target) }

// secret tells whether a file may hold secrets.
func (w *Assembly) secret(target string) bool { return w.now.Load().secret.Has(target) }

// secretList names the list by which secret tells.
func (w *Assembly) secretList() string { return w.now.Load().secret.Version() }

// makeRules makes the policy of the layers, and the approvals that were given under it.
func (w *Assembly) makeRules() error {
	rules, err := w.rulesOf(w.settings)
	if err != nil {
		return err
	}
	w.live = policy.NewLive(rules)
	w.grants = policy.NewGrants(w.grantOptions())
	return nil
}

// register registers the tools. What others bring and no list of allowed tools names is not registered at all;
// our own are, so that lists can say why they are not offered.
func (w *Assembly) register() error {
	w.registry.Admit = func(s *tool.Spec) bool {
		if s.Origin.Kind == tool.Builtin || w.rules().Admits(s) {
			return true
		}
		w.warn("%s is not among the allowed_tools, skipped", s.Origin)
		return false
	}
	w.later(w.registry.Close)
	if err := w.registry.Add(w.tools...); err != nil {
		return err
	}
	w.tellUnsaid(w.o.Tools)
	return nil
}

// makeSources makes the sources that the configuration names. One that cannot be made is said, and left out.
func (w *Assembly) makeSources() error {
	w.loader = &source.Loader{
		Registry: w.registry,
		Patience: w.patience,
		Away:     isAway,
		Late: func(err *source.Error) {
			w.o.Log.Error(err.Err.Error())
		},
	}
	w.later(w.closeServers)
	w.later(w.loader.Close)
	return w.addSources()
}

// makeKit puts together all that stands around a call.
func (w *Assembly) makeKit() error {
	hooks, err := w.hooks()
	if err != nil {
		return err
	}
	records := Records{w.places.StateDir}
	journal := records.journal()
	counts := &wrap.Counter{}
	unkept := w.onceOnly("the record of calls cannot be kept")
	w.later(func() error {
		if err := records.count(counts); err != nil { // what the calls did stands all the same
			unkept(err)
		}
		return nil
	})
	w.later(journal.Close)
	w.record = journal.Append
	journal.Fail = unkept
	audit := wrap.Audit(wrap.AuditOptions{
		Workspace: w.Dir(),
		Principal: "local",
		Write:     journal.Append,
		Later:     journal.Later,
		Args:      w.o.RecordArgs,
		Fail:      unkept,
	})
	w.around = slices.Clone(w.o.Outermost)
	if w.o.Telemetry != nil {
		w.around = append(w.around, telemetry.Calls{To: w.o.Telemetry}.Around)
	}
	w.around = append(w.around,
		w.calls.around,
		counts.Count)
	if !w.o.Unrecorded {
		w.around = append(w.around, audit)
	}
	w.around = append(w.around,
		w.unused.idle.Mark)
	if review := w.review(); review != nil {
		w.around = append(w.around, review.Around(w.Kit, w.seenBy, w.Servers))
	}
	w.around = append(w.around, hooks.Around)
	w.around = append(w.around, w.o.Around...)
	o, err := w.kitOptions(KitOptions{})
	if err != nil {
		return err
	}
	w.kit = w.registry.Kit(o)
	return nil
}
