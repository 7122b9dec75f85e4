package meaning

import (
	"path"

	"helve/engine/code/internal/store"
)

// scriptPackage is the file that an import by a package's name means, where the tree holds that package. Sources come
// before what was built from them.
func (r *Resolver) scriptPackage(name string) []int32 {
	pkg, rest := store.PackageName(name)
	y, ok := r.Tree.Lex.Find(pkg)
	if !ok {
		return nil
	}
	for _, n := range r.Tree.Placed(store.NumberedPlace(y), func(f *store.File) bool { return f.Package == y && path.Base(f.Path) == "package.json" }) {
		dir := r.Tree.Files[n].Dir()
		for _, p := range r.entries(n, rest) {
			if files := r.script(path.Clean(Join(dir, p))); files != nil {
				return files
			}
		}
	}
	return nil
}

// entries are the paths, in the folder of the package.json with number n, that an import of rest of it may mean.
func (r *Resolver) entries(n int32, rest string) []string {
	if rest != "" {
		return []string{"src/" + rest, rest + "/src", rest}
	}
	list := []string{"src"}
	for _, m := range r.Tree.ImportsOf(n) {
		list = append(list, r.Tree.Lex.Text(m.Module))
	}
	return append(list, "index", "lib")
}
