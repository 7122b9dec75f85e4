package history

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"helve/internal/state"
)

// A history lies in a folder that is named after the path of its workspace. Which folder was at that path is noted
// beside the journal, so that a workspace that was moved finds its history again, and another one that comes to the
// same path does not take it for its own.

const (
	folderFile = "workspace" // in Options.Dir: whose history it is
	movedFile  = "moved"     // in Options.Dir: where its roots were before
	// maxNote bounds these files, in bytes: a few paths.
	maxNote = 64 << 10
	// maxHomes is among how many histories that of a moved workspace is looked for.
	maxHomes = 10_000
)

// A folder is a workspace's own folder.
type folder struct {
	Path string `json:"path"`
	ID   birth  `json:"id"`
}

// A birth tells a folder from all others of its file system, also from those that came before it: its number, and
// when it was made, in nanoseconds since 1970. The zero value: the system does not say.
type birth struct {
	Inode uint64 `json:"ino"`
	Born  int64  `json:"born"`
}

// settleHome has Options.Dir be the history of the folder that is at the first root now: that of a moved workspace is
// fetched, and that of another folder is put aside, where its own folder finds it.
func (o Options) settleHome() error {
	own := folder{Path: o.Roots[0], ID: bornAs(o.Roots[0])}
	if own.ID == (birth{}) || o.settled(own) {
		return nil
	}
	// Others may do the same now, or have written into this history since it was looked at.
	unlock, err := state.Lock(filepath.Dir(o.Dir), "homes")
	if err != nil {
		return err
	}
	defer unlock()
	if o.settled(own) {
		return nil
	}
	if was := folderOf(o.Dir); was.ID != own.ID && was.ID != (birth{}) {
		aside := fmt.Sprintf("%s-%x-%x", o.Dir, was.ID.Inode, was.ID.Born)
		if err := os.Rename(o.Dir, aside); err != nil {
			return err
		}
	}
	if o.begun() {
		return o.note(own) // it was written before folders were noted
	}
	return o.fetch(own)
}

// settled tells that nothing is to be done: the history is the folder's own, or none has begun, here or elsewhere.
func (o Options) settled(own folder) bool {
	was := folderOf(o.Dir)
	return was.ID == own.ID || was.ID == (birth{}) && !o.begun() && o.elsewhere(own) == ""
}

// begun tells that there is a journal.
func (o Options) begun() bool {
	_, err := os.Lstat(filepath.Join(o.Dir, "journal"))
	return err == nil
}

// elsewhere is where the history of the folder lies that was at another path before; "": nowhere.
func (o Options) elsewhere(own folder) string {
	homes, err := filepath.Glob(filepath.Join(filepath.Dir(o.Dir), "*", folderFile))
	if err != nil {
		return "" // the path is no pattern: none was ever found so
	}
	for _, at := range homes[:min(len(homes), maxHomes)] {
		at = filepath.Dir(at)
		was := folderOf(at)
		twoNames := was.Path != own.Path && bornAs(was.Path) == own.ID
		if at != o.Dir && was.ID == own.ID && !twoNames {
			return at
		}
	}
	return ""
}

// fetch takes over the history of the folder, wherever it was before; without one nothing happens until there is.
func (o Options) fetch(own folder) error {
	at := o.elsewhere(own)
	if at == "" || o.begun() { // a call has written since
		return nil
	}
	was := folderOf(at)
	if err := os.RemoveAll(o.Dir); err != nil {
		return err
	}
	if err := os.Rename(at, o.Dir); err != nil {
		return err
	}
	return o.moved(was, own)
}

// moved notes that the roots of older entries are those of now.
func (o Options) moved(was, own folder) error {
	moved, err := readMoved(o.Dir)
	if err != nil {
		return err
	}
	for from, to := range moved {
		if to == was.Path {
			moved[from] = own.Path
		}
	}
	delete(moved, own.Path) // it is back
	if was.Path != own.Path {
		moved[was.Path] = own.Path
	}
	text, err := json.Marshal(moved)
	if err != nil {
		return err
	}
	if err := state.Replace(filepath.Join(o.Dir, movedFile), text, 0o600); err != nil {
		return err
	}
	return o.note(own)
}

// note says whose history it is.
func (o Options) note(own folder) error {
	text, err := json.Marshal(own)
	if err != nil {
		return err
	}
	return state.Replace(filepath.Join(o.Dir, folderFile), text, 0o600)
}

// folderOf is whose history a folder of the store is; zero where nobody noted it, or it cannot be read.
func folderOf(dir string) folder {
	var out folder
	text, err := state.Read(filepath.Join(dir, folderFile), maxNote)
	if err != nil || json.Unmarshal(text, &out) != nil {
		return folder{}
	}
	return out
}

// readMoved is where the roots of older entries are now. A note that cannot be read is set aside: what was done since
// the last move can be taken back without it, and no history at all would take back nothing.
func readMoved(dir string) (map[string]string, error) {
	out := map[string]string{}
	file := filepath.Join(dir, movedFile)
	text, err := state.Read(file, maxNote)
	if err != nil || len(text) == 0 || json.Unmarshal(text, &out) == nil {
		return out, err
	}
	return map[string]string{}, os.Rename(file, file+state.DamagedSuffix)
}
