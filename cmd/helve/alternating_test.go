package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"helve/cmd/internal/app"
	"helve/cmd/internal/command"
	"helve/internal/testing/scripttest"
	"helve/internal/workspace"
	"helve/tool"
)

const (
	// alternatingVariable has the program helve of scripts send its calls to two servers in turn. It says who does that.
	alternatingVariable = "HELVE_TEST_ALTERNATING"
	// busVariable is where the program replica finds the bus.
	busVariable = "HELVE_TEST_BUS"
	// replicaName is a helve that tells its client of each result what the command line knows of it.
	replicaName = "replica"
	// metaOutcome is where it tells that: an outcome as a text, since numbers have to stay as they are written.
	metaOutcome = "helve-test/outcome"
)

// An outcome is a result with what its JSON leaves out.
type outcome struct {
	Result   *tool.Result
	Decision tool.Decision
}

// replica is the main of such a helve.
func replica() {
	env := app.System()
	env.Bus = elsewhere{url: os.Getenv(busVariable)}
	env.Options = func(o *workspace.Options) { o.Outermost = append(o.Outermost, telling) }
	ctx, stop := command.Interrupted()
	defer stop()
	os.Exit(app.Main(ctx, os.Args[1:], env))
}

// elsewhere is a bus whose server no configuration names: scripts write their own.
type elsewhere struct {
	bus
	url string
}

func (e elsewhere) Join(ctx context.Context, o command.BusOptions) (command.BusGateway, error) {
	o.URL, o.Embed, o.Token = e.url, "", ""
	return e.bus.Join(ctx, o)
}

// telling adds the outcome to a result.
func telling(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		res, err := next(ctx, c)
		if err != nil || res.Need != nil {
			return res, err
		}
		text, err := json.Marshal(outcome{res, res.Verdict.Decision})
		if err != nil {
			return nil, err
		}
		extra := map[string]any{}
		if res.Extra != nil {
			if err := json.Unmarshal(res.Extra, &extra); err != nil {
				return nil, err
			}
		}
		extra[metaOutcome] = string(text)
		own := *res
		own.Extra, err = json.Marshal(extra)
		return &own, err
	}
}

// An order is a call of the command line, for the servers.
type order struct {
	Words   []string // of the command line
	Environ []string
	Cwd     string
	Dir     string // the workspace
	Session string // "": it has none
	Name    string
	Args    json.RawMessage
	Whole   bool
}

// alternate has the calls of a command line made by two servers in turn. Nothing is looked up, checked, judged, asked or
// recorded here.
func alternate(o *workspace.Options) {
	o.Outermost = append(o.Outermost, func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			if !slices.Contains(os.Args, "call") || c.Args != nil && !json.Valid(c.Args) {
				return next(ctx, c) // undo is no call of a client's, and what is no JSON cannot be sent
			}
			a := order{Words: os.Args[1:], Environ: os.Environ(), Dir: c.Dir, Name: c.Name, Args: c.Args, Whole: c.Whole > 0}
			if c.Session != nil {
				a.Session = c.Session.ID
			}
			var err error
			if a.Cwd, err = os.Getwd(); err != nil {
				return nil, err
			}
			return a.send(ctx)
		}
	})
}

func (a order) send(ctx context.Context) (*tool.Result, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv(alternatingVariable), bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var out struct {
		Outcome outcome
		Error   string
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return nil, err
	}
	if out.Error != "" {
		return nil, fmt.Errorf("the servers: %s", out.Error)
	}
	out.Outcome.Result.Verdict.Decision = out.Outcome.Decision
	return out.Outcome.Result, nil
}

// alone are the scripts whose calls do not hold at servers, and why.
var alone = map[string]string{
	"mcp_import": "a server starts all that is configured, and here that is names of programs",
	"mcp_late":   "it tells which of the configured servers one call starts, and a server starts all",
	"named":      "it runs as other users, who may not read what this one configured",
	"record":     "it counts calls, and a client reads a file before it changes it",
	"undo":       "the history shows that its calls were of no session, and a client's are of one",
}

// callsTool is a command line of a script that calls a tool.
var callsTool = regexp.MustCompile(`(?m)^[^#\n]*\bhelve( -[^\n]*)? call `)

// The scripts of helve hold, word for word, when each call comes to the other one of two servers, as those of a
// conversation do behind a balancer. What the servers share lies on the bus.
func TestTheScriptsOfHelveHoldWhenTheirCallsComeToTwoServersInTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts two servers for each configuration of a script")
	}
	all, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	named, calling := 0, 0
	for _, f := range all {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case alone[strings.TrimSuffix(filepath.Base(f), ".txtar")] != "":
			named++
		case callsTool.Match(text):
			if calling%*share == 0 {
				files = append(files, f)
			}
			calling++
		}
	}
	if named != len(alone) {
		t.Errorf("%d scripts are named that do not alternate, and %d are there", len(alone), named)
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			scripttest.Home(e.WorkDir, e.Setenv, e.Defer)
			p := newPair(e.WorkDir)
			e.Defer(func() {
				if err := p.close(); err != nil {
					t.Errorf("%s: %v", filepath.Base(e.WorkDir), err)
				}
			})
			e.Setenv(alternatingVariable, p.URL)
			return nil
		},
		Cmds: commands(),
	})
}
