package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"helve/builtin"
	"helve/engine/shell"
	"helve/internal/config"
	"helve/tool"
	"helve/wrap"
)

// A ForeignCall is one of another program's own tools, such as an agent client's Edit, said in terms of ours: rules
// that hold for our edit hold for it. See Options.Foreign.
type ForeignCall struct {
	Name    string        // the program's own name of the tool, for the record
	ID      string        // the program's own, for the record
	Session *tool.Session // the conversation
	Args    json.RawMessage

	Tool string // ours that does the same: read, edit, write, grep, glob, ls, bash, fetch; "": none does, and Origin counts
	Dir  string // where the program's tool stands, absolute

	Paths   []string // of files
	Line    string   // of bash
	Network bool     // of bash: it is to have the network
	Offline bool     // of bash: it is to have none, though its words need it
	URL     string   // of fetch

	Origin tool.Origin // of a tool of an MCP server, or of the program itself
}

// A ForeignVerdict is what the rules say of a ForeignCall.
type ForeignVerdict struct {
	tool.Verdict
	Effects []tool.Effect
	Grant   string // the approval that covers it; "": none was needed, or there is none

	// Confines tells of a command line that our sandbox would hold it, Reads that it only looks.
	Confines, Reads bool

	// Whole tells of a command line that its Commands are all that it does.
	Whole    bool
	Commands []tool.SimpleCommand // of a command line
	Outside  bool                 // something of it lies outside the workspace
	Word     bool                 // a rule or a switch of the configuration said so, no default
}

// Foreign judges the calls of another program's own tools and keeps what they change. The workspace must have been
// opened with Options.Foreign for that.
type Foreign struct {
	guard    *guard
	files    *builtin.Toolbox
	registry *tool.Registry
	confined confinement
	note     func(wrap.Record) error
}

// Foreign is what the workspace says to another program's tools.
func (w *Assembly) Foreign() Foreign {
	return Foreign{w.guard, w.files, w.registry, w.confined, w.Note}
}

// Asks tells why a path, absolute, is one of Options.Guards; "" if it is none.
func (f Foreign) Asks(path string) string { return f.guard.asks(path) }

// Confines tells why commands cannot be confined on this machine, as it is configured; nil: they can.
func (f Foreign) Confines(ctx context.Context) error { return f.confined.confines(ctx) }

// Judge tells what the rules say to a call of another program's tool. Nothing is run, and nobody is asked;
// what was approved before for always is allowed.
//
// The error says why the call means nothing that could be judged.
func (f Foreign) Judge(ctx context.Context, c ForeignCall) (ForeignVerdict, error) {
	if !f.guard.foreign {
		return ForeignVerdict{}, errors.New("judge: this workspace was not opened for another program's tools")
	}
	j, outside, err := f.job(ctx, c)
	if err != nil {
		refused := tool.Fail(err)
		if refused.Err.Code == tool.Permission && refused.Verdict.Reason != "" {
			return ForeignVerdict{Verdict: refused.Verdict, Word: true}, nil
		}
		return ForeignVerdict{}, err
	}
	rules := f.guard.rules()
	v := rules.Lists(j.Spec)
	if v.Decision != tool.Deny {
		v = rules.Judge(j)
	}
	if same, found := f.guard.guardedInode(j.Effects); found && v.Decision != tool.Deny {
		why := same + " is another name of a file that has a program ask helve, and is written by people alone"
		v = tool.Verdict{Decision: tool.Deny, Reason: why, Rule: "guarded", Layer: "floor"}
	}
	out := ForeignVerdict{Verdict: v, Effects: j.Effects, Outside: outside}
	out.Word = v.Layer != "" && v.Layer != "default" && v.Rule != "mode:auto"
	if v.Decision == tool.Ask {
		if id, ok := f.guard.grants.Granted(j); ok {
			out.Grant, out.Decision = id, tool.Allow
		}
	}
	if j.Line != nil {
		unheld := tool.Effect{Kind: tool.Write, Target: tool.AnyTarget}
		out.Confines = !slices.Contains(j.Effects, unheld)
		out.Reads = j.Line.Decision == tool.Allow
		out.Commands, out.Whole = j.Line.Commands, j.Line.Whole
	}
	return out, nil
}

// job is the call as a job of ours.
func (f Foreign) job(ctx context.Context, c ForeignCall) (j *tool.Job, outside bool, err error) {
	call := &tool.Call{ID: c.ID, Name: cmp.Or(c.Tool, c.Name), Args: c.Args, Session: c.Session, Dir: c.Dir}
	if c.Tool == "" {
		spec := &tool.Spec{Name: c.Name, Origin: c.Origin}
		return &tool.Job{Spec: spec, Call: call, Title: c.Name}, false, nil
	}
	t, bad := f.registry.View().Lookup(c.Tool)
	if bad != nil {
		return nil, false, bad
	}
	if c.Tool == "bash" {
		j, err = f.line(ctx, call, c)
		return j, false, err
	}
	j = &tool.Job{Spec: t.Spec(), Call: call, Effects: []tool.Effect{}}
	kind := t.Spec().Kind
	if c.Tool == "fetch" {
		u, err := url.Parse(c.URL)
		if err != nil || u.Host == "" {
			return nil, false, fmt.Errorf("judge: %.100q is no address of a page", c.URL)
		}
		j.Effects = append(j.Effects, tool.Effect{Kind: tool.Net, Target: u.Host})
	}
	for _, path := range c.Paths {
		target, inside, err := f.files.Aim(c.Dir, path)
		if err != nil {
			return nil, false, err
		}
		outside = outside || !inside
		j.Effects = append(j.Effects, tool.Effect{Kind: kind, Target: target})
	}
	return j, outside, nil
}

// line understands a command line as our own tool does.
func (f Foreign) line(ctx context.Context, call *tool.Call, c ForeignCall) (*tool.Job, error) {
	args := map[string]any{"command": c.Line}
	needs := func() bool { return shell.NeedsNetwork(shell.Analyze(c.Line, shell.Options{Dir: c.Dir})) != "" }
	if c.Network || !c.Offline && needs() {
		args["network"] = true
	}
	if rel, err := filepath.Rel(f.guard.places.dir(), c.Dir); err == nil && rel != "." {
		args["working_directory"] = c.Dir
	}
	var err error
	call.Dir = f.guard.places.dir()
	if call.Args, err = json.Marshal(args); err != nil {
		return nil, err
	}
	return f.registry.Kit(tool.KitOptions{Policy: everything{}}).Understand(ctx, call)
}

// Expect keeps what stands in the files that such a call is about to change, and Take takes what became
// of them into the history.
func (f Foreign) Expect(c ForeignCall, title string) error {
	call := &tool.Call{ID: c.ID, Name: c.Name, Session: c.Session}
	return f.files.Await(call, title, c.Dir, c.Paths)
}

// Take takes into the history what calls of a session changed that Expect was told of; "" means all. It
// happens by itself where the history is shown or an undo is planned.
func (f Foreign) Take(session string) error { return f.files.Settle(session) }

// Look looks at the workspace before such a call runs a command line of which nothing can be held back; changes says
// that it may change something. key names it (letters and digits); note is handed back by Looked. file is what the
// command holds a lock on while it runs; "": nothing is remembered here.
func (f Foreign) Look(
	ctx context.Context, c ForeignCall, key, title string, note json.RawMessage, changes bool,
) (file string, err error) {
	call := &tool.Call{ID: c.ID, Name: c.Name, Session: c.Session}
	return f.files.Records().Look(ctx, call, key, title, note, changes)
}

// Looked takes into the history what such a command changed, which has ended; told says that its client says so. ok is
// false where nobody looked; why tells what of it cannot be undone. Unlook forgets it.
func (f Foreign) Looked(ctx context.Context, key string, told bool) (note json.RawMessage, ok bool, why error) {
	return f.files.Records().Looked(ctx, key, told)
}

// Unlook forgets a look: the command is looked after elsewhere, or it is on record.
func (f Foreign) Unlook(key string) { f.files.Records().Unlook(key) }

// Ended are the keys of such commands whose end nobody told; over says of one that does not run that it will not.
func (f Foreign) Ended(over func(note json.RawMessage) bool) ([]string, error) {
	return f.files.Records().Ended(over)
}

// Note puts such a call on record, beside our own.
func (f Foreign) Note(c ForeignCall, title string, v ForeignVerdict, r wrap.Record) error {
	return f.note(f.Record(c, title, v, r))
}

// Keep puts a record of such a call beside our own.
func (f Foreign) Keep(r wrap.Record) error { return f.note(r) }

// Record is r with what the call says.
func (f Foreign) Record(c ForeignCall, title string, v ForeignVerdict, r wrap.Record) wrap.Record {
	r.Time, r.Workspace = time.Now().UTC(), f.guard.places.dir()
	r.Name, r.Call, r.Title = c.Name, c.ID, title
	r.In = len(c.Args)
	r.Effects = v.Effects[:min(len(v.Effects), foreignEffects)]
	r.Verdict = &wrap.RecordVerdict{
		Decision: v.Decision,
		Reason:   v.Reason,
		Rule:     v.Rule,
		Layer:    v.Layer,
		File:     v.File,
		Line:     v.Line,
	}
	if c.Session != nil {
		r.Session, r.Principal = c.Session.ID, c.Session.Principal
	}
	return r
}

// foreignEffects bounds how many effects of a call are on record: people read it.
const foreignEffects = 50

// Hooks are what the configuration says of the hooks of clients.
func (f Foreign) Hooks() config.ClientHooks { return f.guard.conf.clientHooks() }
