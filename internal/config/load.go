package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/json"
)

const notTrusted = "the workspace is not trusted"

// Options say what Load reads. The zero value reads no project and trusts nobody.
type Options struct {
	Workspace string // absolute; "" means there is no project
	UserFile  string // stands in for the user layer (--config)
	Flags     Flags

	// Instead are contents that count in place of those of files, by path: what a change would mean
	// is looked at before it is made.
	Instead map[string][]byte

	// Program is what a Go program says in its own text: a layer above the files of the person and the project, below
	// the flags. It may say what the person may. nil: there is none.
	Program []byte

	// Pushed is a layer above all others that only takes rights away, as the managed one: what comes over the bus. nil:
	// there is none.
	Pushed []byte

	// Keys are further keys that a configuration may have at its top: Get has their values, and nothing else looks at
	// them. nil: there are none.
	Keys []string

	// Trusted tells whether a person accepted this content of the workspace's configuration. nil:
	// nobody did.
	Trusted func(workspace, digest string) bool

	// Tolerant is for servers, which should not die of a file that somebody else wrote: unknown
	// keys are warnings, and a user or project file that does not parse leaves a read-only
	// configuration. The managed layer and the flags stay strict.
	Tolerant bool
}

// A Config is what all layers together say.
type Config struct {
	Values          // merged
	Layers  []Layer // highest first; what only tightens says so
	Ignored []Ignored

	Workspace string
	Project   bool   // there is a project configuration
	Digest    string // of its content
	content   []found
	Trusted   bool

	Warnings []string // one line each, for stderr
	Degraded bool     // a file could not be read: everything is read-only

	merged json.Node
	places *places
}

// Load reads every layer. The error joins all that is wrong, each with its file and line.
func Load(env Environment, o Options) (*Config, error) {
	all := &places{further: o.Keys}
	l := loader{env: env, o: o, places: all, c: &Config{Workspace: o.Workspace, places: all}}
	flags, err := all.flagsLayer(o.Flags)
	if err != nil {
		return nil, err
	}
	l.flags = &flags
	l.managed = l.config("managed", env.Managed, "config")
	if o.Pushed != nil {
		l.pushed = l.parse(o.Pushed, Place{Layer: "bus", File: "bus"}, false)
	}
	l.user = l.userFile()
	if o.Workspace != "" {
		l.loadProject()
	}
	if o.Program != nil {
		l.program = l.parse(o.Program, Place{Layer: "program", File: "Options.Config"}, false)
	}
	l.check(l.flags, false)
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	return l.build(), nil
}

type loader struct {
	env    Environment
	o      Options
	places *places
	c      *Config
	errs   []error

	flags, user, managed *json.Node // nil: not there
	program, pushed      *json.Node
	project              []*json.Node // highest first
	content              []found      // of the project
}

// read reads a file, or what counts in its place.
func (l *loader) read(path string) ([]byte, error) {
	if text, ok := l.o.Instead[path]; ok {
		return text, nil
	}
	return readFile(path)
}

// A found file is one that was there.
type found struct {
	name string // below the workspace
	text []byte
}

func (l *loader) userFile() *json.Node {
	if l.o.UserFile == "" {
		return l.config("user", l.env.user(), "config")
	}
	text, err := l.read(l.o.UserFile)
	if missing(err) { // it was asked for by name
		err = fmt.Errorf("there is no configuration %s\nhint: name one that is there, or make it first", l.o.UserFile)
	}
	if err != nil {
		l.errs = append(l.errs, err)
		return nil
	}
	return l.parse(text, Place{Layer: "user", File: l.o.UserFile}, false)
}

// config reads dir/base.json or dir/base.toml; nil if neither is there.
func (l *loader) config(layer, dir, base string) *json.Node {
	if dir == "" {
		return nil
	}
	tolerant := l.o.Tolerant && layer != "managed"
	var at Place
	var text []byte
	for _, ext := range []string{".json", ".toml"} {
		path := filepath.Join(dir, base+ext)
		got, err := l.read(path)
		switch {
		case missing(err):
			continue
		case err != nil:
			l.fail(err, tolerant)
		case at.File != "":
			const both = "%s and %s: both are there, and only one can count: remove one"
			l.fail(fmt.Errorf(both, at.File, filepath.Base(path)), tolerant)
			return nil
		default:
			at, text = Place{Layer: layer, File: path}, got
		}
	}
	if at.File == "" {
		return nil
	}
	if layer == "project" {
		l.found(at.File, text)
	}
	return l.parse(text, at, tolerant)
}

// missing tells that there is no such file; a file where a folder should be is none either.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || err != nil && strings.Contains(err.Error(), "not a directory")
}

func (l *loader) found(path string, text []byte) {
	name, err := filepath.Rel(l.o.Workspace, path)
	if err != nil {
		name = path
	}
	l.content = append(l.content, found{filepath.ToSlash(name), text})
}

func (l *loader) parse(text []byte, at Place, tolerant bool) *json.Node {
	n, err := l.places.parse(text, at)
	if err != nil {
		l.fail(err, tolerant)
		return nil
	}
	l.check(&n, tolerant)
	return &n
}

// check decodes a layer on its own, to find what is wrong in it. What is wrong is taken out when it
// is tolerated.
func (l *loader) check(n *json.Node, tolerant bool) {
	_, problems := l.places.decode(n)
	for _, p := range problems {
		if p.Unknown && tolerant {
			l.warn("%s: ignored", p)
		} else {
			l.fail(p, tolerant)
		}
		if !tolerant {
			continue
		}
		list, _, _ := strings.Cut(p.Key, "[")
		top, _, _ := strings.Cut(list, ".")
		// An unknown key deeper down is ignored where it stands; what is known beside it counts.
		if !p.Unknown || top == p.Key {
			n.Remove(top)
		}
	}
}

// fail notes an error, or, where it is tolerated, leaves everything read-only.
func (l *loader) fail(err error, tolerant bool) {
	if !tolerant {
		l.errs = append(l.errs, err)
		return
	}
	l.c.Degraded = true
	l.warn("%v: starting read-only", err)
}

func (l *loader) warn(format string, args ...any) {
	l.c.Warnings = append(l.c.Warnings, fmt.Sprintf(format, args...))
}

// build lays the layers upon each other, from the lowest.
func (l *loader) build() *Config {
	c := l.c
	c.merged = l.constant(defaults)
	c.add("default", c.merged, false)
	if l.user != nil {
		c.lay("user", *l.user)
	}
	l.trust()
	for _, n := range slices.Backward(l.project) {
		l.layProject(n)
	}
	if l.program != nil {
		c.lay("program", *l.program)
	}
	c.lay("flags", *l.flags)
	if l.managed != nil {
		c.tightened("managed", l.managed, "the managed layer sets floors only")
	}
	if l.pushed != nil {
		c.tightened("bus", l.pushed, "the policy of the bus only takes rights away")
	}
	if c.Degraded {
		locked := l.constant(readOnly)
		c.tightened("default", &locked, "")
	}
	slices.Reverse(c.Layers)
	c.Values, _ = l.places.decode(&c.merged)
	return c
}

func (l *loader) layProject(n *json.Node) {
	kept, ignored := l.places.ownersOnly(n)
	l.c.Ignored = append(l.c.Ignored, ignored...)
	if l.c.Trusted {
		l.c.lay("project", kept)
		return
	}
	l.c.tightened("project", &kept, notTrusted)
}

// lay puts a layer that may say anything upon the others.
func (c *Config) lay(name string, n json.Node) {
	c.add(name, n, false)
	c.merged = merge(&c.merged, &n)
}

// tightened puts on what only takes rights away, and remembers the rest with the reason.
func (c *Config) tightened(name string, n *json.Node, why string) {
	t := tightener{places: c.places, why: why, base: &c.merged}
	kept := t.tighten(n, &c.merged, "")
	c.Ignored = append(c.Ignored, t.ignored...)
	c.add(name, kept, true)
	c.merged = merge(&c.merged, &kept)
}

func (c *Config) add(name string, n json.Node, tightens bool) {
	if len(n.Kids) == 0 {
		return
	}
	c.Layers = append(c.Layers, Layer{
		Name:     name,
		File:     c.places.of(&n).File,
		Tightens: tightens,
		root:     n,
		places:   c.places,
	})
}

// What stands without any file, and what is left of a configuration that cannot be read.
const (
	defaults = `{"mode":"ask","profile":"default","review":"call","write":true,"todo":true,"history":true,"script":false,
		"sandbox":{"level":"workspace-write","network":false},"search":{"index":"auto"},"code":{"exact":"off"},"limits":{"result_bytes":40000,"server_processes_per_client":4,"server_processes":64}}`
	readOnly = `{"mode":"plan","write":false}`
)

func (l *loader) constant(text string) json.Node {
	n, err := l.places.parseJSON([]byte(text), Place{Layer: "default"})
	if err != nil {
		panic(err) // one of the two above
	}
	return n
}
