package store

import (
	"path"
	"strings"

	"helve/engine/code/internal/syntax"
)

// File is one indexed file: what is asked of it often, and its packed rows.
type File struct {
	Entry
	Digest  uint64 // of the content that was read
	Lang    syntax.Language
	Test    bool
	Generic bool
	Foreign bool   // vendored or test data: ranked last
	Skipped string // why it was read in part or not at all
	Package uint32 // the declared package
	Lines   int32
	Funcs   int32
	Types   int32
	defs    int32
	Packed  []byte
}

func (f *File) Dir() string { return DirOf(f.Path) }

func DirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// Stem is the file's name without its extension.
func (f *File) Stem() string {
	base := path.Base(f.Path)
	return strings.TrimSuffix(base, path.Ext(base))
}

// IsTest reports whether a path is that of a test, by the customs of the languages. Of some files in a folder called
// test what they define says more: see testsNothing.
func IsTest(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	if path.Ext(base) == ".go" {
		return strings.HasSuffix(stem, "_test") // a folder called test holds packages like others
	}
	if namesTest(stem) {
		return true
	}
	for dir := range strings.SplitSeq(DirOf(p), "/") {
		switch dir {
		case "test", "tests", "__tests__", "spec", "specs", "selftests":
			return true
		}
	}
	return false
}

// namesTest reports whether the name of a file is that of a test.
func namesTest(stem string) bool {
	if strings.HasPrefix(stem, "test_") || stem == "conftest" {
		return true
	}
	ends := func(with string) bool { return strings.HasSuffix(stem, with) }
	for _, with := range []string{"_test", ".test", ".spec", "_spec"} {
		if ends(with) {
			return true
		}
	}
	return len(stem) > 4 && (ends("Test") || ends("Tests") || ends("TestCase"))
}

// testsNothing reports whether a file that stands in a folder called test, under no name of a test, defines
// nothing that a runner would run: it is a library for tests, django.test say, or what supports them. names are those
// of its functions. Languages tell whether they have such libraries.
func testsNothing(f *File, names func(yield func(string) bool)) bool {
	if !f.Lang.Traits().LooseTests || namesTest(f.Stem()) {
		return false
	}
	dirs := "/" + f.Dir() + "/"
	if !strings.Contains(dirs, "/test/") || strings.Contains(dirs, "/tests/") || strings.Contains(dirs, "/selftests/") {
		return false
	}
	for name := range names {
		rest, ok := strings.CutPrefix(name, "test")
		if ok && (rest == "" || rest[0] == '_' || rest[0] >= 'A' && rest[0] <= 'Z') {
			return false
		}
	}
	return true
}

// isForeign reports whether a path is that of a copy of something else, or of data for tests.
func isForeign(p string) bool {
	for dir := range strings.SplitSeq(DirOf(p), "/") {
		switch dir {
		case "vendor", "node_modules", "third_party", "testdata", "fixtures", "site-packages", "dist", "build":
			return true
		}
	}
	return false
}

// Family groups languages whose files call one another.
func Family(l syntax.Language) syntax.Language { return l.Family() }
