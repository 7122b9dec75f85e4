package store

import (
	"path"
	"slices"
	"strings"
)

// places find files by what imports say of them. An item is the hash of a key and below it the number of a file; they
// are sorted, so that the files of one key stand together in the order of their numbers. Eight bytes an item: maps of
// strings would take ten times that.
type places []uint64

// The kinds of keys: what the file is called without extension, its folder, the last element of its folder, its
// declared package.
const (
	byStem   = 's'
	byFolder = 'f'
	byLeaf   = 'l'
	byUnit   = 'u'
)

// newPlaces gathers the places of files whose numbers start at first.
func newPlaces(files []*File, first int) places {
	p := make(places, 0, 4*len(files))
	for i, f := range files {
		if f == nil {
			continue
		}
		n := uint64(first + i)
		dir := f.Dir()
		p = append(p, placeOf(byStem, f.Unit())|n, placeOf(byFolder, dir)|n)
		is := f.Lang.Traits()
		if is.Folders {
			p = append(p, placeOf(byLeaf, path.Base(dir))|n)
		}
		if f.Package != 0 && (is.Packages || manifest(f.Path)) {
			p = append(p, NumberedPlace(f.Package)|n)
		}
	}
	slices.Sort(p)
	return p
}

// placeOf is the upper half of the items of a key.
func placeOf(kind byte, key string) uint64 {
	h := uint32(kind)
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * 16777619 // as in FNV-1a
	}
	return uint64(h) << 32
}

// NumberedPlace is placeOf for a package, which has a number.
func NumberedPlace(y uint32) uint64 { return uint64((byUnit^y)*2654435761) << 32 }

// of calls each for the files at a place: those of the key, and now and then one whose key has the same hash.
func (p places) of(place uint64, each func(n int32)) {
	i, _ := slices.BinarySearch(p, place)
	for ; i < len(p) && p[i]>>32 == place>>32; i++ {
		each(int32(uint32(p[i])))
	}
}

// Unit is the name under which imports ask for a file: its stem, and for files that stand for their folder that
// folder's name before it.
func (f *File) Unit() string {
	s := f.Stem()
	if s != "" && s == f.Lang.Traits().FolderFile {
		return path.Base(f.Dir()) + "/" + s
	}
	return s
}

// Placed are the files of the snapshot at a place that keep allows, by path.
func (s *Snapshot) Placed(place uint64, keep func(f *File) bool) []int32 {
	var list []int32
	add := func(n int32) {
		if f := s.Files[n]; f != nil && keep(f) {
			list = append(list, n)
		}
	}
	b := s.Base
	b.once.Do(func() { b.places = newPlaces(b.Files, 0) })
	b.places.of(place, add)
	s.overlay.once.Do(func() { s.overlay.places = newPlaces(s.Files[len(b.Files):], len(b.Files)) })
	known := len(list)
	if s.overlay.places.of(place, add); len(list) > known {
		slices.SortFunc(list, s.ByPath)
	}
	return list
}

// Called are the files that an import may mean by the last element of a path.
func (s *Snapshot) Called(unit string) []int32 {
	return s.Placed(placeOf(byStem, unit), func(f *File) bool { return f.Unit() == unit })
}

// Folder are the files in a folder.
func (s *Snapshot) Folder(dir string) []int32 {
	return s.Placed(placeOf(byFolder, dir), func(f *File) bool { return f.Dir() == dir })
}

// ShortestFolder is the folder of Go files whose path ends with name, the nearest to the root of several; "" for none.
func (s *Snapshot) ShortestFolder(name string) string {
	var dir string
	s.Placed(placeOf(byLeaf, path.Base(name)), func(f *File) bool {
		d := f.Dir()
		if strings.HasSuffix("/"+d, "/"+name) && (dir == "" || len(d) < len(dir) || len(d) == len(dir) && d < dir) {
			dir = d
		}
		return false
	})
	return dir
}

// GoModule is a go.mod: its folder and the path that it declares.
type GoModule struct{ Dir, Path string }

// Modules are the Go modules of the tree.
func (s *Snapshot) Modules() []GoModule {
	s.overlay.mods.Do(func() {
		declared := func(f *File) bool { return f.Package != 0 && path.Base(f.Path) == "go.mod" }
		for _, n := range s.Placed(placeOf(byStem, "go"), declared) {
			s.overlay.modules = append(s.overlay.modules, GoModule{s.Files[n].Dir(), s.Lex.Text(s.Files[n].Package)})
		}
	})
	return s.overlay.modules
}
