package main

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// questions are fixed: a version that answers them better or cheaper is compared with the one before.
var questions = []question{
	{
		words:  "the five largest files of net/http",
		script: `[f.path for f in sorted(glob(pattern="net/http/**/*.go").files, key=lambda f: (-f.size, f.path))[:5]]`,
		answer: func(src string) (any, error) {
			files, err := allGo(src, "net/http")
			size := func(f string) int64 { st, _ := os.Stat(filepath.Join(src, f)); return st.Size() }
			slices.SortFunc(files, func(a, b string) int {
				return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a, b))
			})
			return files[:5], err
		},
	},
	{
		words: "how many lines of encoding say TODO, and in how many files",
		script: `m = grep(pattern="TODO", path="encoding", include="*.go").matches
[len(m), len(set([x.path for x in m]))]`,
		answer: func(src string) (any, error) {
			files, err := allGo(src, "encoding")
			lines, with := 0, 0
			for _, f := range files {
				n := countLines(src, f, regexp.MustCompile("TODO"))
				lines += n
				with += min(n, 1)
			}
			return []int{lines, with}, err
		},
	},
	{
		words: "the packages below crypto that import unsafe",
		script: `m = grep(pattern='^(import )?\\t?"unsafe"', path="crypto", include="*.go", exclude="*_test.go").matches
sorted(set([x.path.rpartition("/")[0] for x in m]))`,
		answer: func(src string) (any, error) {
			files, err := goFiles(src, "crypto")
			dirs := []string{}
			for _, f := range files {
				if countLines(src, f, regexp.MustCompile(`^(import )?\t?"unsafe"`)) > 0 {
					dirs = append(dirs, path.Dir(f))
				}
			}
			slices.Sort(dirs)
			return slices.Compact(dirs), err
		},
	},
	{
		words: "the longest line of strconv, tests left out",
		script: `best = [0, "", 0]
for f in sorted([f.path for f in glob(pattern="*.go", path="strconv", exclude="*_test.go").files]):
    for i, line in enumerate(read(file_path=f).lines):
        if len(line) > best[0]: best = [len(line), f, i + 1]
best`,
		answer: func(src string) (any, error) {
			files, err := goFiles(src, "strconv")
			size, at, number := 0, "", 0
			for _, f := range files {
				if strings.Count(f, "/") > 1 {
					continue
				}
				for i, line := range lines(src, f) {
					if len(line) > size {
						size, at, number = len(line), f, i+1
					}
				}
			}
			return []any{size, at, number}, err
		},
	},
	{
		words: "exported functions of strings and bytes that only one has",
		script: `def names(dir):
    m = grep(pattern="^func [A-Z]", path=dir, include="*.go", exclude="*_test.go").matches
    return set([x.text[5:].split("(")[0].split("[")[0] for x in m if x.path.count("/") == 1])
a, b = names("strings"), names("bytes")
[sorted(a - b), sorted(b - a)]`,
		answer: func(src string) (any, error) {
			a, err := exported(src, "strings")
			if err != nil {
				return nil, err
			}
			b, err := exported(src, "bytes")
			return [][]string{without(a, b), without(b, a)}, err
		},
	},
	{
		words: "the ten packages with most assembly files",
		script: `n = {}
for f in glob(pattern="**/*.s").files:
    d = f.path.rpartition("/")[0]
    n[d] = n.get(d, 0) + 1
sorted(n.items(), key=lambda x: (-x[1], x[0]))[:10]`,
		answer: func(src string) (any, error) {
			count := map[string]int{}
			err := filepath.WalkDir(src, func(p string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && strings.HasSuffix(p, ".s") {
					rel, _ := filepath.Rel(src, p)
					count[path.Dir(filepath.ToSlash(rel))]++
				}
				return err
			})
			var dirs []string
			for d := range count {
				dirs = append(dirs, d)
			}
			slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
			var out [][]any
			for _, d := range dirs[:10] {
				out = append(out, []any{d, count[d]})
			}
			return out, err
		},
	},
	{
		words: "lines of bufio, io and sort without tests, by package",
		script: `def size(dir):
    return sum_of([r.total for r in parallel([(lambda p=f.path: read(file_path=p)) for f in glob(pattern=dir + "/*.go", exclude="*_test.go").files])])
def sum_of(l):
    n = 0
    for x in l: n += x
    return n
[size(d) for d in ["bufio", "io", "sort"]]`,
		answer: func(src string) (any, error) {
			var out []int
			for _, dir := range []string{"bufio", "io", "sort"} {
				files, err := goFiles(src, dir)
				if err != nil {
					return nil, err
				}
				n := 0
				for _, f := range files {
					if path.Dir(f) == dir {
						n += len(lines(src, f))
					}
				}
				out = append(out, n)
			}
			return out, nil
		},
	},
	{
		words:  "the sum of 40 sums of a server",
		server: true,
		script: `n = 0
for r in parallel([(lambda i=i: everything.get_sum(a=i, b=i * i)) for i in range(40)]):
    n += int(r.split(" is ")[1].strip("."))
n`,
		answer: func(string) (any, error) {
			n := 0
			for i := range 40 {
				n += i + i*i
			}
			return n, nil
		},
	},
	{
		words:  "the files of sort that a file server says have a Search",
		server: true,
		script: `d = inputs or ""
files_of = [f.path for f in glob(pattern="sort/*.go").files]
sorted([p for p in files_of if "func Search" in str(files.read_text_file(path=p))])`,
		answer: func(src string) (any, error) {
			all, err := allGo(src, "sort")
			out := []string{}
			for _, f := range all {
				text, _ := os.ReadFile(filepath.Join(src, f))
				if path.Dir(f) == "sort" && bytes.Contains(text, []byte("func Search")) {
					out = append(out, f)
				}
			}
			return out, err
		},
	},
	{
		words: "packages as a graph in a memory server: how many, and which is used most",
		script: `m = grep(pattern='^import "[a-z/]+"$', include="*.go", exclude="*_test.go").matches
n = {}
for x in m:
    p = x.text.split('"')[1]
    n[p] = n.get(p, 0) + 1
top = sorted(n.items(), key=lambda x: (-x[1], x[0]))[:20]
memory.create_entities(entities=[{"name": p, "entityType": "package", "observations": [str(c)]} for p, c in top])
g = memory.read_graph()
[len(n), top[0][0], len([e for e in g.entities if e.entityType == "package"])]`,
		server: true,
		answer: func(src string) (any, error) {
			files, err := goFiles(src, ".")
			count := map[string]int{}
			one := regexp.MustCompile(`^import "([a-z/]+)"$`)
			for _, f := range files {
				for _, line := range lines(src, f) {
					if m := one.FindStringSubmatch(line); m != nil {
						count[m[1]]++
					}
				}
			}
			most := ""
			for p, n := range count {
				if most == "" || n > count[most] || n == count[most] && p < most {
					most = p
				}
			}
			return []any{len(count), most, 20}, err
		},
	},
}

// allGo are the Go files below a folder, tests too.
func allGo(src, dir string) (out []string, err error) {
	err = filepath.WalkDir(filepath.Join(src, dir), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".go") {
			rel, _ := filepath.Rel(src, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	slices.Sort(out)
	return out, err
}

// lines are the lines of a file; one that cannot be read has none.
func lines(src, file string) []string {
	text, _ := os.ReadFile(filepath.Join(src, file))
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func countLines(src, file string, re *regexp.Regexp) int {
	n := 0
	for _, line := range lines(src, file) {
		if re.MatchString(line) {
			n++
		}
	}
	return n
}

// exported are the names of a package's exported functions.
func exported(src, dir string) ([]string, error) {
	files, err := goFiles(src, dir)
	name := regexp.MustCompile(`^func ([A-Z]\w*)`)
	var out []string
	for _, f := range files {
		if path.Dir(f) != dir {
			continue
		}
		for _, line := range lines(src, f) {
			if m := name.FindStringSubmatch(line); m != nil {
				out = append(out, m[1])
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// without are the elements of a that b has not.
func without(a, b []string) []string {
	out := []string{}
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}
