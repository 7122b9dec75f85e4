package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An entry is a file of an archive.
type entry struct {
	name string // with slashes
	from string // the file that it is a copy of
	mode fs.FileMode
}

// archives makes one archive a target: the program, manual, completions, licence, README and
// CHANGELOG.
func (r *release) archives() error {
	for _, t := range r.targets {
		top := r.archiveName(t)
		entries, err := r.entries(t, top)
		if err != nil {
			return err
		}
		// Windows opens a zip by itself, and everything else a tar.
		write, ending := tarGz, ".tar.gz"
		if t.os == "windows" {
			write, ending = zipped, ".zip"
		}
		err = r.writeFile(top+ending, func(w io.Writer) error {
			return write(w, entries, r.time)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return nil
}

// entries are the files of a target's archive, below one folder, so that unpacking it scatters
// nothing. They are sorted: the order of a folder differs between machines.
func (r *release) entries(t target, top string) ([]entry, error) {
	out := []entry{{path.Join(top, t.exe(program)), r.binary(t), 0o755}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		out = append(out, entry{path.Join(top, name), filepath.Join(r.root, name), 0o644})
	}
	for _, dir := range []string{"man", "completions"} {
		files, err := os.ReadDir(filepath.Join(r.work, dir))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			from := filepath.Join(r.work, dir, f.Name())
			out = append(out, entry{path.Join(top, dir, f.Name()), from, 0o644})
		}
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// writeFile writes a file of the release whole or not at all: whoever publishes the folder of a
// release that failed publishes nothing that is half.
func (r *release) writeFile(name string, write func(io.Writer) error) error {
	target := filepath.Join(r.out, name)
	f, err := os.CreateTemp(r.out, ".part-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already where all went well
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	// A temporary file is its owner's alone; what is published is everybody's.
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}

// tarGz writes an archive whose bytes depend on its entries and the time alone: gzip's own header
// names neither.
func tarGz(w io.Writer, entries []entry, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, e := range entries {
		if err := tarEntry(t, e, at); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func tarEntry(t *tar.Writer, e entry, at time.Time) error {
	b, err := os.ReadFile(e.from)
	if err != nil {
		return err
	}
	// No owner: who unpacks it owns it. USTAR is the oldest form that holds these names, and every
	// tar reads it.
	h := &tar.Header{
		Name:    e.name,
		Mode:    int64(e.mode),
		Size:    int64(len(b)),
		ModTime: at,
		Format:  tar.FormatUSTAR,
	}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err = t.Write(b)
	return err
}

// zipped is tarGz for who has no tar.
func zipped(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		b, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(b); err != nil {
			return err
		}
	}
	return z.Close()
}
