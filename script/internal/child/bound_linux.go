package child

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"helve/script/internal/wire"
)

const (
	// collectPercent is how much of its memory a child uses before it collects more often.
	collectPercent = 40
	// watchPercent is how much of it the watchdog lets be in use, watchEvery how often it looks: what can be touched
	// between two looks has its place in the rest.
	watchPercent = 80
	watchEvery   = time.Millisecond
)

// The numbers of statm, by proc(5), in pages.
const (
	statSize     = 0
	statResident = 1
	statShared   = 2
	statData     = 5
)

// The Go runtime reserves its heap in arenas, of 64 MiB on most systems. RLIMIT_DATA does not hold it back: Linux
// counts nothing when memory is mapped over a reservation. So the room in the present arena is used up, which touches
// nothing, and the address space may grow by one arena more: a value that is larger is refused before anything of it
// is there.
const (
	arena       = 64 << 20
	addressRoom = arena + 48<<20 // the rest is less than another arena
	arenaSlack  = 8 << 20        // of the present arena, so that no other one is begun for the ballast
)

// bound bounds this process for good: what it may hold above what it holds now, and its time. The kernel refuses what
// is far too much; the watchdog ends what comes to hold too much in small steps.
func bound() error {
	runtime.GC()
	debug.FreeOSMemory()
	room, err := arenaRoom()
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	ballast := make([]byte, max(room-arenaSlack, 0))
	f, err := os.Open("/proc/self/statm")
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	held := &statm{file: f}
	if err := held.read(); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	data, size, idle := held.bytes[statData], held.bytes[statSize], held.own()
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
	go func() { // ends with the process
		watch(held, idle+wire.Memory*watchPercent/100)
		runtime.KeepAlive(ballast)
	}()
	return nil
}

// watch ends the process when it holds more than so many bytes. It looks a thousand times a second, and allocates
// nothing: a child that waits does not grow.
func watch(held *statm, most int64) {
	for {
		if err := held.read(); err != nil || held.own() > most {
			os.Exit(wire.ExitMemory)
		}
		time.Sleep(watchEvery)
	}
}

// A statm is what the kernel says of this process's memory.
type statm struct {
	file  *os.File
	text  [128]byte
	bytes [statData + 1]int64
}

// read takes the numbers anew.
func (m *statm) read() error {
	n, err := m.file.ReadAt(m.text[:], 0)
	if n == 0 {
		return err
	}
	at := 0
	for i := range m.bytes {
		pages, begin := int64(0), at
		for at < n && m.text[at] >= '0' && m.text[at] <= '9' {
			pages = pages*10 + int64(m.text[at]-'0')
			at++
		}
		if at == begin {
			return errors.New("statm is cut")
		}
		m.bytes[i] = pages * int64(os.Getpagesize())
		at++ // a blank
	}
	return nil
}

// own is what this process really holds of its own, in bytes: not what it shares with its file.
func (m *statm) own() int64 { return m.bytes[statResident] - m.bytes[statShared] }

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
