package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// endLeft ends the processes that a client left behind, each by its ID: a daemon has a session of its own, and goes on
// when the client has ended. They are known by their home, which is of one trial.
func endLeft(home string) {
	word := []byte("HOME=" + home + "\x00")
	found, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, file := range found {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(env, word) && !bytes.Contains(env, append([]byte{0}, word...)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}
