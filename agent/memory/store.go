package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"helve/internal/state"
)

// A Store remembers which texts of which workspace a person trusted: the texts themselves, so that they can stay in use
// until what changed is trusted too. Dir is private to the person, outside of every workspace.
type Store struct{ Dir string }

// maxStored bounds a file of the store: texts of MostBytes, each byte escaped.
const maxStored = 6*MostBytes + 1<<20

// stored is what is kept of one workspace.
type stored struct {
	Workspace string    `json:"workspace"`
	When      time.Time `json:"when"`
	Files     []File    `json:"files"`
}

func (s Store) path(workspace string) string {
	sum := sha256.Sum256([]byte(workspace)) // the name of a file has bounds that paths do not have
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:12])+".json")
}

// Trusted are the texts that a person trusted last; none if they never did.
func (s Store) Trusted(workspace string) ([]File, error) {
	b, err := state.Read(s.path(workspace), maxStored)
	if err != nil || b == nil {
		return nil, err
	}
	var in stored
	if err := json.Unmarshal(b, &in); err != nil || in.Workspace != workspace {
		return nil, fmt.Errorf("memory: what was trusted cannot be read, so nothing is: %s", s.path(workspace))
	}
	return in.Files, nil
}

// Trust remembers the texts of the workspace as they stand in m.
func (s Store) Trust(workspace string, m Memory, now time.Time) error {
	if err := state.MakeDir(s.Dir); err != nil {
		return err
	}
	b, err := json.Marshal(stored{workspace, now.UTC().Truncate(time.Second), m.Theirs()})
	if err != nil {
		return err
	}
	return state.Replace(s.path(workspace), b, 0o600)
}

// Revoke forgets them; had tells that there were some.
func (s Store) Revoke(workspace string) (had bool, err error) {
	err = os.Remove(s.path(workspace))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
