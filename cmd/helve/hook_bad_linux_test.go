package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Where nothing can be kept no verdict can be handed on: the call is stopped, in words that say why.
func TestAStateFolderThatTakesNothingStopsCommands(t *testing.T) {
	confinedHere(t)
	for name, why := range map[string]string{"read-only": "read-only file system", "full": "no space left on device"} {
		w := newHookWorld(t)
		state := filepath.Join(w.home, "state")
		w.must(os.Mkdir(state, 0o700))
		flags := uintptr(0)
		if name == "read-only" {
			flags = unix.MS_RDONLY
		}
		mounted(t, "none", state, "tmpfs", flags, "size=32k")
		if name == "full" {
			f, err := os.Create(filepath.Join(state, "fill"))
			w.must(err)
			for err == nil {
				_, err = f.Write(make([]byte, 4096))
			}
			f.Close()
		}
		if answer := w.asked(claudeShell, "echo hi > new"); !failedHook(answer) || !strings.Contains(answer, why) {
			t.Errorf("%s: %s", name, answer)
		}
	}
}
