package absence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Names is what a record of a program is kept under, and what it is of. name holds what the program is given: one that
// a shell does not find another may. of holds what the program's file is, so that whoever installs or mends it has
// another one, and with the files that its arguments name: a script, but also what the program or others write.
func Names(dir string, environ, words []string, given ...string) (name, of, with string) {
	search := ""
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			search = v
		}
	}
	name = sum(append([]string{search, dir}, append(words, given...)...))
	var program, files []string
	for i, w := range words {
		switch {
		case i > 0:
			files = append(files, stamp(dir, w))
		case filepath.Base(w) == w:
			program = append(program, found(search, w))
			fallthrough
		default:
			program = append(program, stamp(dir, w))
		}
	}
	return name, sum(program), sum(files)
}

func sum(words []string) string {
	h := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(h[:8])
}

// stamp tells one state of a file from another; "" where there is none.
func stamp(dir, word string) string {
	if !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	st, err := os.Stat(word)
	if err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprint(st.Size(), st.ModTime().UnixNano(), st.Mode())
}

// found is the state of the program that a name means.
func found(search, name string) string {
	for _, dir := range filepath.SplitList(search) {
		s := stamp(dir, name)
		if s != "" {
			return dir + s
		}
	}
	return ""
}
