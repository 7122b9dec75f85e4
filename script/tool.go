package script

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"helve/tool"
	"helve/tool/drafting"
)

const (
	// maxSource bounds a script in bytes, maxInputs what it is given.
	maxSource = 64 << 10
	maxInputs = 1 << 20
	// maxTimeout and defaultTimeout bound the time of a script, in which it waits for tools, too, and not for persons.
	maxTimeout     = 10 * time.Minute
	defaultTimeout = 2 * time.Minute
	// steps bound what the interpreter does.
	steps = 100_000_000
	// printedBytes is how much of what a script prints is kept.
	printedBytes = 32 << 10
	// maxCalls bounds the calls of one script, maxParallel those of one parallel that run at once.
	maxCalls    = 10_000
	maxParallel = 8
	// maxScripts bounds the scripts that run at a time: each may hold 64 MiB. placeTime is how long another one waits.
	maxScripts = 8
	placeTime  = 10 * time.Second
	// wholeBytes is the most that one call brings a script.
	wholeBytes = tool.ScriptWhole
)

//go:embed run_script.md
var doc string

// Name is the tool's name.
const Name = "run_script"

// Options say how scripts run. The zero value is ready.
type Options struct {
	Now func() time.Time // nil: time.Now
	// Once says that the program ends after a script: no child is started for the next one.
	Once bool
	// Draft begins a draft for a script. nil, or an error: its calls change the workspace when they are made.
	Draft func(ctx context.Context, c *tool.Call) (Draft, error)
	// GoOn goes on with the draft of an ID for a script. nil: none can be gone on with.
	GoOn func(ctx context.Context, c *tool.Call, id string) (drafting.Stayer, error)
}

// Scripts is the tool run_script. Close ends the child that waits for the next script.
type Scripts struct {
	tool.Tool
	o       Options
	kit     *tool.Kit
	nursery nursery
	records records
	places  chan struct{} // one for each script that runs
	last    atomic.Pointer[binding]
}

// Tool makes run_script. kit has the tools that scripts call; nil: the kit through which run_script itself is called,
// as it is for a tool that several kits have.
func Tool(kit *tool.Kit, o Options) *Scripts {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Scripts{o: o, kit: kit, places: make(chan struct{}, maxScripts), nursery: nursery{once: o.Once}}
	short, long, _ := strings.Cut(strings.TrimSpace(doc), "\n\n")
	s.Tool = tool.Renders[Outcome](tool.Plan(tool.Spec{
		Name:     Name,
		Aliases:  []string{"execute_script", "code_mode"},
		Title:    "Run Script",
		Origin:   tool.Origin{Kind: tool.Builtin, Name: Name},
		Doc:      tool.Doc{Short: short, Long: long},
		Kind:     tool.Exec, // what its calls do is theirs, and judged as theirs
		Calls:    true,
		Category: "script",
		Params:   map[string]string{"code": "script", "source": "script"},
	}, s.plan))
	return s
}

// Ready starts the child of the first script in the background, so that it does not wait for that: for servers, and for
// programs that know that a script comes.
func (s *Scripts) Ready() { s.nursery.grow() }

// Close ends the child that waits for the next script, and drops what scripts changed that wait for an answer.
func (s *Scripts) Close() error {
	s.records.close()
	return s.nursery.Close()
}

// enter waits for a place. leave frees it.
func (s *Scripts) enter(ctx context.Context) (leave func(), err error) {
	late := time.NewTimer(placeTime)
	defer late.Stop()
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		return nil, tool.Errorf(tool.Busy, "%d scripts run already", maxScripts).
			WithHint("Call it again when one of them is over, or make the calls one by one.")
	}
}

// runIn are the parameters of run_script.
type runIn struct {
	Script  string          `json:"script" jsonschema:"description=Starlark\\, at most 64 KiB,minLength=1"`
	Inputs  json.RawMessage `json:"inputs,omitempty" jsonschema:"Any JSON: the global inputs"`
	Timeout int             `json:"timeout,omitempty" jsonschema:"description=Milliseconds\\, tools included,minimum=100,maximum=600000,default=120000"`
	Keep    string          `json:"keep,omitempty" jsonschema:"description=What stays of a script that fails,enum=none,enum=partial,default=none"`
	Draft   string          `json:"draft,omitempty" jsonschema:"ID of a draft in conflict to go on with"`
}

func (in runIn) String() string {
	lines := strings.Count(strings.TrimSpace(in.Script), "\n") + 1
	return fmt.Sprintf("run a script of %d lines", lines)
}

// Validate refuses what no interpreter is started for.
func (in runIn) Validate() error {
	switch {
	case strings.TrimSpace(in.Script) == "":
		return errors.New("script: it is empty")
	case len(in.Script) > maxSource:
		return fmt.Errorf("script: it has %d bytes, at most %d are taken: give data as inputs", len(in.Script), maxSource)
	case !utf8.ValidString(in.Script):
		return errors.New("script: it is not valid UTF-8")
	case len(in.Inputs) > maxInputs:
		return fmt.Errorf("inputs: they have %d bytes, at most %d are taken", len(in.Inputs), maxInputs)
	}
	return nil
}

var (
	_ tool.Stringer  = runIn{}
	_ tool.Validator = runIn{}
)

// owner is whose call it is.
func owner(c *tool.Call) string {
	if c.Session == nil {
		return ""
	}
	return c.Session.Principal + " " + c.Session.ID
}

// digest names a script, its inputs, and whose call it is: what another one cannot go on with.
func (in runIn) digest(c *tool.Call) string {
	whose, session := "", ""
	if c.Session != nil {
		whose, session = c.Session.Principal, c.Session.ID
	}
	all := []string{in.Script, string(in.Inputs), in.Keep, in.Draft, whose, session, c.Dir}
	b, _ := json.Marshal(all) // texts: nothing in it can fail
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// within is the key in the context of all that is done for a script.
type within struct{}

// plan understands a call. It does nothing itself: what its calls do is asked about when they are made.
func (s *Scripts) plan(ctx context.Context, c *tool.Call, in runIn) (*tool.Job, error) {
	if ctx.Value(within{}) != nil {
		return nil, tool.Errorf(tool.Permission, "a script cannot run another one").
			WithHint("Write it as a function of the script.")
	}
	kit := s.kit
	if kit == nil {
		kit = c.Kit
	}
	if kit == nil {
		return nil, tool.Errorf(tool.Unknown, "there is no kit whose tools it could call")
	}
	return &tool.Job{
		Effects:   []tool.Effect{},
		Signature: in.digest(c)[:12],
		Run: func(ctx context.Context) (*tool.Result, error) {
			return s.run(ctx, kit, c, in)
		},
	}, nil
}
