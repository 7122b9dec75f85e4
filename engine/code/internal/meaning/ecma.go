package meaning

import (
	"path"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// typeScript are the rules of TypeScript.
var typeScript = Rules{
	Language: syntax.TypeScript,

	objectMethods:  true,
	typeParameters: true,

	assigned: true,
	common:   scriptMembers,

	constructor:    "constructor",
	promises:       true,
	fieldsOverride: true,
	nameless:       true,

	signatures: true,

	Checked:    true,
	WouldStand: besideScript,

	namesModules:  true,
	onlyImports:   true,
	importsInside: true,
	exportsWhole:  true,
	module:        scriptModule,
}

// javaScript are the rules of JavaScript.
var javaScript = Rules{
	Language: syntax.JavaScript,

	objectMethods:  true,
	typeParameters: true,

	outside:  true,
	assigned: true,
	holders:  true,
	untyped:  true,
	beside:   func(f, g *store.File) bool { return f == g },
	common:   scriptMembers,

	constructor:    "constructor",
	fieldsOverride: true,
	nameless:       true,

	signatures: true,

	Checked:      true,
	AnyArguments: true,
	WouldStand:   besideScript,

	onlyImports:   true,
	importsInside: true,
	exportsWhole:  true,
	module:        scriptModule,
	exportedAs:    exportedAs,
}

var scriptMembers = WordSet("map filter forEach push pop shift unshift slice splice concat join indexOf " +
	"lastIndexOf includes find findIndex some every reduce sort reverse keys values entries then catch finally " +
	"toString valueOf length split replace replaceAll trim charAt charCodeAt substring substr toLowerCase " +
	"toUpperCase startsWith endsWith match test exec call apply bind get set has add delete clear size " +
	"hasOwnProperty log error warn flat flatMap fill")

// besideScript reports whether an import names a script by where it stands beside the file. What has another ending
// may be made by a tool.
func besideScript(_ *store.Snapshot, _ *store.File, module string) bool {
	if !strings.HasPrefix(module, "./") && !strings.HasPrefix(module, "../") {
		return false
	}
	base := module[strings.LastIndexByte(module, '/')+1:]
	switch store.Extension(base) {
	case "", ".js", ".ts", ".jsx", ".tsx", ".mjs", ".mts":
		return !strings.HasPrefix(base, ".")
	}
	return false
}

// scriptModule finds the file that an import of a script names.
func scriptModule(r *evaluator, name string, from *store.File) []int32 {
	p := name
	if strings.HasPrefix(name, ".") {
		p = path.Join(from.Dir(), name)
		if strings.HasPrefix(p, "..") {
			return nil
		}
		return script(r, p)
	}
	if files := scriptPackage(r, name); files != nil {
		return files
	}
	p = strings.TrimPrefix(strings.TrimPrefix(p, "@/"), "~/")
	if i := strings.IndexByte(p, '/'); i > 0 {
		if files := script(r, p); files != nil {
			return files
		}
		return script(r, "src/"+p)
	}
	return nil
}

// script is the file that a path in an import means, which need not say how its name ends.
func script(r *evaluator, p string) []int32 {
	bare := p
	for _, ext := range []string{".js", ".mjs", ".cjs", ".jsx"} {
		bare = strings.TrimSuffix(bare, ext)
	}
	return r.modules.paths(
		p,
		bare+".ts", bare+".tsx", bare+".mts",
		bare+".js", bare+".jsx", bare+".mjs",
		bare+".d.ts",
		p+"/index.ts", p+"/index.tsx", p+"/index.js", p+"/index.mjs",
	)
}

// scriptPackage is the file that an import by a package's name means, where the tree holds that package. Sources come
// before what was built from them.
func scriptPackage(r *evaluator, name string) []int32 {
	pkg, rest := store.PackageName(name)
	y, ok := r.Tree.Lex.Find(pkg)
	if !ok {
		return nil
	}
	declares := func(f *store.File) bool { return f.Package == y && path.Base(f.Path) == "package.json" }
	for _, n := range r.Tree.Placed(store.NumberedPlace(y), declares) {
		dir := r.Tree.Files[n].Dir()
		for _, p := range entries(r, n, rest) {
			if files := script(r, path.Clean(Join(dir, p))); files != nil {
				return files
			}
		}
	}
	return nil
}

// entries are the paths, in the folder of the package.json with number n, that an import of rest of it may mean.
func entries(r *evaluator, n int32, rest string) []string {
	if rest != "" {
		return []string{"src/" + rest, rest + "/src", rest}
	}
	list := []string{"src"}
	for _, m := range r.Tree.ImportsOf(n) {
		list = append(list, r.Tree.Lex.Text(m.Module))
	}
	return append(list, "index", "lib")
}

// exportedAs is what file n exports as y by exports.y = Name.
func exportedAs(r *evaluator, y uint32, n int32) Value {
	for i := range r.DefsOf(n) {
		d := &r.DefsOf(n)[i]
		if d.Name != y || d.Kind != syntax.Field || d.Owner == 0 || d.Type == 0 {
			continue
		}
		if r.Tree.Lex.Text(d.Owner) != "exports" {
			continue
		}
		if v := r.TypeOf(store.At(n, int32(i))); v.Kind == SymbolValue {
			v.Level = max(v.Level, Imported)
			return v
		}
	}
	return external
}
