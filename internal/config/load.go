package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

const notTrusted = "the workspace is not trusted"

// Options say what Load reads. The zero value reads no project and trusts nobody.
type Options struct {
	Workspace string // absolute; "" means there is no project
	UserFile  string // stands in for the user layer (--config)
	Flags     Flags

	// Trusted tells whether a person accepted this content of the workspace's configuration. nil: nobody did.
	Trusted func(workspace, digest string) bool

	// Tolerant is for servers, which should not die of a file that somebody else wrote: unknown keys are warnings, and a user or
	// project file that does not parse leaves a read-only configuration (⚑11). The managed layer and the flags stay strict.
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

	merged *node
}

// Load reads every layer. The error joins all that is wrong, each with its file and line.
func Load(env Environment, o Options) (*Config, error) {
	l := loader{env: env, o: o, c: &Config{Workspace: o.Workspace}}
	flags, err := o.Flags.layer()
	if err != nil {
		return nil, err
	}
	l.flags = flags
	l.managed = l.config("managed", env.Managed, "config")
	l.user = l.userFile()
	if o.Workspace != "" {
		l.loadProject()
	}
	l.check(flags, false)
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	return l.build(), nil
}

type loader struct {
	env  Environment
	o    Options
	c    *Config
	errs []error

	flags, user, managed *node
	project              []*node // highest first
	content              []found // of the project
}

// A found file is one that was there.
type found struct {
	name string // below the workspace
	text []byte
}

func (l *loader) userFile() *node {
	if l.o.UserFile == "" {
		return l.config("user", l.env.user(), "config")
	}
	text, err := readFile(l.o.UserFile)
	if err != nil { // it was asked for by name: a missing one is an error, too
		l.errs = append(l.errs, err)
		return nil
	}
	return l.parse(text, Place{Layer: "user", File: l.o.UserFile}, false)
}

// config reads dir/base.json or dir/base.toml; nil if neither is there.
func (l *loader) config(layer, dir, base string) *node {
	if dir == "" {
		return nil
	}
	tolerant := l.o.Tolerant && layer != "managed"
	var at Place
	var text []byte
	for _, ext := range []string{".json", ".toml"} {
		path := filepath.Join(dir, base+ext)
		got, err := readFile(path)
		switch {
		case missing(err):
			continue
		case err != nil:
			l.fail(err, tolerant)
		case at.File != "":
			l.fail(fmt.Errorf("%s and %s: both are there, and only one can count: remove one", at.File, filepath.Base(path)), tolerant)
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

func (l *loader) parse(text []byte, at Place, tolerant bool) *node {
	n, err := parse(text, at)
	if err != nil {
		l.fail(err, tolerant)
		return nil
	}
	l.check(n, tolerant)
	return n
}

// check decodes a layer on its own, to find what is wrong in it. What is wrong is taken out when it is tolerated.
func (l *loader) check(n *node, tolerant bool) {
	_, problems := decodeValues(n)
	for _, p := range problems {
		if p.Unknown && tolerant {
			l.warn("%s: ignored", p)
		} else {
			l.fail(p, tolerant)
		}
		if tolerant {
			top, _, _ := strings.Cut(strings.SplitN(p.Key, "[", 2)[0], ".")
			if !p.Unknown || top == p.Key {
				n.remove(top)
			}
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
	c.merged = defaults()
	c.add("default", c.merged, false)
	if l.user != nil {
		c.lay("user", l.user)
	}
	l.trust()
	for _, n := range slices.Backward(l.project) {
		l.layProject(n)
	}
	c.lay("flags", l.flags)
	if l.managed != nil {
		c.tightened("managed", l.managed, "the managed layer sets floors only")
	}
	if c.Degraded {
		c.tightened("default", readOnly(), "")
	}
	slices.Reverse(c.Layers)
	c.Values, _ = decodeValues(c.merged)
	return c
}

func (l *loader) layProject(n *node) {
	n, ignored := ownersOnly(n)
	l.c.Ignored = append(l.c.Ignored, ignored...)
	if l.c.Trusted {
		l.c.lay("project", n)
		return
	}
	l.c.tightened("project", n, notTrusted)
}

func (c *Config) lay(name string, n *node) {
	c.add(name, n, false)
	c.merged = merge(c.merged, n)
}

func (c *Config) tightened(name string, n *node, why string) {
	t := tightener{why: why, base: c.merged}
	kept := t.tighten(n, c.merged, "")
	c.Ignored = append(c.Ignored, t.ignored...)
	c.add(name, kept, true)
	c.merged = merge(c.merged, kept)
}

func (c *Config) add(name string, n *node, tightens bool) {
	if len(n.fields) == 0 {
		return
	}
	c.Layers = append(c.Layers, Layer{Name: name, File: n.at.File, Tightens: tightens, root: n})
}

// defaults are what stands without any file.
func defaults() *node {
	n, err := parseJSON([]byte(`{"mode":"ask","profile":"default","write":true,"todo":true,
		"sandbox":{"level":"workspace-write","network":false},"search":{"index":"auto"},"limits":{"result_bytes":40000}}`), Place{Layer: "default"})
	if err != nil {
		panic(err) // a constant
	}
	return n
}

// readOnly is what is left of a configuration that cannot be read.
func readOnly() *node {
	n, err := parseJSON([]byte(`{"mode":"plan","write":false}`), Place{Layer: "default"})
	if err != nil {
		panic(err) // a constant
	}
	return n
}

// known are the keys of a type, for files of others that may hold more.
func known(n *node, t reflect.Type) *node {
	out := &node{at: n.at}
	for _, f := range n.fields {
		if fieldNamed(t, f.name) >= 0 {
			out.set(f.name, f.val)
		}
	}
	return out
}
