package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/config"
	"helve/internal/resolved"
)

// places are the folders that the tools work in, and where helve keeps what is its own.
type places struct {
	config.Environment
	environ []string // of the person, as os.Environ gives it
	dirs    []string // the workspace's first, with links resolved
	fixed   string   // why nothing in the workspace may be changed; "": it may
}

// locate finds the folders, and where state lies.
func locate(o *Options, say messages) (*places, error) {
	p := &places{environ: o.Environ}
	p.Environment = environmentOf(o, p.getenv)
	dirs := o.Dirs
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	for _, d := range dirs {
		dir, err := Folder(d)
		if err != nil {
			return nil, err
		}
		if what := p.tooWide(dir); what != "" && !o.AllowHome {
			if len(p.dirs) > 0 {
				return nil, fmt.Errorf("workspace: %s is %s: it is no further folder to work in\n"+
					"hint: name a project's own folder, or allow it: --allow-home", dir, what)
			}
			p.fixed = fmt.Sprintf("%s is %s, in which tools change nothing: "+
				"work in a project's own folder, or start helve with --allow-home", dir, what)
			say.warn("workspace: %s", p.fixed)
		}
		p.dirs = append(p.dirs, dir)
	}
	return p, nil
}

// dir is the workspace's folder.
func (p *places) dir() string { return p.dirs[0] }

// getenv is one variable of the person; the last of several counts.
func (p *places) getenv(name string) string {
	for _, kv := range slices.Backward(p.environ) {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}

// environmentOf says where configuration and state lie.
func environmentOf(o *Options, getenv func(string) string) config.Environment {
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
		return "", fmt.Errorf("workspace: %s is not a directory\nhint: name the folder that it is in", dir)
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
func (p *places) tooWide(dir string) string {
	if filepath.Dir(dir) == dir {
		return "the root of the file system"
	}
	home := p.getenv("HOME")
	real, err := filepath.EvalSymlinks(home)
	if err == nil && home != "" && real == dir {
		return "your home folder"
	}
	for _, own := range p.ownFolders() {
		if resolved.Within(dir, resolved.Paths{}.Of(filepath.Clean(own))) {
			return "a folder that holds helve's own files (" + own + ")"
		}
	}
	return ""
}

// guarded are the folders that decide about rights: no tool writes there, and no sandbox opens them.
func (p *places) guarded() []string {
	return []string{
		p.StateDir,
		filepath.Join(p.ConfigHome, "helve"),
		p.Managed,
	}
}

// ownFolders are all folders of helve's own.
func (p *places) ownFolders() []string { return append(p.guarded(), p.CacheDir) }

// guardedTargets are these as effects name them: what lies below the workspace is named from there.
func (p *places) guardedTargets() []string {
	return p.targetsOf(p.ownFolders())
}

// guardedInside are the folders of helve's own that lie in the workspace, as where the home is the workspace.
func (p *places) guardedInside() []string {
	known := resolved.Paths{}
	return slices.DeleteFunc(p.guarded(), func(g string) bool {
		real := known.Of(filepath.Clean(g))
		return !slices.ContainsFunc(p.dirs, func(dir string) bool { return resolved.Within(dir, real) })
	})
}

// overlap tells whether one of two folders is the other, or lies in it.
func overlap(a, b string) bool { return resolved.Within(a, b) || resolved.Within(b, a) }

// targetsOf are paths as effects name them: what lies below the workspace is named from there, too.
func (p *places) targetsOf(paths []string) []string {
	out := slices.Clone(paths)
	known := resolved.Paths{}
	for _, path := range paths {
		real := known.Of(filepath.Clean(path))
		for i, dir := range p.dirs {
			rel, ok := resolved.Below(dir, real)
			if !ok {
				continue
			}
			target := filepath.ToSlash(rel)
			if i > 0 {
				target = "//" + filepath.Base(dir) + "/" + target
			}
			out = append(out, target)
		}
	}
	return out
}
