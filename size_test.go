package helve_test

import (
	"os"
	"strings"
	"testing"
)

// sized is a program that opens a workspace with these parts.
const sized = `package main

import (
	"context"

	"helve"
	PARTS
)

func main() {
	helve.Init()
	ws, err := helve.Open(context.Background(), helve.Options{OPTIONS})
	if err != nil {
		panic(err)
	}
	defer ws.Close()
	println(ws.Kit().View().Len())
}
`

// A program links what it names: files, searches, bash, the policy and the history in the fewest bytes, everything but
// models and bus in the most.
func TestAProgramLinksWhatItNames(t *testing.T) {
	if testing.Short() {
		t.Skip("links three programs")
	}
	for _, c := range []struct {
		name, imports, options string
		most                   int64 // bytes, without what debuggers want
	}{
		{"nothing more", "", "", 13_700_000},
		{"code", `"helve/parts/code"`, "Parts: []helve.Part{code.Part()}", 17_400_000},
		{"everything", `"helve/parts/everything"`, "Parts: everything.Parts()", 21_300_000},
	} {
		program := strings.NewReplacer("PARTS", c.imports, "OPTIONS", c.options).Replace(sized)
		st, err := os.Stat(compiled(t, program, "-ldflags=-s -w"))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%6.2f MB  %s", float64(st.Size())/1e6, c.name)
		if st.Size() > c.most {
			t.Errorf("a program with %s has %d bytes, want at most %d", c.name, st.Size(), c.most)
		}
	}
}
