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
// a shell does not find another may. of holds what the files are that its words name: whoever installs the program, or
// mends it, has another one.
func Names(dir string, environ, words []string, given ...string) (name, of string) {
	search := ""
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			search = v
		}
	}
	name = sum(append([]string{search, dir}, append(words, given...)...))
	var files []string
	for i, w := range words {
		files = append(files, stamp(dir, w))
		if i == 0 && filepath.Base(w) == w {
			files = append(files, found(search, w))
		}
	}
	return name, sum(files)
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
