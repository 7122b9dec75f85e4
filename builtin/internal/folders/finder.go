package folders

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"helve/engine/tree"
	"helve/internal/fsroot"
)

// MaxSearched bounds the entries of a workspace that are looked at for what is masked.
const MaxSearched = 200_000

// ErrEnough says that there is more than was asked for.
var ErrEnough = errors.New("enough")

// notMasked are directories in which nobody keeps secrets, and which hold more files than all others together.
var notMasked = []string{"node_modules", ".git"}

// SecretsIn lists the files of a root that may hold secrets, at most so many.
func (w *Folders) SecretsIn(ctx context.Context, r *fsroot.Root, most int) ([]string, error) {
	prefix := RootPrefix(r)
	found, err := w.finder(r).Find(ctx, tree.Wanted{
		Want: func(path string) bool { return w.Secret(prefix + path) },
		Key:  w.secretsKey(prefix),
		Skip: notMasked,
		Most: MaxSearched,
	})
	if errors.Is(err, tree.ErrTooMany) || len(found) > most {
		err = ErrEnough
	}
	found = found[:min(len(found), most)]
	for i, path := range found {
		found[i] = filepath.Join(r.Dir(), filepath.FromSlash(path))
	}
	return found, err
}

// finder is what remembers where the secrets of a root are, also from call to call if there is a place for caches. No
// command can write there.
func (w *Folders) finder(r *fsroot.Root) *tree.Finder {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.finders[r]
	if f != nil {
		return f
	}
	file := ""
	if w.Cache != "" {
		sum := sha256.Sum256([]byte(r.Dir()))
		file = filepath.Join(w.Cache, "secrets", hex.EncodeToString(sum[:12]))
	}
	f = tree.NewFinder(r.Dir(), file)
	if w.Resident && !w.closed {
		f.Watch()
	}
	w.finders[r] = f
	return f
}

// secretsKey names all that decides which paths below a prefix may hold secrets; "" if that is not known.
func (w *Folders) secretsKey(prefix string) string {
	if w.SecretList == nil || program() == "" {
		return ""
	}
	return w.SecretList() + "\n" + prefix + "\n" + program()
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
