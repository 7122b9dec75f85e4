package exact

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"helve/engine/code"
)

// rust-analyzer asks cargo what a project consists of, and cargo and rustup let a project name programs: wrappers of
// the compiler, toolchains by their folder. What follows keeps it to programs of the person.

// rustServer is rust-analyzer. Scripts that build, and macros that are programs, are code of the project and of what it
// needs: they are not run, and what they make is not known.
func rustServer() server {
	return server{
		program:   "rust-analyzer",
		languages: []code.Language{code.Rust},
		env: []string{
			"CARGO_NET_OFFLINE=true", "CARGO_TERM_COLOR=never", "RUSTUP_AUTO_INSTALL=0",
			// These count before what .cargo/config.toml says; an empty wrapper is none.
			"RUSTC=rustc", "RUSTC_WRAPPER=", "RUSTC_WORKSPACE_WRAPPER=",
		},
		prepare: prepareRust,
	}
}

// maxManifests bounds the projects of one workspace that rust-analyzer reads.
const maxManifests = 32

var (
	errNoManifest = errors.New("no Cargo.toml is above its files")
	errDecides    = errors.New("rust-analyzer.toml in the workspace may have it start programs")
)

// prepareRust names the projects: the uppermost Cargo.toml above each file. A rust-project.json is passed over,
// because it may name the folder of a compiler.
func prepareRust(root string, environ []string, files iter.Seq[string]) (prepared, error) {
	var manifests []string
	seen := map[string]bool{}
	for f := range files {
		found := ""
		for dir := path.Dir(f); ; dir = path.Dir(dir) {
			if seen[dir] {
				break // all above it was looked at, and belongs to what was found there
			}
			seen[dir] = true
			if regular(root, dir, "rust-analyzer.toml") || regular(root, dir, ".rust-analyzer.toml") {
				return prepared{}, errDecides
			}
			if regular(root, dir, "Cargo.toml") {
				found = dir
			}
			if dir == "." {
				break
			}
		}
		if found != "" {
			manifests = append(manifests, found)
		}
	}
	list := uppermost(manifests)
	if len(list) == 0 {
		return prepared{}, errNoManifest
	}
	for i, dir := range list {
		list[i] = filepath.Join(root, filepath.FromSlash(dir), "Cargo.toml")
	}
	settings, err := json.Marshal(object{
		"linkedProjects": list,
		"cargo":          object{"buildScripts": object{"enable": false}, "autoreload": false},
		"procMacro":      object{"enable": false},
		"checkOnSave":    false,
		"cachePriming":   object{"enable": false},
		"files":          object{"watcher": "client"},
		"numThreads":     2,
	})
	return prepared{string(settings), toolchain(environ)}, err
}

// uppermost are the folders of a list that lie in no other of it, sorted; no more than maxManifests.
func uppermost(dirs []string) []string {
	slices.Sort(dirs)
	var out []string
	for _, d := range dirs {
		inside := func(o string) bool { return o == "." || o == d || strings.HasPrefix(d, o+"/") }
		if !slices.ContainsFunc(out, inside) && len(out) < maxManifests {
			out = append(out, d)
		}
	}
	return out
}

// regular tells whether there is a file of this name in a folder of the workspace.
func regular(root, dir, name string) bool {
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(dir), name))
	return err == nil && !info.IsDir()
}

// maxToolchains is how much of rustup's settings is read, in bytes.
const maxToolchains = 64 << 10

// toolchain names the person's own toolchain to rustup, before what rust-toolchain.toml in a workspace may name: that
// may be a folder of the workspace. nil: there is no rustup, and nothing that would ask it.
func toolchain(environ []string) []string {
	value := func(name string) string {
		for _, e := range environ {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v
			}
		}
		return ""
	}
	if t := value("RUSTUP_TOOLCHAIN"); t != "" {
		return []string{"RUSTUP_TOOLCHAIN=" + t}
	}
	home := value("RUSTUP_HOME")
	if home == "" {
		home = filepath.Join(value("HOME"), ".rustup")
	}
	f, err := os.Open(filepath.Join(home, "settings.toml"))
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxToolchains))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		name, t, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(name) == "default_toolchain" {
			return []string{"RUSTUP_TOOLCHAIN=" + strings.Trim(strings.TrimSpace(t), `"`)}
		}
	}
	return nil
}
