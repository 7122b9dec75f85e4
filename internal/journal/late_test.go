package journal_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"helve/internal/journal"
)

// asWriter has the test binary write to a journal until it is killed, in place of running tests.
const asWriter = "HELVE_TEST_JOURNAL"

func TestMain(m *testing.M) {
	if path := os.Getenv(asWriter); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(m.Run())
}

// writeUntilKilled says each number when the line with it was appended. The line before that may wait.
func writeUntilKilled(path string) {
	j := &journal.File{Path: path, Chained: true}
	for i := 0; ; i++ {
		j.Later(fmt.Appendf(nil, `{"late":%d}`, i))
		if err := j.Append(fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		j.Later(fmt.Appendf(nil, `{"after":%d}`, i))
		fmt.Println(i)
	}
}

func kept(t *testing.T, path string) []byte {
	t.Helper()
	var all []byte
	for n := journal.Kept; n >= 0; n-- {
		name := path
		if n > 0 {
			name = fmt.Sprintf("%s.%d", path, n)
		}
		b, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

func TestWhatWasAppendedIsThereWhenTheWriterIsKilled(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), asWriter+"="+path)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewScanner(out)
		for n := 0; n < 200 && said.Scan(); n++ {
			if want := fmt.Sprint(n); said.Text() != want {
				t.Fatalf("said %q, want %s", said.Text(), want)
			}
		}
		c.Process.Kill()
		c.Wait()
		all := kept(t, path)
		for n := range 200 {
			for _, want := range []string{fmt.Sprintf(`{"late":%d,`, n), fmt.Sprintf(`{"n":%d,`, n)} {
				if !bytes.Contains(all, []byte(want)) {
					t.Fatalf("%s is not there", want)
				}
			}
		}
		write(t, chainedAt(t, path, 0), 0, 1) // what was cut short is a line of its own
		if p := verify(t, path); len(p.Breaks) > 1 {
			t.Errorf("%+v", p.Breaks)
		}
	}
}

func TestLinesThatMayComeLaterKeepTheirOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	j := chainedAt(t, path, 60_000) // turned over on the way
	var want []string
	for i := range 600 {
		line := fmt.Sprintf(`{"n":%d,"text":"%080d"}`, i, i)
		want = append(want, line[:len(line)-1])
		if i%7 == 3 {
			if err := j.Append([]byte(line)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		j.Later([]byte(line))
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(kept(t, path)), []byte("\n"))
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for i, l := range lines {
		if !bytes.HasPrefix(l, []byte(want[i])) {
			t.Fatalf("line %d is %s, want %s…", i, l, want[i])
		}
	}
	if p := verify(t, path); p.Lines != len(want) || len(p.Breaks) != 0 {
		t.Errorf("%+v", p)
	}
}

// Nobody closes the journal here, and no other line comes.
func TestALineThatMayComeLaterComesByItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	j := chainedAt(t, path, 0)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { j.Later(fmt.Appendf(nil, `{"n":%d}`, i)) })
	}
	wg.Wait()
	for end := time.Now().Add(time.Minute); bytes.Count(kept(t, path), []byte("\n")) < 20; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after a minute: %s", kept(t, path))
		}
	}
}

func TestWhoeverIsToldHearsThatALineCouldNotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 10)
	j := &journal.File{Path: filepath.Join(dir, "audit.jsonl"), Chained: true, Fail: func(err error) { told <- err }}
	j.Later([]byte(`{"n":1}`))
	select {
	case err := <-told:
		if err == nil {
			t.Error("told of no error")
		}
	case <-time.After(time.Minute):
		t.Error("nobody was told")
	}
}
