package main

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"helve/cmd/internal/replicatest"
	"helve/engine/sandbox"
	"helve/internal/testing/scripttest"
	"helve/internal/testing/wiretest"
	"helve/script/interpreter"
)

// share is how much is run of what says in a second way, or of another client or server, what was said once: one of so
// many.
var share = flag.Int("share", 3, "one of so many lines, scripts and spellings runs again in another way; 1: all")

// The commands run the test binary itself.
func TestMain(m *testing.M) {
	sandbox.Init()
	interpreter.Init()
	testscript.Main(suite{m}, map[string]func(){
		"helve":      helve,
		"mcp":        replicatest.Talk,
		"asks":       replicatest.Asks,
		"fakeclaude": fakeClaude,
		"feed":       scripttest.Feed,
		"odd":        odd,
		"instructed": instructed,
		"ticket":     leaveTicket,
		replicaName:  replica,
	})
}

// helve is main, and where a test says so its calls are made elsewhere.
func helve() {
	env := system()
	switch {
	case os.Getenv(relocatedVariable) != "":
		env.Options = relocate
	case os.Getenv(alternatingVariable) != "":
		env.Options = alternate
	}
	os.Exit(run(env))
}

// The scripts in testdata are the product's specification: each shows one thing that a user can rely on. Those in run
// want a model, a bus or an interpreter.
func TestScripts(t *testing.T) {
	for _, dir := range []string{"testdata", "testdata/run"} {
		testscript.Run(t, testscript.Params{Dir: dir, Setup: settled, Cmds: commands()})
	}
}

// settled gives a script a home of its own, and no provider's key.
func settled(e *testscript.Env) error {
	scripttest.Home(e.WorkDir, e.Setenv, e.Defer)
	for _, v := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"} {
		e.Setenv(v, "")
	}
	e.Values[lastProvider{}] = &lastProvider{}
	e.Values[brokerKey{}] = &lastBroker{}
	return nil
}

// commands are those that scripts have beside the usual ones.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	out := maps.Clone(busCommands)
	out["status"], out["provider"] = scripttest.Status[*testscript.TestScript], provider
	out["requested"], out["placed"] = requested, placed
	return out
}

// lastProvider is the key of the provider that a script started last, and holds it.
type lastProvider struct{ server *wiretest.Server }

// requested TEXT: the first request to the provider that was started last has the text.
func requested(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(lastProvider{}).(*lastProvider).server
	if len(args) != 1 || s == nil || len(s.Requests()) == 0 {
		ts.Fatalf("usage: requested text, after a request")
	}
	if has := strings.Contains(s.Requests()[0], args[0]); has == neg {
		ts.Fatalf("the first request has %q: %v\n%s", args[0], has, s.Requests()[0])
	}
}

// provider NAME FILE: serves the provider's wire format by a script, a JSON array of turns; $URL is where.
func provider(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: provider name file")
	}
	var turns []wiretest.Turn
	if err := json.Unmarshal([]byte(ts.ReadFile(args[1])), &turns); err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	s, err := wiretest.Start(args[0], turns)
	if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Defer(s.Close)
	ts.Setenv("URL", s.URL)
	ts.Value(lastProvider{}).(*lastProvider).server = s
}
