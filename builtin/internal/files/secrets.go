package files

import (
	"fmt"
	"sync"

	"helve/builtin/internal/folders"
	"helve/internal/fsroot"
)

// hiddenSecrets counts the files that a search left out because they may hold secrets. A nil one leaves none out. It is
// safe for concurrent use.
type hiddenSecrets struct {
	mu    sync.Mutex
	files map[string]bool // a search may ask about a file more than once
}

// maxHiddenSecrets bounds the files that are counted.
const maxHiddenSecrets = 1000

func (l *hiddenSecrets) add(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.files == nil {
		l.files = map[string]bool{}
	}
	if len(l.files) < maxHiddenSecrets {
		l.files[path] = true
	}
}

// How a search's secrets can be had all the same.
const (
	grepSecrets = "name one as path, and the person is asked"
	globSecrets = "ls shows their names, and read asks the person"
)

// count is how many files were left out, at most maxHiddenSecrets.
func (l *hiddenSecrets) count() int {
	if l == nil {
		return 0
	}
	return len(l.files)
}

// secretsLeftOut says how many files a search left out, in words; "" for none.
func secretsLeftOut(n int) string {
	count, what := fmt.Sprint(n), "files that may hold secrets are"
	switch n {
	case 0:
		return ""
	case 1:
		what = "file that may hold secrets is"
	case maxHiddenSecrets:
		count = "≥ " + count
	}
	return count + " " + what + " left out"
}

// secretsNote is the line about them, with what to do about it; "" for none.
func secretsNote(n int, how string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n[%s: %s]", secretsLeftOut(n), how)
}

// secretsOut tells which files a search below a place leaves out because they may hold secrets; nil: none. Who names a
// directory of secrets was asked about it.
func (w *Files) secretsOut(p fsroot.Path, left *hiddenSecrets) func(path string) bool {
	if left == nil || w.Secret(p.Target()) {
		return nil
	}
	prefix := folders.RootPrefix(p.Root())
	return func(path string) bool {
		secret := w.Secret(prefix + path)
		if secret {
			left.add(path)
		}
		return secret
	}
}

// without is secretsOut with the files that rules deny to read.
func (w *Files) without(p fsroot.Path, left *hiddenSecrets) func(path string) bool {
	denied, secret := w.Denied, w.secretsOut(p, left)
	switch {
	case denied == nil:
		return secret
	case secret == nil:
		secret = func(string) bool { return false }
	}
	prefix := folders.RootPrefix(p.Root())
	return func(path string) bool { return denied(prefix+path) || secret(path) }
}
