package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers itself
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers itself
)

const summary = "The tool system for AI coding agents: read, search, edit and run under one policy"

// formerProgram is what an earlier version called its larger program, which helve is today.
const formerProgram = "helve-full"

// linuxPackages makes a .deb and an .rpm for each Linux target.
func (r *release) linuxPackages() error {
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm"} {
			if err := r.linuxPackage(t, format); err != nil {
				return fmt.Errorf("%s for %s: %w", format, t, err)
			}
		}
	}
	return nil
}

// linuxPackage makes one package, under the name that its format wants.
func (r *release) linuxPackage(t target, format string) error {
	contents, err := r.contents(t)
	if err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	maintainer := r.place.Maintainer
	if maintainer == "" {
		// The formats want one; RFC 2606 keeps .invalid free of places.
		maintainer = "helve <unset@invalid>"
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name:        "helve",
		Arch:        t.arch,
		Platform:    "linux",
		Version:     r.version,
		Section:     "devel",
		Priority:    "optional",
		Maintainer:  maintainer,
		Description: summary,
		Homepage:    r.place.Repository,
		License:     "Apache-2.0",
		MTime:       r.time,
		Overridables: nfpm.Overridables{
			Contents: contents,
			// bash and git are what the tools run; helve starts without them and says what is
			// missing.
			Recommends: []string{"bash", "git"},
			// An earlier version had a second program.
			Conflicts: []string{formerProgram},
			Replaces:  []string{formerProgram},
		},
	})
	// A package must not tell who made it, nor differ with that.
	if format == "rpm" {
		info.RPM.BuildHost = "localhost" // else this machine's name
	}
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	return r.writeFile(packager.ConventionalFileName(info), func(w io.Writer) error {
		return packager.Package(info, w)
	})
}

// contents are the files of a package at their places, with the commit's time.
func (r *release) contents(t target) (files.Contents, error) {
	var out files.Contents
	add := func(from, to string, mode os.FileMode) {
		info := &files.ContentFileInfo{Mode: mode, MTime: r.time, Owner: "root", Group: "root"}
		out = append(out, &files.Content{Source: from, Destination: to, FileInfo: info})
	}
	// The folders are those in which shells and man look by themselves; nobody has to set anything.
	add(r.binary(t), "/usr/bin/helve", 0o755)
	add(filepath.Join(r.root, "LICENSE"), "/usr/share/doc/helve/copyright", 0o644)
	completions := filepath.Join(r.work, "completions")
	add(filepath.Join(completions, "helve.bash"), "/usr/share/bash-completion/completions/helve", 0o644)
	add(filepath.Join(completions, "helve.fish"), "/usr/share/fish/vendor_completions.d/helve.fish", 0o644)
	add(filepath.Join(completions, "_helve"), "/usr/share/zsh/site-functions/_helve", 0o644)
	pages, err := os.ReadDir(filepath.Join(r.work, "man"))
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		add(filepath.Join(r.work, "man", p.Name()), "/usr/share/man/man1/"+p.Name(), 0o644)
	}
	return out, nil
}
