package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `package p

const most = 8 << 10

type t struct{ a, b int }

func f(list []int, on bool) (int, error) {
	x := t{a: 1, b: 2}
	defer done()
	for i := 0; i < len(list); i++ {
		if list[i] == 0 && on {
			continue
		}
		x.a += list[i] - 1
	}
	switch x.a {
	case 1, 2:
		return 0, nil
	case most:
		return x.a, err()
	}
	done()
	return x.b, nil
}
`

func TestFaultsOfEveryKindAreFound(t *testing.T) {
	faults, err := faultsOf("p/p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range faults {
		got = append(got, f.Kind+": "+f.Before+" -> "+f.After)
		if _, err := faultsOf("p/p.go", f.put([]byte(sample))); err != nil {
			t.Errorf("%s: %v", f.key(), err)
		}
	}
	want := []string{
		"bound: 8 -> 32",
		"bound: 8 -> 2",
		"early return:  -> if true { var fault0 int; var fault1 error; return fault0, fault1 };",
		"dropped defer: defer done() -> ",
		"dropped call: done() -> ",
		"dropped field: a: 1, -> ",
		"dropped field: , b: 2 -> ",
		"negated condition: i < len(list) -> !(i < len(list))",
		"swapped operator: < -> <=",
		"dropped assignment: x.a += list[i] - 1 -> ",
		"negated condition: list[i] == 0 && on -> !(list[i] == 0 && on)",
		"guard off: list[i] == 0 && on -> false && (list[i] == 0 && on)",
		"swapped operator: && -> ||",
		"off by one: 0 -> 1",
		"swapped operator: == -> !=",
		"dropped jump: continue -> ",
		"off by one: 1 -> 2",
		"swapped operator: - -> +",
		"removed case: 1, -> ",
		"removed case: case most: return x.a, err() -> ",
		"dropped error: err() -> nil",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// made is a module with one package, under git, in which the process stands until the test ends.
func made(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Chdir(dir)
}

const (
	larger     = "package p\n\nfunc Larger(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n"
	largerTest = "package p\n\nimport \"testing\"\n\nfunc TestLarger(t *testing.T) {\n\tif Larger(2, 1) != 2 {\n\t\tt.Error(\"not 2\")\n\t}\n}\n"
)

func TestWhatNoTestNoticesSurvives(t *testing.T) {
	made(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "p/p.go": larger, "p/p_test.go": largerTest})
	m, err := copyModule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer m.remove()
	same := "p/p.go Larger: swapped operator: > -> >="
	for _, known := range []equivalents{{}, {same: true}} {
		tr := trial{module: m, settings: settings{n: 100, seed: 1}, equivalents: known, log: io.Discard}
		r, err := tr.pkg(t.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, s := range r.Survivors {
			left = append(left, s.key())
		}
		switch {
		case len(known) > 0 && (len(left) != 0 || len(r.Equivalent) != 1 || r.Tried != r.Noticed):
			t.Errorf("with an equivalent: %q are left, %d are known, %d of %d noticed", left, len(r.Equivalent), r.Noticed, r.Tried)
		case len(known) == 0 && (!slices.Equal(left, []string{same}) || r.Tried != 4 || r.Noticed != 3):
			t.Errorf("%q are left; %d of %d noticed", left, r.Noticed, r.Tried)
		}
		if all := (&report{Packages: []*result{r}}); all.enough(0) != (len(known) > 0) || !all.enough(75) {
			t.Errorf("%d of %d: enough %v", r.Noticed, r.Tried, all.enough(0))
		}
	}
	if text, err := os.ReadFile("p/p.go"); err != nil || string(text) != larger {
		t.Errorf("the checkout was changed: %q, %v", text, err)
	}
}

func TestTestsThatFailWithoutAFaultAreNoWitnesses(t *testing.T) {
	red := strings.Replace(largerTest, "!= 2", "!= 3", 1)
	made(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "p/p.go": larger, "p/p_test.go": red})
	m, err := copyModule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer m.remove()
	tr := trial{module: m, settings: settings{n: 1, seed: 1}, log: io.Discard}
	if _, err := tr.pkg(t.Context(), "p"); err == nil || !strings.Contains(err.Error(), "fail without a fault: TestLarger") {
		t.Errorf("got %v", err)
	}
}

// An entry that means no fault of the code as it is hides nothing, and would hide another one some day.
func TestEveryEquivalentIsAFaultThatCanBePutIn(t *testing.T) {
	known, err := readEquivalents(equivalentsText)
	if err != nil {
		t.Fatal(err)
	}
	for key := range known {
		file, _, _ := strings.Cut(key, " ")
		src, err := os.ReadFile(filepath.Join("..", "..", "..", file))
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		faults, err := faultsOf(file, src)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.key() == key }) {
			t.Errorf("%s: there is no such fault", key)
		}
	}
	if _, err := readEquivalents("p/p.go f: guard off: a -> b\n"); err == nil {
		t.Error("an entry without a reason is taken")
	}
}
