package job

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// What a job is told is what its limits say, and that it ends with us, whatever they are.
func TestAJobIsToldItsLimits(t *testing.T) {
	const ends, counts = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	for _, c := range []struct {
		limits Limits
		flags  uint32
		count  uint32
		memory uintptr
	}{
		{Limits{}, ends, 0, 0},
		{Limits{Processes: -1, Memory: -1}, ends, 0, 0},
		{Limits{Processes: 3}, ends | counts, 3, 0},
		{Limits{Memory: 1 << 31}, ends | windows.JOB_OBJECT_LIMIT_JOB_MEMORY, 0, 1 << 31},
	} {
		got := c.limits.extended()
		basic := got.BasicLimitInformation
		if basic.LimitFlags != c.flags || basic.ActiveProcessLimit != c.count || got.JobMemoryLimit != c.memory {
			t.Errorf("%+v: %+v, %d bytes", c.limits, basic, got.JobMemoryLimit)
		}
	}
}

// A program starts within every limit. Where the system holds them, a program more than the limit does not.
func TestAJobBoundsItsPrograms(t *testing.T) {
	cmd := exec.Command(os.Args[0], "do", "parent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	j, err := Start(cmd, Limits{Processes: 1, Memory: 1 << 30, Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if why := unheld(j); why != "" {
		t.Skip(why)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
		t.Errorf("a second program runs in a job of one: %s", line)
	}
}

// unheld says why a job's limits do not count on this system; "": they do.
func unheld(j *Job) string {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	at, size := uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))
	const what = windows.JobObjectExtendedLimitInformation
	err := windows.QueryInformationJobObject(j.handle, what, at, size, nil)
	if err != nil || info.BasicLimitInformation.ActiveProcessLimit != 1 {
		return "Wine keeps no limits of a job but that it ends with its last handle"
	}
	return ""
}
