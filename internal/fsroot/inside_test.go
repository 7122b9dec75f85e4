package fsroot

import (
	"os"
	"testing"
)

// A file system folds names if the other spelling of a folder leads to the folder itself, not merely to some folder.
func TestAnotherFolderIsNoOtherSpelling(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("ab", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("AB", 0o755); os.IsExist(err) {
		if !folds("ab") {
			t.Error("this file system takes ab for AB, and that is not seen")
		}
		return
	} else if err != nil {
		t.Fatal(err)
	}
	if folds("ab") {
		t.Error("AB is another folder, and is taken for ab")
	}
}
