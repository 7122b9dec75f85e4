package main

import (
	"bytes"
	"strings"
	"testing"
)

const (
	several = `package p

const most = 3

func Few(n int) bool { return n < most }

func Sum(list []int) (sum int) {
	defer func() { recover() }()
	last := 0
	for i := range list {
		last = list[i]
		sum += last
	}
	return sum
}

func Safe(f func()) (ok bool) {
	ok = true
	defer rescue(&ok)
	f()
	return ok
}

func rescue(ok *bool) {
	if recover() != nil {
		*ok = false
	}
}
`
	// The second test asks a process of its own, which has no environment.
	severalTest = `package p

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "sum" {
		fmt.Print(Sum([]int{1, 2}))
		return
	}
	os.Exit(m.Run())
}

func TestFew(t *testing.T) {
	if !Few(2) || Few(3) || !Safe(func() {}) || Safe(func() { panic(1) }) {
		t.Error("wrong")
	}
}

func TestSum(t *testing.T) {
	cmd := exec.Command(os.Args[0], "sum")
	cmd.Env = []string{}
	if out, err := cmd.Output(); err != nil || string(out) != "3" {
		t.Errorf("%s, %v", out, err)
	}
}
`
)

// Faults that are built together are noticed as those that are built alone, in every process of the same program.
func TestFaultsAreBuiltTogether(t *testing.T) {
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "p/p.go": several, "p/p_test.go": severalTest}
	made(t, files)
	m, err := copyModule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer m.remove()
	var got [2]*result
	for i, alone := range []bool{false, true} {
		var log bytes.Buffer
		tr := trial{module: m, settings: settings{n: 100, seed: 1}, log: &log, single: alone}
		if got[i], err = tr.pkg(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(log.String(), "built alone") != alone {
			t.Errorf("alone %v: %s", alone, &log)
		}
		for _, s := range got[i].Survivors {
			if s.Function != "Sum" || !strings.Contains(s.Before, "recover()") && s.After != "if true { return };" {
				t.Errorf("alone %v: %s survived", alone, s.key())
			}
		}
	}
	a, b := got[0], got[1]
	if a.Tried != b.Tried || a.Noticed != b.Noticed || a.Refused != b.Refused || a.Refused == 0 || a.Noticed < 10 {
		t.Errorf("together %+v, alone %+v", a, b)
	}
}
