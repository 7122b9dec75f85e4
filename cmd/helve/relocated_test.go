package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/rogpeppe/go-internal/testscript"

	"helve/internal/testing/scripttest"
	"helve/internal/workspace"
	doing "helve/parts/workers"
	natsworker "helve/server/nats"
	"helve/server/nats/broker"
	natspool "helve/source/nats"
	"helve/tool"
)

// relocatedVariable has the program helve of scripts do the work of its tools at a worker.
const relocatedVariable = "HELVE_TEST_RELOCATED"

// relocate has a worker do the work of a workspace's tools: all that they do passes a server of NATS. It shares this
// person's folders, and so the history, as a worker on the same machine does. Server and worker end with the program.
func relocate(o *workspace.Options) {
	there := *o
	o.Parts = append(o.Parts, doing.Part(doing.Options{Relocate: func(dir string, tools []tool.Tool) ([]tool.Tool, error) {
		b, err := broker.Start(broker.Options{Addr: "127.0.0.1:0"})
		if err != nil {
			return nil, err
		}
		nc, err := nats.Connect(b.URL())
		if err != nil {
			return nil, err
		}
		gate := natsworker.Gate{}
		there.Worker, there.Ask, there.Log = true, gate.Ask, nil
		there.Wrap = append(there.Wrap, gate.Wrap)
		ws, err := workspace.Open(context.Background(), there)
		if err != nil {
			return nil, err
		}
		o := natsworker.Options{Pool: "p", Workspace: "w", Session: ws.NewSession}
		if _, err := natsworker.Offer(nc, ws.Kit(), o); err != nil {
			return nil, err
		}
		p, err := natspool.Join(nc, natspool.Options{Pool: "p", Workspace: "w", Dir: dir})
		if err != nil {
			return nil, err
		}
		return p.Relocate(tools...), nil
	}}))
}

// here are the scripts that do not hold there, and why.
var here = map[string]string{
	"edit_session": "what was read in a session of the command line is kept in files of the gateway; a worker keeps it in memory",
	"record":       "gateway and worker of one machine write into one record, each its own line",

	"small": "what a failure hints at is said by the worker's kit, which has no profile: it names ls, not read with a slash",

	"exec":            attachedHere,
	"exec_background": attachedHere,
	"exec_bad":        attachedHere,
	"exec_ticket":     attachedHere,
}

// attachedHere is why a command of helve exec is never a worker's.
const attachedHere = "its command has the streams and the terminal of whoever typed it, which no other machine has"

// The scripts of helve hold, word for word, when a worker does the work of its tools.
func TestTheScriptsOfHelveHoldWhenAWorkerDoesTheWork(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server, a worker and a gateway for each command")
	}
	all, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, f := range all {
		if here[strings.TrimSuffix(filepath.Base(f), ".txtar")] == "" {
			files = append(files, f)
		}
	}
	if len(files) != len(all)-len(here) {
		t.Errorf("%d of %d scripts run, and %d are named that do not", len(files), len(all), len(here))
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			scripttest.Home(e.WorkDir, e.Setenv, e.Defer)
			e.Setenv(relocatedVariable, "1")
			return nil
		},
		Cmds: commands(),
	})
}
