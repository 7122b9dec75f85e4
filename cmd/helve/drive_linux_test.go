package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"helve/internal/testing/wiretest"
)

// contract is docs/run.schema.json, or a part of it.
func contract(t *testing.T, part string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("../../docs/run.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("run.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("run.json" + part)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func bash(id, command string) wiretest.Call {
	args, _ := json.Marshal(map[string]string{"command": command})
	return call(id, "bash", string(args))
}

// A program in another language drives a whole task by docs/run.md alone, and each line is one of the contract.
func TestAProgramInAnotherLanguageDrivesATask(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	write := func(name, text string) wiretest.Call {
		args, _ := json.Marshal(map[string]string{"file_path": name, "contents": text})
		return call("w-"+name, "write", string(args))
	}
	const tests = "import { test } from \"node:test\";\nimport { sum } from \"./math.mjs\";\n" +
		"test(\"sum\", () => { if (sum(1, 2) !== 3) throw new Error(\"wrong\"); });\n"
	d := newRunDesk(t,
		wiretest.Turn{Text: "I look first.", Calls: []wiretest.Call{call("r", "read", `{"file_path":"math.mjs"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("e", "edit", `{"file_path":"math.mjs","old_string":"add","new_string":"sum"}`), write("math.test.mjs", tests)}},
		wiretest.Turn{Calls: []wiretest.Call{bash("t", "node --test math.test.mjs")}},
		wiretest.Turn{Text: "Renamed and tested."},
		wiretest.Turn{Calls: []wiretest.Call{bash("x", "rm math.mjs")}},
		wiretest.Turn{Text: "It stays."},
	)
	d.write("math.mjs", "export const add = (a, b) => a + b;\n")
	script, err := filepath.Abs("testdata/drive/drive.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, script, d.bin, d.srv.URL)
	cmd.Dir, cmd.Env = d.dir, d.env
	var talk bytes.Buffer
	cmd.Stderr = &talk
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, printed, talk.String())
	}
	var saw struct {
		Lines              []map[string]any
		Questions, Answers []string
		Status             int
	}
	if err := json.Unmarshal(printed, &saw); err != nil {
		t.Fatalf("%s: %v", printed, err)
	}
	if saw.Status != 0 || !slices.Equal(saw.Answers, []string{"Renamed and tested.", "It stays."}) || len(saw.Questions) < 3 {
		t.Errorf("status %d, answers %q, questions %q\n%s", saw.Status, saw.Answers, saw.Questions, talk.String())
	}
	d.holds("math.mjs", "export const sum = (a, b) => a + b;\n")
	d.holds("math.test.mjs", tests)
	types := map[string]int{}
	schema := contract(t, "")
	for _, line := range saw.Lines {
		types[line["type"].(string)]++
		if err := schema.Validate(line); err != nil {
			t.Errorf("%v is not in the contract: %v", line, err)
		}
	}
	for _, want := range []string{"start", "text", "call", "question", "result", "turn", "done", "end"} {
		if types[want] == 0 {
			t.Errorf("no line is a %s: %v", want, types)
		}
	}
	end := saw.Lines[len(saw.Lines)-1]
	told, _ := json.Marshal(map[string]any{"changes": end["changes"], "calls": end["calls"], "tests": end["tests"]})
	const want = `{"calls":{"failed":0,"refused":1,"total":5},"changes":[{"added":1,"change":"modified","path":"math.mjs","removed":1},` +
		`{"added":3,"change":"created","path":"math.test.mjs","removed":0}],"tests":{"passed":1,"run":1}}`
	if string(told) != want {
		t.Errorf("the end tells %s, want %s", told, want)
	}
	if last := d.srv.Requests()[len(d.srv.Requests())-1]; !strings.Contains(last, "It is still needed.") {
		t.Errorf("the model was not told why: %s", last)
	}
}

// What instructs the model is a question of the stream, with the difference when it changed; without a yes, or where the
// input has ended, the model is told what was trusted last, and that is said. All lines, those with pictures too, are of
// the contract.
func TestADriverIsAskedWhatInstructsTheModel(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Text: "1"}, wiretest.Turn{Text: "2"}, wiretest.Turn{Text: "3"}, wiretest.Turn{Text: "4"})
	output, input := contract(t, ""), contract(t, "#/$defs/input")
	const prompt = `{"type":"prompt","text":"Hi.","images":[{"media_type":"image/png","data":"iVBORw0KGgo="},{"path":"dot.gif"}]}`
	d.write("dot.gif", "GIF89a")
	for _, c := range []struct{ agents, answer, shown, told, model string }{
		{"Answer in French.\n", "no", "Answer in French.", "not trusted, so the model is not told of it: AGENTS.md", ""},
		{"Answer in French.\n", "yes", "Answer in French.", "the model is told what stands in AGENTS.md", "Answer in French."},
		{"Answer in Latin.\n", "", "-Answer in French.\n+Answer in Latin.", "so the model is told what stood there then: AGENTS.md", "Answer in French."},
		{"Answer in French.\n", "no", "", "the model is told what stands in AGENTS.md", "Answer in French."},
	} {
		d.write("AGENTS.md", c.agents)
		cmd, in, out := d.drive(t)
		say := func(line string) {
			t.Helper()
			ofContract(t, input, line)
			if _, err := in.Write([]byte(line + "\n")); err != nil {
				t.Error(err)
			}
		}
		say(prompt)
		var shown, told string
		for lines := json.NewDecoder(out); lines.More(); {
			var raw json.RawMessage
			if err := lines.Decode(&raw); err != nil {
				t.Fatal(err)
			}
			ofContract(t, output, string(raw))
			var e struct{ Type, ID, Title, Preview, Text string }
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			switch e.Type {
			case "question":
				shown += e.Preview
				if c.answer == "" {
					in.Close()
				} else {
					say(`{"type":"answer","question":"` + e.ID + `","option":"` + c.answer + `"}`)
				}
			case "notice":
				told += e.Text + "\n"
			case "done":
				in.Close()
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(shown, c.shown) || (shown == "") != (c.shown == "") || !strings.Contains(told, c.told) {
			t.Errorf("%q answered %q: shown %q, told %s", c.agents, c.answer, shown, told)
		}
		all := d.srv.Requests()
		asked := all[len(all)-1]
		if strings.Contains(asked, "Answer in") != (c.model != "") || !strings.Contains(asked, c.model) || strings.Contains(asked, "Latin") {
			t.Errorf("%q answered %q: the model was told %s", c.agents, c.answer, asked)
		}
		for _, picture := range []string{"data:image/png;base64,iVBORw0KGgo=", "data:image/gif;base64,R0lGODlh"} {
			if !strings.Contains(asked, picture) {
				t.Errorf("the model does not see %s: %s", picture, asked)
			}
		}
	}
}

// ofContract checks a line.
func ofContract(t *testing.T, s *jsonschema.Schema, line string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err == nil {
		err = s.Validate(doc)
	}
	if err != nil {
		t.Errorf("%s is not in the contract: %v", line, err)
	}
}

// A driver that stops a call, that dies while a question is open, or sends half a line, leaves nothing running.
func TestADriverMayCancelDieOrStutter(t *testing.T) {
	sleeps := wiretest.Turn{Calls: []wiretest.Call{bash("s", "sleep 600")}}
	d := newRunDesk(t, sleeps, wiretest.Turn{Text: "It was stopped."}, sleeps, wiretest.Turn{Calls: []wiretest.Call{bash("q", "touch made")}}, wiretest.Turn{Text: "Nobody answered."})
	cmd, in, out := d.drive(t)
	say := func(line string) {
		if _, err := in.Write([]byte(line)); err != nil {
			t.Error(err)
		}
	}
	say(`{"type":"prompt","text":"Sleep."}` + "\n")
	var results, dones []string
	calls := 0
	lines := json.NewDecoder(out)
	for lines.More() {
		var e struct{ Type, ID, Text, Stop, Result, Title string }
		if err := lines.Decode(&e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "question":
			if !strings.Contains(e.Title, "touch") {
				say(`{"type":"answer","question":"` + e.ID + `","option":"yes"}` + "\n")
				continue
			}
			say(`{"type":"ans`) // half a message, and then it dies
			in.Close()
		case "call":
			calls++
			if e.ID == "s" && calls == 1 {
				say(`{"type":"cancel","call":"nothing"}` + "\n" + `{"type":"cancel","call":"s"}` + "\n")
			} else if e.ID == "s" {
				say(`{"type":"cancel"}` + "\n")
			}
		case "result":
			results = append(results, e.Text)
		case "done":
			dones = append(dones, e.Stop+" "+e.Result)
			if len(dones) < 3 {
				say(`{"type":"prompt","text":"Again."}` + "\n")
			} else {
				in.Close()
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if len(dones) != 3 || dones[0] != "done It was stopped." || !strings.HasPrefix(dones[1], "interrupted") || dones[2] != "done Nobody answered." {
		t.Errorf("got %q\nresults %q", dones, results)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "made")); err == nil {
		t.Error("what nobody answered was done")
	}
}

// drive starts helve run as a program that drives it does: with what it hears, and what it says.
func (d *runDesk) drive(t *testing.T) (cmd *exec.Cmd, in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	words := []string{"run", "--model", "openai/test", "--base-url", d.srv.URL}
	words = append(words, "--input-format", "stream-json", "--output-format", "stream-json")
	cmd = exec.Command(d.bin, words...)
	cmd.Dir, cmd.Env = d.dir, d.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, in, out
}
