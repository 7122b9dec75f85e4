package clienthook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/hookfiles"
	"helve/internal/resolved"
	"helve/internal/workspace"
)

// maxHops bounds the links that are followed from one name to its file, as the system does.
const maxHops = 40

// Guards are what has clients ask helve, in these folders and in the person's: the files by each name on the way to
// them, and the programs that answer.
func Guards(getenv func(string) string, dirs []string, programs ...string) workspace.Guards {
	files, homes := hookfiles.Places(getenv, dirs)
	var g workspace.Guards
	folders := resolved.Paths{}
	for _, path := range programs {
		if filepath.IsAbs(path) {
			g.Within = append(g.Within, names(path, folders)...)
		}
	}
	for _, path := range files {
		all := names(path, folders)
		// By a link or a second name of one of its entries it is changed as well.
		for _, e := range entries(path, maxEntries) {
			all = append(all, names(filepath.Join(path, e.Name()), folders)...)
		}
		g.Within = append(g.Within, all...)
		for _, name := range all {
			// A folder that nobody would know by its name.
			if hookfiles.Why(strings.ToLower(filepath.ToSlash(name))) == "" {
				g.Alone = append(g.Alone, filepath.Dir(name))
			}
		}
	}
	for _, path := range homes {
		g.Alone = append(g.Alone, names(path, folders)...)
	}
	for _, list := range []*[]string{&g.Within, &g.Alone} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return g
}

// maxEntries bounds how many hooks of one folder are looked at; nobody has so many.
const maxEntries = 200

// entries are some of the files of a folder; none where it is no folder.
func entries(dir string, most int) []os.DirEntry {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ReadDir(most) // with an error there are fewer
	return list
}

// names are a path, each link that it leads to, and where it ends: who writes one of them writes all. A file that is
// not there yet has names as well.
func names(path string, folders resolved.Paths) []string {
	path = filepath.Clean(path)
	out := []string{path}
	for range maxHops {
		path = filepath.Join(folders.Of(filepath.Dir(path)), filepath.Base(path))
		out = append(out, path)
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return out
}
