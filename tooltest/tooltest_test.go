package tooltest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"helve/tool"
	"helve/tooltest"
)

type in struct {
	N int `json:"n" jsonschema:"description=A number"`
}

func good() tool.Tool {
	return tool.New(tool.Spec{Name: "good", Kind: tool.Read, Doc: tool.Doc{Short: "Keeps its promises."}},
		func(_ context.Context, _ *tool.Call, i in) (*tool.Result, error) { return tool.Textf("ok"), nil })
}

func TestAGoodToolPasses(t *testing.T) {
	tooltest.Check(t, good(), &tool.Call{Args: json.RawMessage(`{"n":1}`)})
}

type list []tool.Tool

func (list) Name() string                                 { return "list" }
func (l list) Tools(context.Context) ([]tool.Tool, error) { return l, nil }

func TestAGoodSourcePasses(t *testing.T) {
	tooltest.CheckSource(t, list{good()})
}

// Each broken tool must fail its check. The check runs in another process of this test binary, since a failed subtest fails the test.
func TestABrokenToolFails(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup // all at once: some are waited for long
	for name, want := range map[string]string{
		"nameless doc": "no short description", "endless": "did not come back", "leaky": "goroutines are left", "leaves a process": "processes are left",
		"restless": "Prepares of one call differ", "garbage": "not valid UTF-8", "hides": "hidden or broken character", "no target": "without a target",
		"two texts": "the text is not that of the data", "off the schema": "does not satisfy the output schema", "a part": "a program gets a part only",
	} {
		wg.Go(func() {
			cmd := exec.Command(exe, "-test.run=^TestBroken$", "-test.v")
			cmd.Env = append(os.Environ(), "TOOLTEST_BROKEN="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%s: %v; want a failure that says %q, got\n%s", name, err, want, out)
			}
		})
	}
	wg.Wait()
}

func TestBroken(t *testing.T) {
	name := os.Getenv("TOOLTEST_BROKEN")
	if name == "" {
		return // this is the other process of TestABrokenToolFails
	}
	tooltest.Check(t, broken(t, name), &tool.Call{Args: json.RawMessage(`{"n":1}`)})
}

func broken(t *testing.T, name string) tool.Tool {
	s := tool.Spec{Name: "broken", Kind: tool.Read, Doc: tool.Doc{Short: "Breaks a promise."}}
	run := func(context.Context) (*tool.Result, error) { return tool.Textf("ok"), nil }
	var effects []tool.Effect
	prepared := 0
	switch name {
	case "nameless doc":
		s.Doc.Short = ""
	case "hides":
		s.Doc.Long = "Nothing to see\u200b here."
	case "endless":
		run = func(context.Context) (*tool.Result, error) { select {} }
	case "leaky":
		run = func(context.Context) (*tool.Result, error) { go func() { select {} }(); return tool.Textf(""), nil }
	case "leaves a process":
		run = func(context.Context) (*tool.Result, error) {
			c := exec.Command("sleep", "600")
			err := c.Start()
			t.Cleanup(func() { c.Process.Kill() })
			return tool.Textf(""), err
		}
	case "garbage":
		run = func(context.Context) (*tool.Result, error) { return tool.Textf("\xff\xfe"), nil }
	case "no target":
		effects = []tool.Effect{{Kind: tool.Read}}
	}
	switch name {
	case "two texts", "off the schema", "a part":
		return untrue(s, name)
	}
	return tool.Plan(s, func(context.Context, *tool.Call, in) (*tool.Job, error) {
		prepared++
		j := &tool.Job{Run: run, Effects: effects}
		if name == "restless" {
			j.Title = strings.Repeat("x", prepared)
		}
		return j, nil
	})
}

// told is data that knows its text.
type told struct {
	N        int  `json:"n"`
	Complete bool `json:"complete"`
}

func (d told) Text() string { return fmt.Sprintf("n is %d", d.N) }

// untrue is a tool whose data is not what it promises.
func untrue(s tool.Spec, name string) tool.Tool {
	return tool.Renders[told](tool.New(s, func(_ context.Context, c *tool.Call, i in) (*tool.Result, error) {
		res := tool.Render(told{N: i.N, Complete: name != "a part" || c.Whole == 0})
		switch name {
		case "two texts":
			res.Parts = []tool.Part{tool.Text("n is large")}
		case "off the schema":
			res.Data = json.RawMessage(`{"n":"one","complete":true}`)
		}
		return res, nil
	}))
}

func TestAToolWhoseTextIsMadeOfItsDataPasses(t *testing.T) {
	tooltest.Check(t, untrue(tool.Spec{Name: "told", Kind: tool.Read, Doc: tool.Doc{Short: "Tells a number."}}, ""),
		&tool.Call{Args: json.RawMessage(`{"n":1}`)})
}
