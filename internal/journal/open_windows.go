package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/windows"
)

// open opens a file in a way that lets others rename it meanwhile, as an [os.Root] does and os.Open does not: a journal
// that one process has open is turned over by another.
func open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenFile(filepath.Base(path), flag, mode)
}

const (
	// renameWait is how long another program, such as a virus scanner, may have a file open that is to be renamed.
	renameWait = 2 * time.Second
	renamePoll = 10 * time.Millisecond
)

// rename renames a file over another one, which some may have open, and waits for those that let nobody.
func rename(from, to string) error {
	end := time.Now().Add(renameWait)
	for {
		err := os.Rename(from, to)
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || time.Now().After(end) {
			return err
		}
		if !moveAside(to) {
			time.Sleep(renamePoll)
		}
	}
}

// goneMark is in the names of files that are removed: what is open keeps its name until it is closed, and nothing is
// put in its place meanwhile.
const goneMark = ".gone-"

// moveAside makes room at a path whose file somebody has open still, and tells whether there is some now. What earlier
// ones left is removed, too.
func moveAside(path string) bool {
	err := os.Rename(path, path+goneMark+strconv.FormatInt(time.Now().UnixNano(), 10))
	left, _ := filepath.Glob(path + goneMark + "*") // of a pattern that is none there are none
	for _, one := range left {
		os.Remove(one) // the next one tries again
	}
	return err == nil
}
