package tool_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"helve/tool"
)

// Texts for models and people are formatted, and go vet knows it: a verb without its argument is found before anybody reads it.
func TestVetFindsAFormatThatIsWrong(t *testing.T) {
	const file = "testdata/formats/main.go"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command("go", "vet", "./testdata/formats").CombinedOutput() // its exit status says no more than its text
	said := string(out)
	want := regexp.MustCompile(`// want "(.*)"`)
	found := 0
	for i, line := range strings.Split(string(src), "\n") {
		m := want.FindStringSubmatch(line)
		at := fmt.Sprintf("main.go:%d:", i+1)
		switch {
		case m == nil && strings.Contains(said, at):
			t.Errorf("%s is right, and go vet finds something: %s", strings.TrimSpace(line), said)
		case m != nil:
			found++
			if _, after, ok := strings.Cut(said, at); !ok || !strings.Contains(strings.SplitN(after, "\n", 2)[0], m[1]) {
				t.Errorf("%s: go vet does not say %q: %s", at, m[1], said)
			}
		}
	}
	if found == 0 {
		t.Errorf("%s has no wrong line", file)
	}
}

func TestAFormattedTextIsWhatTheModelReads(t *testing.T) {
	greet := with(tool.Spec{Name: "greet", Kind: tool.Read}, func(context.Context) (*tool.Result, error) {
		return tool.Textf("Hello, %s: 100%%", "Ada").WithSummary("greeted %s", "Ada"), nil
	})
	res := call(t, k2(t, tool.KitOptions{}, greet), "greet", `{}`)
	if res.Text() != "Hello, Ada: 100%" || res.Show() != "greeted Ada" {
		t.Errorf("the model reads %q, people %q", res.Text(), res.Show())
	}
}
