// Package loopback has addresses for servers of tests that end and come back where they were.
package loopback

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

// Addr is HOST:0 on an address of this machine that is this program's alone. A port that is given back there is free
// for who comes back to it: on 127.0.0.1 any other program may be given it meanwhile. Where the system has no other
// such address it is that one.
func Addr() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1:0"
	}
	pid := os.Getpid() // of 22 bits at most
	return fmt.Sprintf("127.%d.%d.%d:0", 64+pid>>16&63, pid>>8&255, pid&255)
}

// againTime bounds how long a server waits for the address that it had.
const againTime = time.Minute

// Again starts a server where one was that has ended, and returns its error. For a moment the address may be taken
// still: a process that is being started holds the listener of the one that starts it until it runs its own program.
func Again[S any](start func() (S, error)) (S, error) {
	for end := time.Now().Add(againTime); ; time.Sleep(10 * time.Millisecond) {
		s, err := start()
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) {
			return s, err
		}
	}
}
