package code

import "path"

// scriptPackage is the file that an import by a package's name means, where the tree holds that package. Sources come
// before what was built from them.
func (r *resolver) scriptPackage(name string) []int32 {
	pkg, rest := packageName(name)
	y, ok := r.s.lex.find(pkg)
	if !ok {
		return nil
	}
	for _, n := range r.s.placed(numberedPlace(y), func(f *file) bool { return f.pkg == y && path.Base(f.Path) == "package.json" }) {
		dir := r.s.files[n].dir()
		for _, p := range r.entries(n, rest) {
			if files := r.script(path.Clean(join(dir, p))); files != nil {
				return files
			}
		}
	}
	return nil
}

// entries are the paths, in the folder of the package.json with number n, that an import of rest of it may mean.
func (r *resolver) entries(n int32, rest string) []string {
	if rest != "" {
		return []string{"src/" + rest, rest + "/src", rest}
	}
	list := []string{"src"}
	for _, m := range r.s.importsOf(n) {
		list = append(list, r.s.lex.text(m.module))
	}
	return append(list, "index", "lib")
}
