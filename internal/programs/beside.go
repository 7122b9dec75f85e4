package programs

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/resolved"
	"helve/internal/secrets"
)

const (
	// maxFirst is what is read of a file to find its interpreter: Linux reads 256 bytes.
	maxFirst = 512
	// maxUp is how far above a script the package that it belongs to is looked for.
	maxUp = 4
	// maxLooked bounds the entries that are looked at for secrets: some tenths of a second.
	maxLooked = 20_000
	// maxMasked bounds the secrets of one folder: each becomes a mount.
	maxMasked = 200
	// maxSettings bounds a pyvenv.cfg, which has five lines.
	maxSettings = 16 << 10
)

// firstLine are the words behind #! of a script.
func firstLine(path string) []string {
	line, ok := strings.CutPrefix(string(head(path, maxFirst)), "#!")
	if !ok {
		return nil
	}
	line, _, _ = strings.Cut(line, "\n")
	return strings.Fields(line)
}

// head is the beginning of a regular file.
func head(path string, most int64) []byte {
	if !isFile(path) { // a pipe would have us wait
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, most))
	return text
}

// scripts are the endings of files that an interpreter is given.
var scripts = []string{
	".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".sh", ".bash", ".zsh", ".fish", ".rb", ".pl", ".php",
	".lua", ".tcl", ".r", ".jl", ".jar", ".ps1", ".exs", ".clj",
}

// isScript tells that an argument is a program: by its ending, its mode or its first line.
func isScript(path string, st fs.FileInfo) bool {
	return st.Mode().Perm()&0o111 != 0 ||
		slices.Contains(scripts, strings.ToLower(filepath.Ext(path))) ||
		bytes.HasPrefix(head(path, 2), []byte("#!"))
}

// beside adds what stands beside a program, whose links are resolved, and what it cannot do without.
func (s *search) beside(real string, depth int) {
	if s.ofAll(real) {
		return
	}
	dir := filepath.Dir(real)
	if top := modules(real); top != "" {
		s.folder(top, s.wide)
		s.pack(filepath.Dir(top))
		return
	}
	s.folder(dir, s.wide)
	prefix := filepath.Dir(dir)
	switch filepath.Base(dir) {
	case "bin":
		s.parts(prefix, "lib", "lib64", "libexec")
	case "shims": // of pyenv, rbenv, asdf
		s.parts(prefix, "bin", "libexec", "lib", "versions", "version", "plugins", "installs")
	}
	s.project(dir, depth)
}

// modules is the outermost node_modules that a path lies in; "" if there is none.
func modules(path string) string {
	const name = "/node_modules/"
	if i := strings.Index(path, name); i >= 0 {
		return path[:i+len(name)-1]
	}
	return ""
}

// parts adds what there is of a folder's parts. Those of a home are nobody's program.
func (s *search) parts(dir string, names ...string) {
	if s.wide(dir) {
		return
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		switch {
		case isDir(path):
			s.folder(path, s.wide)
		case isFile(path):
			s.file(path)
		}
	}
}

// project adds the package that a folder of programs belongs to: an environment of Python, or what is around the
// first package.json or pyproject.toml above it.
func (s *search) project(dir string, depth int) {
	for range maxUp {
		if cfg := filepath.Join(dir, "pyvenv.cfg"); isFile(cfg) {
			s.folder(dir, s.wide)
			s.environment(cfg, depth)
			return
		}
		if isFile(filepath.Join(dir, "package.json")) || isFile(filepath.Join(dir, "pyproject.toml")) ||
			isDir(filepath.Join(dir, "node_modules")) || isDir(filepath.Join(dir, ".venv")) {
			s.pack(dir)
			return
		}
		dir = filepath.Dir(dir)
	}
}

// pack adds a package's folder. Of one that holds more than the package its modules are shown.
func (s *search) pack(dir string) {
	if !s.wide(dir) {
		s.folder(dir, s.wide)
		return
	}
	for _, name := range []string{"package.json", "pyproject.toml"} {
		if path := filepath.Join(dir, name); isFile(path) {
			s.file(path)
		}
	}
	for _, name := range []string{"node_modules", ".venv"} {
		if path := filepath.Join(dir, name); isDir(path) {
			s.folder(path, s.wide)
		}
	}
}

// environment adds the Python that an environment was made of.
func (s *search) environment(cfg string, depth int) {
	for line := range strings.Lines(string(head(cfg, maxSettings))) {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) != "home" {
			continue
		}
		for _, name := range []string{"python3", "python"} {
			if path := filepath.Join(strings.TrimSpace(value), name); isFile(path) {
				s.program(path, depth+1)
			}
		}
	}
}

// folder adds a folder, unless it is closed, with the secrets in it masked. One with more than can be looked at is left
// out: the files alone are shown.
func (s *search) folder(dir string, closed func(string) bool) {
	if s.seen[dir] || s.shown(dir) || closed(dir) || closed(resolved.Path(dir)) || len(s.need.Readable) >= maxReadable {
		return
	}
	s.seen[dir] = true
	masked, ok := s.secretsIn(dir)
	if !ok {
		return
	}
	s.need.Readable = append(s.need.Readable, dir)
	s.need.Masked = append(s.need.Masked, masked...)
}

// notOwn are folders whose files are nobody's secrets: installed modules are everybody's.
var notOwn = []string{"node_modules", "site-packages", ".git"}

// secretsIn are the files of a folder that hold secrets by their names. The workspace's own are not its business.
func (s *search) secretsIn(dir string) (found []string, ok bool) {
	known := (*secrets.List)(nil)
	err := filepath.WalkDir(resolved.Path(dir), func(path string, e fs.DirEntry, err error) error {
		s.looked++
		switch {
		case s.looked > maxLooked || len(found) > maxMasked:
			return fs.ErrInvalid
		case err != nil:
			return nil // who starts the program cannot look there either
		case e.IsDir() && (s.ofAll(path) || slices.Contains(notOwn, e.Name())):
			return fs.SkipDir
		case path != dir && known.Has(path) && !s.means(path):
			found = append(found, path)
			if e.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return found, err == nil
}

// means tells that the configuration names a file, or one below it, itself.
func (s *search) means(path string) bool {
	return slices.ContainsFunc(s.need.Named, func(n string) bool { return resolved.Within(path, resolved.Path(n)) })
}

// closed tells that a folder is shown to nobody, though it was named: it is or holds the home, holds a place of
// secrets, or has such a name.
func (s *search) closed(dir string) bool {
	home := resolved.Path(s.c.Home)
	if dir == "/" || s.c.Home != "" && resolved.Within(dir, home) || (*secrets.List)(nil).Has(dir) {
		return true
	}
	return slices.ContainsFunc(secrets.Places(), func(p string) bool {
		if below, ok := strings.CutPrefix(p, "~/"); ok {
			p = filepath.Join(home, below)
		}
		return resolved.Within(dir, p) || resolved.Within(p, dir)
	})
}

// personal are folders of a home that hold a person's files of all kinds, and the settings and caches of all programs:
// nothing there stands beside a script.
var personal = []string{
	"Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos", "Movies", "Library",
	".config", ".local", ".local/share", ".local/state", ".cache", "snap", ".var",
}

// wide tells that a folder holds more than what belongs to a program in it.
func (s *search) wide(dir string) bool {
	atTop := filepath.Dir(dir) == "/"
	if s.closed(dir) || atTop || dir == "/var/tmp" || dir == "/dev/shm" || dir == resolved.Path(os.TempDir()) {
		return true
	}
	rel, err := filepath.Rel(resolved.Path(s.c.Home), dir)
	return err == nil && slices.Contains(personal, rel)
}
