package child

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"helve/script/internal/wire"
)

// ran runs a script that calls nothing.
func ran(source string) *wire.Done {
	r := &run{
		source: source, steps: 1_000_000, most: 8, room: 1 << 10,
		out: io.Discard, waiting: map[int]chan *wire.Reply{},
	}
	return r.script(&wire.Start{Source: source, Steps: r.steps})
}

// What models write runs, or is told what to write in its place.
func TestScriptsAsModelsWriteThem(t *testing.T) {
	text, err := os.ReadFile("testdata/scripts.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, one := range strings.Split(string(text), "\n\n")[1:] {
		var source, want, told []string
		for _, line := range strings.Split(strings.TrimSpace(one), "\n") {
			if w, ok := strings.CutPrefix(line, "=> "); ok {
				want = append(want, w)
			} else if w, ok := strings.CutPrefix(line, "!> "); ok {
				told = append(told, w)
			} else {
				source = append(source, line)
			}
		}
		n++
		done := ran(strings.Join(source, "\n"))
		switch {
		case len(want)+len(told) == 0:
			t.Errorf("%s\nhas no expectation", one)
		case done.Err == nil && string(done.Result) != strings.Join(want, ""):
			t.Errorf("%s\ngot  %s", one, done.Result)
		case done.Err != nil && len(told) == 0:
			t.Errorf("%s\ngot  %+v", one, *done.Err)
		case done.Err == nil:
			continue
		}
		for _, w := range told {
			if done.Err == nil || !strings.Contains(done.Err.Message+"\n"+done.Err.Hint, w) {
				t.Errorf("%s\ngot %+v\nwant %q in it", one, done.Err, w)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d scripts were read", n)
	}
}

// Formats come out as Python's do.
func TestFormatsAreThoseOfPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	var expressions []string
	values := []string{
		"0", "7", "-42", "1234567", "3.14159", "-0.5", "1e20", "123456.789", "0.00001234", `"ab"`, `"日本"`, "True",
	}
	for _, v := range values {
		text := strings.HasPrefix(v, `"`)
		for _, flags := range []string{"", "-", "0", "+", " ", "#", "-+", "0+"} {
			for _, width := range []string{"", "3", "12", ".2", "10.3", "12.0"} {
				kinds := "dxoeEfgGs"
				if text {
					kinds = "s"
				}
				for _, k := range kinds {
					if strings.ContainsRune("eEfgGs", k) && flags == "#" { // its points are of no use to anybody
						continue
					}
					if k == 's' && !text || strings.ContainsRune("xo", k) && strings.ContainsAny(v, ".e") {
						continue
					}
					expressions = append(expressions, fmt.Sprintf(`"%%%s%s%c" %% %s`, flags, width, k, v))
				}
			}
		}
		for _, align := range []string{"", "<", ">", "^", "*^", "0>"} {
			for _, rest := range []string{
				"", "8", "12", "08", "+", "12,", ".3", "10.2", "d", "12d", ",d", "_d", "x", "#x", "010.2f",
				".1f", "12.3e", ".3g", "+,.2f", ".1%", "b",
			} {
				if v == "True" || text && strings.ContainsAny(rest, "dxefgbc+,0%_") {
					continue
				}
				fraction := strings.ContainsAny(v, ".e")
				if align != "" && strings.HasPrefix(rest, "0") || fraction && strings.ContainsAny(rest, "dxb") {
					continue
				}
				expressions = append(expressions, fmt.Sprintf(`"{:%s%s}".format(%s)`, align, rest, v))
			}
		}
	}
	cmd := exec.Command(python, "-c", `import sys
for line in sys.stdin:
  try: print(repr(eval(line)))
  except ValueError: print('-')`)
	cmd.Stdin = strings.NewReader(strings.Join(expressions, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v %s", err, err.(*exec.ExitError).Stderr)
	}
	want := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(want) != len(expressions) {
		t.Fatalf("%d answers to %d", len(want), len(expressions))
	}
	wrong := 0
	for i, e := range expressions {
		if want[i] == "-" { // Python refuses it
			continue
		}
		got := ran("str(" + e + ")")
		text := ""
		if got.Err == nil {
			text = strings.Trim(string(got.Result), `"`)
		}
		if text != strings.Trim(want[i], "'") {
			if wrong++; wrong < 30 {
				t.Errorf("%s: got %q %+v, want %s", e, text, got.Err, want[i])
			}
		}
	}
	t.Logf("%d formats, %d wrong", len(expressions), wrong)
}
