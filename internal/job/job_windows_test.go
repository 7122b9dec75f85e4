package job

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// The programs of these tests are the test binary itself, started again as "test-binary do WHAT".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "do" {
		do(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func do(what string) {
	if what == "say" {
		fmt.Println("said")
		return
	}
	if file, ok := strings.CutPrefix(what, "write "); ok {
		os.WriteFile(file, nil, 0o600) // who asks looks whether it is there
		return
	}
	if what == "parent" { // a child in the first moment, whose number it tells
		child := exec.Command(os.Args[0], "do", "child")
		if err := child.Start(); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(child.Process.Pid)
	}
	time.Sleep(time.Hour)
}

func TestNothingOfAJobIsLeft(t *testing.T) {
	for name, end := range map[string]func(*Job){"End": (*Job).End, "Close": (*Job).Close} {
		cmd := exec.Command(os.Args[0], "do", "parent")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		j, err := Start(cmd, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		pid, err1 := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || err1 != nil {
			t.Fatalf("%q, %v, %v", line, err, err1)
		}
		child, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
		if err != nil {
			t.Fatalf("the child does not run: %v", err)
		}
		end(j)
		cmd.Wait()
		const ample = 60_000 // milliseconds
		if state, err := windows.WaitForSingleObject(child, ample); err != nil || state != windows.WAIT_OBJECT_0 {
			t.Errorf("%s: the child still runs: %v, %v", name, state, err)
		}
		windows.CloseHandle(child)
		j.Close()
	}
}

func TestAProgramThatIsNotThereIsAnErrorOnly(t *testing.T) {
	if _, err := Start(exec.Command(`C:\no\such\program.exe`), Limits{}); err == nil {
		t.Error("it started")
	}
}
