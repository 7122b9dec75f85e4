package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/engine/tree"
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
func (w *Workspace) secretsOut(p fsroot.Path, left *hiddenSecrets) func(path string) bool {
	if left == nil || w.opts.Secret(p.Target()) {
		return nil
	}
	prefix := rootPrefix(p.Root())
	return func(path string) bool {
		secret := w.opts.Secret(prefix + path)
		if secret {
			left.add(path)
		}
		return secret
	}
}

// without is secretsOut with the files that rules deny to read.
func (w *Workspace) without(p fsroot.Path, left *hiddenSecrets) func(path string) bool {
	denied, secret := w.opts.Denied, w.secretsOut(p, left)
	switch {
	case denied == nil:
		return secret
	case secret == nil:
		secret = func(string) bool { return false }
	}
	prefix := rootPrefix(p.Root())
	return func(path string) bool { return denied(prefix+path) || secret(path) }
}

// unasked tells that nobody approved the command: its words only look, or it runs where it can do nothing else.
func (c *command) unasked() bool {
	return c.line.Verdict == shell.ReadOnly && !c.in.Network || c.alone
}

// maskSecrets hides the files of the workspace that may hold secrets from a command that nobody approved.
func (c *command) maskSecrets(ctx context.Context, w *Workspace) {
	if !c.unasked() || c.confine.Level != sandbox.ReadOnly {
		return
	}
	var found []string
	for _, r := range w.files.Roots() {
		more, err := w.secretsIn(ctx, r, maxMasks-len(found))
		found = append(found, more...)
		switch {
		case errors.Is(err, errEnough):
			gap := fmt.Sprintf("of the files that may hold secrets %d are masked and others may not be", len(found))
			c.gaps = append(c.gaps, gap)
		case err != nil:
			c.gaps = append(c.gaps, "the files that may hold secrets could not all be found: "+err.Error())
		}
	}
	c.confine.Masked = append(slices.Clone(c.confine.Masked), found...)
}

// notMasked are directories in which nobody keeps secrets, and which hold more files than all others together.
var notMasked = []string{"node_modules", ".git"}

// secretsIn lists the files of a root that may hold secrets, at most so many.
func (w *Workspace) secretsIn(ctx context.Context, r *fsroot.Root, most int) ([]string, error) {
	prefix := rootPrefix(r)
	found, err := w.finder(r).Find(ctx, tree.Wanted{
		Want: func(path string) bool { return w.opts.Secret(prefix + path) },
		Key:  w.secretsKey(prefix),
		Skip: notMasked,
		Most: maxSearched,
	})
	if errors.Is(err, tree.ErrTooMany) || len(found) > most {
		err = errEnough
	}
	found = found[:min(len(found), most)]
	for i, path := range found {
		found[i] = filepath.Join(r.Dir(), filepath.FromSlash(path))
	}
	return found, err
}

// finder is what remembers where the secrets of a root are, also from call to call if there is a place for caches. No
// command can write there.
func (w *Workspace) finder(r *fsroot.Root) *tree.Finder {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.finders[r]
	if f != nil {
		return f
	}
	file := ""
	if w.opts.Cache != "" {
		sum := sha256.Sum256([]byte(r.Dir()))
		file = filepath.Join(w.opts.Cache, "secrets", hex.EncodeToString(sum[:12]))
	}
	f = tree.NewFinder(r.Dir(), file)
	if w.opts.Resident && !w.closed {
		f.Watch()
	}
	w.finders[r] = f
	return f
}

// secretsKey names all that decides which paths below a prefix may hold secrets; "" if that is not known.
func (w *Workspace) secretsKey(prefix string) string {
	if w.opts.SecretList == nil || program() == "" {
		return ""
	}
	return w.opts.SecretList() + "\n" + prefix + "\n" + program()
}

// program tells one build of this program from another, which may judge names otherwise; "" if that is not known.
var program = sync.OnceValue(func() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d", file, info.Size(), info.ModTime().UnixNano())
})
