package main

import (
	_ "embed"
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// launcher is the wrapper's program: it finds the package of this platform and runs the binary in
// it.
//
//go:embed launcher.cjs
var launcher []byte

// nodeOS and nodeArch are Node's words for Go's.
var (
	nodeOS   = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
	nodeArch = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// A manifest is a package.json, as far as these packages have one.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Repository           string            `json:"repository,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Files                []string          `json:"files,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

// npm makes the packages as `npm pack` would: one for each platform, and a wrapper that asks for
// all of them optionally, so that npm installs the one that fits.
func (r *release) npm() error {
	wrapper := r.manifest(r.npmName(""))
	wrapper.Bin = map[string]string{"helve": "helve.cjs"}
	wrapper.Files = []string{"helve.cjs"}
	wrapper.OptionalDependencies = map[string]string{}
	// Each asks for the very version of the others: a wrapper never starts another version's
	// program.
	for _, t := range r.targets {
		name := r.npmName("-" + nodeOS[t.os] + "-" + nodeArch[t.arch])
		wrapper.OptionalDependencies[name] = r.version
		m := r.manifest(name)
		m.OS, m.CPU = []string{nodeOS[t.os]}, []string{nodeArch[t.arch]}
		m.PreferUnplugged = true // a binary cannot run out of a zip
		program := entry{"package/" + t.exe("helve"), r.binary(t), 0o755}
		if err := r.npmPackage(m, program); err != nil {
			return err
		}
	}
	script := filepath.Join(r.work, "helve.cjs")
	if err := os.WriteFile(script, launcher, 0o644); err != nil {
		return err
	}
	return r.npmPackage(wrapper, entry{"package/helve.cjs", script, 0o755})
}

// npmName is the name of a package, in the scope that release.toml names, if it names one.
func (r *release) npmName(platform string) string {
	return path.Join(r.place.NPMScope, "helve"+platform)
}

// manifest is what all packages say of themselves.
func (r *release) manifest(name string) manifest {
	return manifest{
		Name:        name,
		Version:     r.version,
		Description: summary,
		License:     "Apache-2.0",
		Repository:  r.place.Repository,
	}
}

// npmPackage writes one package: its manifest, the licence that every copy must carry, and what it
// is for. The name is that which npm pack gives to a package of a scope.
func (r *release) npmPackage(m manifest, content entry) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	name := strings.ReplaceAll(strings.TrimPrefix(m.Name, "@"), "/", "-")
	file := filepath.Join(r.work, name+".json")
	if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
		return err
	}
	entries := []entry{
		{"package/package.json", file, 0o644},
		{"package/LICENSE", filepath.Join(r.root, "LICENSE"), 0o644},
		content,
	}
	return r.writeFile("npm-"+name+"-"+r.version+".tgz", func(w io.Writer) error {
		return tarGz(w, entries, r.time)
	})
}
