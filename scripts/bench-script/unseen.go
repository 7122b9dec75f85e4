package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// unseen are questions of another kind than those that scripts were made for: about what servers bring, and each of
// their scripts is the first one that was written for it, from the stubs alone; the question about encoding stands in
// place of one that could be read in two ways.
var unseen = []question{
	{
		words:  "the bytes of encoding/json, as a file server has them",
		server: true,
		script: `n = 0
for r in parallel([(lambda p=f.path: files.get_file_info(path=p)) for f in glob(pattern="encoding/json/*.go").files]):
    for line in r.content.split("\n"):
        if line.startswith("size:"): n += int(line[5:].strip())
n`,
		answer: func(src string) (any, error) {
			files, err := allGo(src, "encoding/json")
			total := int64(0)
			for _, f := range files {
				if st, err := os.Stat(filepath.Join(src, f)); err == nil && path.Dir(f) == "encoding/json" {
					total += st.Size()
				}
			}
			return total, err
		},
	},
	{
		words:  "the folders below go, and the deepest, by the tree of a file server",
		server: true,
		script: `def walk(items, depth):
    n, deep = 0, depth
    for x in items:
        if x["type"] == "directory":
            m, d = walk(x["children"], depth + 1)
            n, deep = n + 1 + m, max(deep, d)
    return n, deep
list(walk(json.decode(files.directory_tree(path="go").content), 0))`,
		answer: func(src string) (any, error) {
			root := filepath.Join(src, "go")
			n, deep := 0, 0
			err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
				if err != nil || !d.IsDir() || p == root {
					return err
				}
				rel, err := filepath.Rel(root, p)
				n, deep = n+1, max(deep, strings.Count(filepath.ToSlash(rel), "/")+1)
				return err
			})
			return []int{n, deep}, err
		},
	},
	{
		words:  "the package that most packages of encoding import, as relations in a memory server",
		server: true,
		script: `rel = []
for m in grep(pattern='^(import )?\t?"[a-z/]+"$', path="encoding", include="*.go", exclude="*_test.go").matches:
    x = {"from": m.path.rpartition("/")[0], "to": m.text.split('"')[1], "relationType": "imports"}
    if x not in rel: rel.append(x)
names = sorted(set([x["from"] for x in rel] + [x["to"] for x in rel]))
memory.create_entities(entities=[{"name": "pkg " + n, "entityType": "module", "observations": []} for n in names])
memory.create_relations(relations=[{"from": "pkg " + x["from"], "to": "pkg " + x["to"], "relationType": "imports"} for x in rel])
count = {}
for x in memory.open_nodes(names=["pkg " + n for n in names]).relations: count[x["to"]] = count.get(x["to"], 0) + 1
top = sorted(count.items(), key=lambda c: (-c[1], c[0]))[0]
[top[0][4:], top[1], len(names)]`,
		answer: imported,
	},
	{
		words:  "the 60th Fibonacci number, added up by a server",
		server: true,
		script: `a, b = 0, 1
for i in range(59):
    a, b = b, int(everything.get_sum(a=a, b=b).split(" is ")[1].strip("."))
b`,
		answer: func(string) (any, error) {
			a, b := 0, 1
			for range 59 {
				a, b = b, a+b
			}
			return b, nil
		},
	},
	{
		words:  "functions and methods of io and bufio, by a file server that reads many at once",
		server: true,
		script: `paths = [f.path for f in glob(pattern="{io,bufio}/*.go", exclude="*_test.go").files]
text = "\n" + files.read_multiple_files(paths=paths).content
[text.count("\nfunc ") - text.count("\nfunc ("), text.count("\nfunc (")]`,
		answer: func(src string) (any, error) {
			functions, methods := 0, 0
			for _, dir := range []string{"io", "bufio"} {
				files, err := goFiles(src, dir)
				if err != nil {
					return nil, err
				}
				for _, f := range files {
					for _, line := range lines(src, f) {
						switch {
						case path.Dir(f) != dir:
						case strings.HasPrefix(line, "func ("):
							methods++
						case strings.HasPrefix(line, "func "):
							functions++
						}
					}
				}
			}
			return []int{functions, methods}, nil
		},
	},
}

// imported is the package that most packages of encoding import, how many do, and how many packages there are.
func imported(src string) (any, error) {
	files, err := goFiles(src, "encoding")
	if err != nil {
		return nil, err
	}
	edges, names, count := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, f := range files {
		dir := path.Dir(f)
		for _, line := range lines(src, f) {
			to, ok := importLine(line)
			if !ok || edges[dir+" "+to] {
				continue
			}
			edges[dir+" "+to] = true
			names[dir], names[to] = true, true
			count[to]++
		}
	}
	top := slices.MinFunc(slices.Collect(maps.Keys(count)), func(a, b string) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a, b))
	})
	return []any{top, count[top], len(names)}, nil
}

// importLine is the package of a line that imports one of Go's own, without a name for it.
func importLine(line string) (string, bool) {
	line = strings.TrimPrefix(strings.TrimPrefix(line, "import "), "\t")
	var p string
	if json.Unmarshal([]byte(line), &p) != nil || p == "" {
		return "", false
	}
	return p, strings.Trim(p, "abcdefghijklmnopqrstuvwxyz/") == ""
}
