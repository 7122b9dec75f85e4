package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// The middle one of three blocks decides: one block that something disturbed neither makes a row worse nor hides one.
func TestARowIsWorseInTwoBlocksOfThree(t *testing.T) {
	for _, c := range []struct {
		ratios   []float64
		asserted bool
		worse    bool
	}{
		{[]float64{1.15, 1.15, 1.15}, true, true},
		{[]float64{1.15, 0.97, 1.09}, true, true},
		{[]float64{1.9, 1.0, 1.02}, true, false},
		{[]float64{1.08, 1.08, 1.08}, true, false},
		{[]float64{0.5, 0.6, 2}, true, false},
		{[]float64{1.15, 1.15, 1.15}, false, false},
	} {
		res := &result{}
		res.judge(c.ratios, c.asserted)
		if res.Worse != c.worse {
			t.Errorf("blocks %v, asserted %v: worse is %v, want %v", c.ratios, c.asserted, res.Worse, c.worse)
		}
	}
}

// Where others use the machine, a short run cannot tell more time from less; allocations and sizes it can.
func TestShortRunsAssertWhatDoesNotDependOnTheDay(t *testing.T) {
	for _, r := range table() {
		wantShort := r.kind == steady
		if r.asserted(true) != wantShort {
			t.Errorf("%s, short: asserted is %v, want %v", r.name, r.asserted(true), wantShort)
		}
		if n := r.blocks(true); (n == blocks) != wantShort || r.blocks(false) != blocks {
			t.Errorf("%s: %d blocks in a short run, %d else", r.name, n, r.blocks(false))
		}
		wantLong := r.name != "flight-wall"
		if r.asserted(false) != wantLong {
			t.Errorf("%s: asserted is %v, want %v", r.name, r.asserted(false), wantLong)
		}
	}
}

func TestFlagsStandBeforeAndBehindTheState(t *testing.T) {
	for _, line := range []string{
		"-work w -short -rows list,size HEAD~1",
		"-work w HEAD~1 -short -rows list,size",
		"-work w -short HEAD~1 -rows list,size",
	} {
		o, err := parse(strings.Fields(line), io.Discard)
		if err != nil || o.ref != "HEAD~1" || !o.short || o.rows != "list,size" {
			t.Errorf("%s: got %+v, %v", line, o, err)
		}
	}
	for _, line := range []string{"-work w", "-work w a b", "HEAD", "-work w HEAD -odd"} {
		if o, err := parse(strings.Fields(line), io.Discard); err == nil {
			t.Errorf("%s: got %+v, want an error", line, o)
		}
	}
}

// Rows come in the order of the table, each once, and a name that is none is said with those that are.
func TestRowsAreChosenByName(t *testing.T) {
	rows, err := chosen(table(), "size, list,size")
	if err != nil || strings.Join(names(rows), " ") != "list size" {
		t.Errorf("size, list,size: got %v, %v", names(rows), err)
	}
	if _, err := chosen(table(), "list,lisst"); err == nil || !strings.Contains(err.Error(), "list-tokens") {
		t.Errorf("list,lisst: got %v, want the names of all rows", err)
	}
}

// The server behind helve does what its file says, as its command line stays the same: helve knows it again.
func TestTheServerBehindDoesWhatItsFileSays(t *testing.T) {
	s := &side{ws: t.TempDir()}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	for how, wants := range map[string]string{good: `"give"`, mute: "", dead: ""} {
		if err := s.behave("s", how); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := answer(t.Context(), strings.NewReader(list), &out, s.behaviour("s"))
		if got := out.String(); wants == "" && got != "" || !strings.Contains(got, wants) || (err != nil) != (how == dead) {
			t.Errorf("%s: said %q, %v; want %q", how, got, err, wants)
		}
	}
}
