package upstream

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
)

// reference is a value that is elsewhere.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(env|file):([^}]*)\}`)
})

// defaultMark is between a variable and what counts where it is not set:
// ${env:NAME:-text}.
const defaultMark = ":-"

// maxSecret bounds a file that a reference names, in bytes: a key, not a book.
const maxSecret = 64 << 10

// expand replaces references in the values of m. A reference to nothing is an
// error: an empty key would be sent instead.
func expand(m map[string]string, environ []string) (map[string]string, error) {
	out := make(map[string]string, len(m))
	for k, v := range m {
		s, err := expanded(v, environ)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		out[k] = s
	}
	return out, nil
}

// expandAll is the same for the words of a command.
func expandAll(words, environ []string) ([]string, error) {
	out := make([]string, len(words))
	for i, w := range words {
		s, err := expanded(w, environ)
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// expanded replaces the references in one value. The first that means nothing is
// the error.
func expanded(v string, environ []string) (string, error) {
	var bad error
	s := reference().ReplaceAllStringFunc(v, func(ref string) string {
		parts := reference().FindStringSubmatch(ref)
		s, err := resolve(parts[1], parts[2], environ)
		bad = cmp.Or(bad, err)
		return s
	})
	return s, bad
}

// resolve is what a reference means: a variable, or a file's content. A variable
// that is empty counts as set, unless the reference has something to fall back
// on.
func resolve(kind, name string, environ []string) (string, error) {
	if kind == "env" {
		name, otherwise, has := strings.Cut(name, defaultMark)
		for _, e := range environ {
			if v, ok := strings.CutPrefix(e, name+"="); ok && (v != "" || !has) {
				return v, nil
			}
		}
		if has {
			return otherwise, nil
		}
		return "", fmt.Errorf("the variable %s is not set", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() > maxSecret {
		return "", fmt.Errorf("%s: want a file of at most %d bytes", name, maxSecret)
	}
	b := make([]byte, maxSecret)
	n, _ := f.Read(b)
	return strings.TrimRight(string(b[:n]), "\r\n"), nil
}
