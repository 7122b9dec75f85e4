package child

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"helve/script/internal/wire"
)

// collectPercent is how much of its memory a child uses before it collects more often.
const collectPercent = 40

// The numbers of statm, by proc(5), in pages.
const (
	statSize = 0
	statData = 5
)

// The Go runtime reserves its heap in arenas, of 64 MiB on most systems. RLIMIT_DATA does not hold it back: Linux
// counts nothing when memory is mapped over a reservation. So all of the present arena and of one more is used up but
// for what a script may hold, which touches nothing, and the address space has no room for a third.
const (
	arena       = 64 << 20
	arenaSlack  = 8 << 20                            // is left of the present arena
	nextBallast = arena - (wire.Memory - arenaSlack) // the rest of what a script may hold is left of the next one
	addressRoom = 48 << 20                           // less than another arena
)

// ballast is never touched. It lasts as long as the process, else its room would be given to something else.
var ballast [][]byte

// bound bounds this process for good: what it may hold above what it holds now, and its time. The kernel refuses what
// is more, and the Go runtime ends a process that is refused memory.
func bound() error {
	runtime.GC()
	debug.FreeOSMemory()
	room, err := arenaRoom()
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	ballast = append(ballast, make([]byte, max(room-arenaSlack, 0)), make([]byte, nextBallast))
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	size, err := pages(statm, statSize)
	if err != nil {
		return err
	}
	data, err := pages(statm, statData)
	if err != nil {
		return err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + wire.Memory*collectPercent/100)
	limits := []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_DATA, uint64(data + wire.Memory)},
		{unix.RLIMIT_AS, uint64(size + addressRoom)},
		{unix.RLIMIT_CPU, uint64(wire.CPUSeconds)},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
	}
	for _, l := range limits {
		err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.value, Max: l.value})
		if err != nil {
			return fmt.Errorf("limit %d: %w", l.resource, err)
		}
	}
	return nil
}

// pages is a number of statm, in bytes.
func pages(statm []byte, at int) (int64, error) {
	fields := strings.Fields(string(statm))
	if len(fields) <= at {
		return 0, errors.New("memory: statm is cut")
	}
	n, err := strconv.ParseInt(fields[at], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("memory: statm: %w", err)
	}
	return n * int64(os.Getpagesize()), nil
}

// arenaRoom is how much of the arena in which the heap lies is reserved and not used yet, in bytes: what cannot be
// touched behind the mapping of a value on the heap.
func arenaRoom() (int64, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0, err
	}
	value := new([1 << 10]byte)
	at := uint64(uintptr(unsafe.Pointer(value)))
	end := uint64(0) // of the mapping that has the value
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		var rights string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); err != nil {
			return 0, err
		}
		switch {
		case from <= at && at < to:
			end = to
		case end != 0 && from == end && strings.HasPrefix(rights, "rw"):
			end = to
		case end != 0 && from == end && strings.HasPrefix(rights, "---"):
			return int64(to - from), nil
		}
	}
	runtime.KeepAlive(value)
	return 0, nil
}
