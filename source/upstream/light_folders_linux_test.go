package upstream

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFolderMadeForServersGoesWithTheLastOfThem(t *testing.T) {
	home := t.TempDir()
	there := func(rel string) bool {
		_, err := os.Stat(filepath.Join(home, rel))
		return err == nil
	}
	first, second, third, fourth := folders{home: home}, folders{home: home}, folders{home: home}, folders{home: home}
	first.hold(filepath.Join(home, "a/b"))
	second.hold(filepath.Join(home, "a/b"))
	first.release()
	if !there("a/b") {
		t.Fatal("it went while another server may use it")
	}
	second.release()
	if there("a") {
		t.Error("nobody used it, and it stays")
	}
	third.hold(filepath.Join(home, "a/b"))
	if err := os.WriteFile(filepath.Join(home, "a/b/c"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	third.release()
	if !there("a/b/c") {
		t.Error("what was kept there is gone")
	}
	if err := os.Mkdir(filepath.Join(home, "own"), 0o755); err != nil {
		t.Fatal(err)
	}
	fourth.hold(filepath.Join(home, "own"))
	fourth.release()
	if !there("own") {
		t.Error("an empty folder of the person is gone")
	}
}
