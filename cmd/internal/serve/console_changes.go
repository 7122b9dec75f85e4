package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helve/cmd/internal/configure"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/policy"
	"helve/server"
	"helve/server/console"
	"helve/tool"
)

var (
	_ console.Switcher = (*consoleData)(nil)
	_ console.Sessions = (*consoleData)(nil)
	_ console.Ender    = (*consoleData)(nil)
)

// note puts on record what a person did at the console beside the calls.
func (d *consoleData) note(ws *workspace.Assembly, what, title string) error {
	return ws.Decided("console", tool.Approver{Kind: tool.ByConsole, Via: "page"}, what, title)
}

// errOnlyLooked keeps a change from being made that was only asked about.
var errOnlyLooked = errors.New("only looked at")

// Switch sets a tool on or off in the user's configuration, as helve config set -g does.
func (d *consoleData) Switch(ctx context.Context, name string, on, do bool) (console.Change, error) {
	ws := d.w.workspace()
	if ws == nil {
		return console.Change{}, errNoWorkspace
	}
	if _, bad := ws.Registry().View().Lookup(name); bad != nil {
		return console.Change{}, bad
	}
	change, err := d.set(ctx, "tools."+name, on, do)
	if err != nil || !do {
		return change, err
	}
	if ws.Kit().View().Has(name) != on {
		change.Note = "It is written, but another layer decides still: Why says which."
	}
	return change, nil
}

// set sets a key of the user's configuration, as helve config set -g does, and has it count at once. Without do it says
// what it would change.
func (d *consoleData) set(ctx context.Context, key string, on, do bool) (console.Change, error) {
	ws := d.w.workspace()
	o := configure.ConfigOptions{Common: d.c, Global: true, Key: key, Value: fmt.Sprint(on)}
	change := console.Change{Line: fmt.Sprintf("%s: %s", o.Key, o.Value)}
	silent := d.s.Silent()
	var err error
	change.File, err = o.File(silent)
	if err != nil {
		return change, err
	}
	err = configure.ConfigWrite(silent, o, func(made config.Edit) error {
		if !do {
			return errOnlyLooked
		}
		_, err := configure.JudgeEdit(ctx, silent, o, made)
		return err
	})
	if err != nil && (do || !errors.Is(err, errOnlyLooked)) {
		return change, err
	}
	if !do {
		return change, nil
	}
	change.Done = true
	if err := d.note(ws, "switch", change.Line); err != nil {
		return change, err
	}
	if err := ws.Reload(); err != nil {
		return change, fmt.Errorf("it is written, and the configuration cannot be used: %w", err)
	}
	return change, nil
}

// Sessions are the conversations with clients, those too that have ended or not called yet, and what holds for always
// in this workspace.
func (d *consoleData) Sessions(context.Context) ([]console.Session, error) {
	ws := d.w.workspace()
	if ws == nil {
		return nil, errNoWorkspace
	}
	all, err := d.s.Records().Approvals(nil).Load()
	if err != nil {
		return nil, err
	}
	always := console.Session{Principal: "local", Grants: []console.Grant{}}
	for _, g := range all {
		if g.Workspace == ws.Dir() && g.Principal == "local" { // others take their own back
			always.Grants = append(always.Grants, grantOf(g))
		}
	}
	out := []console.Session{always}
	open := map[string]server.Session{}
	for _, one := range d.w.open() {
		open[one.ID] = one
	}
	for _, seen := range d.w.hub.Sessions() {
		now, goesOn := open[seen.Session.ID]
		delete(open, seen.Session.ID)
		s := console.Session{
			ID:        seen.Session.ID,
			Principal: seen.Session.Principal,
			Client:    cmp.Or(clientName(seen.Session), now.Client),
			Since:     seen.First,
			Last:      seen.Last,
			Calls:     seen.Calls,
			Open:      goesOn,
			Grants:    []console.Grant{},
		}
		for _, g := range ws.Approvals().Session(seen.Session) {
			s.Grants = append(s.Grants, grantOf(g))
		}
		out = append(out, s)
	}
	return append(out, silent(open)...), nil
}

// silent are conversations without a call, the newest first.
func silent(open map[string]server.Session) []console.Session {
	var out []console.Session
	for _, one := range open {
		out = append(out, console.Session{
			ID:        one.ID,
			Principal: one.Principal,
			Client:    one.Client,
			Since:     one.Since,
			Open:      true,
			Grants:    []console.Grant{},
		})
	}
	slices.SortStableFunc(out, func(a, b console.Session) int {
		return cmp.Or(b.Since.Compare(a.Since),
			strings.Compare(a.ID, b.ID))
	})
	return out
}

// clientName is the client that a session is known to be of; "": nothing is known.
func clientName(s *tool.Session) string {
	none := func() *server.ClientProfile { return &server.ClientProfile{} }
	return tool.Of(s, none).Name
}

func grantOf(g policy.Grant) console.Grant {
	name := strings.TrimPrefix(g.Origin.Source()+"/"+g.Origin.Name, "builtin/")
	return console.Grant{
		ID:    g.ID,
		Tool:  name,
		Rule:  g.Rule,
		Title: g.Title,
		When:  g.When,
	}
}

// Revoke takes an approval back.
func (d *consoleData) Revoke(_ context.Context, session, grant string) error {
	ws := d.w.workspace()
	if ws == nil {
		return errNoWorkspace
	}
	var s *tool.Session
	for _, seen := range d.w.hub.Sessions() {
		if session != "" && seen.Session.ID == session {
			s = seen.Session
		}
	}
	if session != "" && s == nil {
		return errors.New("this session is not known any more")
	}
	if err := ws.Approvals().Revoke(s, grant); err != nil {
		return err
	}
	return d.note(ws, "revoke", "approval "+grant)
}

// End ends the conversation with a client: its calls are cancelled, what was approved for it is over.
func (d *consoleData) End(_ context.Context, session string) error {
	ws := d.w.workspace()
	if ws == nil {
		return errNoWorkspace
	}
	if !d.w.end(session) {
		return errors.New("this session has ended already")
	}
	return d.note(ws, "end", "session "+session)
}
