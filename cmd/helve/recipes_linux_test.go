package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"helve/internal/testing/wiretest"
)

// A pipelineStep is a step of a pipeline as a runner carries it out.
type pipelineStep struct {
	Run string            `yaml:"run"`
	Env map[string]string `yaml:"env"`
}

// pipelines are the scripts of docs/recipes.md in which an agent runs, by the names of their jobs.
func pipelines(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, b := range fenced(t, "docs/recipes.md", string(text)) {
		if b.lang != "yaml" {
			continue
		}
		var github struct {
			Jobs map[string]struct{ Steps []pipelineStep }
		}
		if err := yaml.Unmarshal([]byte(b.body), &github); err == nil {
			for name, job := range github.Jobs {
				for _, s := range job.Steps {
					if strings.Contains(s.Run, "helve run") {
						out["github "+name] = s.Run
					}
				}
			}
		}
		var gitlab map[string]struct{ Script []string }
		if err := yaml.Unmarshal([]byte(b.body), &gitlab); err == nil {
			for name, job := range gitlab {
				if script := strings.Join(job.Script, "\n"); strings.Contains(script, "helve run") {
					out["gitlab "+name] = script
				}
			}
		}
	}
	return out
}

// pipe carries out a script as a runner does, in a repository with one change.
func pipe(t *testing.T, script string, turns ...wiretest.Turn) *runDesk {
	t.Helper()
	d := newRunDesk(t, turns...)
	d.write("test.sh", "grep -q 2 a.txt\n")
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir, cmd.Env = d.dir, append(d.env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		b, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, b)
		}
		return strings.TrimSpace(string(b))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "before")
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	base := git("rev-parse", "HEAD")
	d.write("a.txt", "one\ntwo\nchanged\n")
	git("commit", "-qam", "after")
	cmd := exec.CommandContext(acpContext(t), "bash", "-eo", "pipefail", "-c", script)
	cmd.Dir = d.dir
	cmd.Env = append(d.env, "PATH="+filepath.Dir(d.bin)+":"+os.Getenv("PATH"), "GITHUB_BASE_REF=main", "CI_MERGE_REQUEST_DIFF_BASE_SHA="+base,
		"GITHUB_STEP_SUMMARY="+filepath.Join(d.dir, "summary.md"), "HELVE_MODEL=openai/test", "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+d.srv.URL)
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return d
}

// What docs/recipes.md says of pipelines does what it says: a review that changes nothing, and a run that mends what it
// may, and nothing else.
func TestTheRecipesForPipelinesWork(t *testing.T) {
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	scripts := pipelines(t)
	if len(scripts) != 3 {
		t.Fatalf("the page has %d scripts, want 3: %v", len(scripts), scripts)
	}
	for name, file := range map[string]string{"github review": "summary.md", "gitlab review": "review.md"} {
		d := pipe(t, scripts[name],
			wiretest.Turn{Calls: []wiretest.Call{call("r", "read", `{"file_path":"a.txt"}`), call("w", "write", `{"file_path":"b.txt","contents":"x"}`)}},
			wiretest.Turn{Text: "Line 3 is wrong."})
		if d.there("b.txt") {
			t.Errorf("%s: it changed something", name)
		}
		d.holds(file, "Line 3 is wrong.\n")
		if first := d.srv.Requests()[0]; !strings.Contains(first, "+changed") {
			t.Errorf("%s: the model was asked %s", name, first)
		}
	}
	d := pipe(t, scripts["github mend"],
		wiretest.Turn{Calls: []wiretest.Call{bash("1", "sh test.sh"), call("2", "read", `{"file_path":"a.txt"}`)}},
		edits("3", "two", "2"),
		wiretest.Turn{Calls: []wiretest.Call{bash("4", "rm test.sh")}},
		wiretest.Turn{Calls: []wiretest.Call{bash("5", "sh test.sh")}},
		wiretest.Turn{Text: "Mended."})
	d.holds("a.txt", "one\n2\nchanged\n")
	if !d.there("test.sh") {
		t.Error("it did what nobody allowed")
	}
	patch, err := os.ReadFile(filepath.Join(d.dir, "helve.patch"))
	if err != nil || !strings.Contains(string(patch), "\n-two\n+2\n") {
		t.Errorf("the difference is %s, %v", patch, err)
	}
	var end struct {
		Result string
		Calls  struct{ Refused int }
	}
	report, err := os.ReadFile(filepath.Join(d.dir, "helve.json"))
	if err != nil || json.Unmarshal(report, &end) != nil || end.Result != "Mended." || end.Calls.Refused != 1 {
		t.Errorf("it reports %s, %v", report, err)
	}
}

// consoleCopy copies the console's modules of this repository, with what Node needs to know of them.
func consoleCopy(t *testing.T, d *runDesk) {
	t.Helper()
	modules, err := filepath.Glob("../../server/console/web/*.js")
	if err != nil || len(modules) < 10 {
		t.Fatal(modules, err)
	}
	for _, m := range modules {
		b, err := os.ReadFile(m)
		if err != nil {
			t.Fatal(err)
		}
		d.write(filepath.Base(m), string(b))
	}
	d.write("package.json", "{\"type\":\"module\"}\n")
}

// durations are how often each module of the copy names a function.
func (d *runDesk) named(word string) int {
	d.t.Helper()
	modules, err := filepath.Glob(filepath.Join(d.dir, "*.js"))
	if err != nil {
		d.t.Fatal(err)
	}
	n := 0
	for _, m := range modules {
		b, err := os.ReadFile(m)
		if err != nil {
			d.t.Fatal(err)
		}
		n += len(regexp.MustCompile(`\b`+word+`\b`).FindAll(b, -1))
	}
	return n
}

// runKilled runs a prompt until it prints a line that is meant, or the model was asked so often; then it is killed.
func (d *runDesk) runKilled(asked int, meant string, args ...string) {
	d.t.Helper()
	cmd := exec.CommandContext(acpContext(d.t), d.bin, append([]string{"run", "-p", "--model", "openai/test", "--base-url", d.srv.URL, "--output-format", "stream-json"}, args...)...)
	cmd.Dir, cmd.Env = d.dir, d.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	if meant != "" {
		for sc := bufio.NewScanner(out); sc.Scan() && !strings.Contains(sc.Text(), meant); {
		}
	} else {
		waitUntil(acpContext(d.t), d.t, func() bool { return len(d.srv.Requests()) >= asked })
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
}

// A task of this repository is done on a copy of a part of it: a function of the console is renamed, a test is added and
// run. helve is killed twice on the way; nothing is made twice, and the record tells all of it.
func TestATaskOfThisRepositorySurvivesTwoKills(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	const added = `import { test } from "node:test";
globalThis.sessionStorage = { getItem: () => null, setItem() {}, removeItem() {} };
globalThis.location = new URL("http://127.0.0.1/console/");
globalThis.document = { addEventListener() {} };
const { elapsed } = await import("./parts.js");
test("a time is read at a glance", () => { if (elapsed(90_000) !== "90.0 s") throw new Error(elapsed(90_000)); });
`
	contents, _ := json.Marshal(map[string]string{"file_path": "elapsed.test.mjs", "contents": added})
	test := wiretest.Turn{Calls: []wiretest.Call{bash("3", "node --test elapsed.test.mjs")}}
	d := newRunDesk(t,
		wiretest.Turn{Calls: []wiretest.Call{call("1", "rename_symbol", `{"name":"duration","new_name":"elapsed"}`)}},
		wiretest.Turn{Hang: true},
		wiretest.Turn{Calls: []wiretest.Call{call("2", "write", string(contents))}},
		test, test,
		wiretest.Turn{Text: "Renamed, and tested."},
	)
	consoleCopy(t, d)
	before := d.named("duration")
	allowed := []string{"--allow", "rename_symbol", "--allow", "write", "--allow", "bash:node --test *"}
	d.runKilled(2, "", append([]string{"Rename duration to elapsed, add a test and run it."}, allowed...)...)
	if old, now := d.named("duration"), d.named("elapsed"); before < 10 || old != 0 || now != before {
		t.Fatalf("duration stood there %d times, now %d times, and elapsed %d times", before, old, now)
	}
	d.runKilled(0, `"tool":"bash"`, append([]string{"--continue", "Go on."}, allowed...)...)
	cmd := exec.CommandContext(acpContext(t), d.bin, append([]string{"run", "-p", "--continue", "Go on.", "--model", "openai/test", "--base-url", d.srv.URL, "--output-format", "json"}, allowed...)...)
	cmd.Dir, cmd.Env = d.dir, d.env
	var talk strings.Builder
	cmd.Stderr = &talk
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, talk.String())
	}
	var end struct {
		Result, Conversation string
		Tests                struct{ Run, Passed int }
	}
	if err := json.Unmarshal(out, &end); err != nil || end.Result != "Renamed, and tested." {
		t.Fatalf("%s %v\n%s", out, err, talk.String())
	}
	d.holds("elapsed.test.mjs", added)
	d.recorded(end.Conversation)
	if d.named("elapsed") != before {
		t.Error("it was renamed twice")
	}
}

// recorded checks what the record has of the task: three prompts, one rename and one new file, each once.
func (d *runDesk) recorded(conversation string) {
	d.t.Helper()
	helve := func(to any, args ...string) {
		cmd := exec.CommandContext(acpContext(d.t), d.bin, args...)
		cmd.Dir, cmd.Env = d.dir, d.env
		b, err := cmd.Output()
		if err != nil || json.Unmarshal(b, to) != nil {
			d.t.Fatalf("helve %s: %v\n%s", args, err, b)
		}
	}
	var past []struct {
		Tool  string
		Files []struct{ Path string }
	}
	helve(&past, "history", "--json", "--limit", "0")
	var tools []string
	for _, p := range past {
		tools = append(tools, p.Tool)
	}
	if !slices.Equal(tools, []string{"write", "rename_symbol"}) || len(past[1].Files) < 4 {
		d.t.Errorf("the history has %+v", past)
	}
	var shown struct {
		Messages []struct {
			Role  string
			Calls []struct{ Tool, State string }
		}
	}
	helve(&shown, "conversations", "show", conversation, "--json")
	prompts := 0
	var calls []string
	for _, m := range shown.Messages {
		if m.Role == "user" {
			prompts++
		}
		for _, c := range m.Calls {
			calls = append(calls, c.Tool)
			if !slices.Contains([]string{"done", "not_begun", "dropped", "committed", "unknown"}, c.State) {
				d.t.Errorf("what became of %+v is not told", c)
			}
		}
	}
	if prompts != 3 || calls[0] != "rename_symbol" || calls[len(calls)-1] != "bash" {
		d.t.Errorf("%d prompts, calls %q", prompts, calls)
	}
}
