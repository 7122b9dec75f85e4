package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/source/internal/foreign"
	"helve/tool"
)

// A Finding is something that is wrong with a definition.
type Finding struct {
	Tool string `json:"tool"`
	Text string `json:"text"`
}

// A definition is a tool as the server describes it.
type definition struct {
	name string
	raw  json.RawMessage // without hidden characters
}

// maxDefinition bounds one definition, in bytes: the longest that anybody has a
// use for has some ten thousand, and it is forwarded as it is.
const maxDefinition = 512 << 10

// definitions reads a list. What cannot be used is a finding; the other tools
// stay.
func (s *Source) definitions(l *listing) ([]definition, []Finding) {
	var out []definition
	var bad []Finding
	seen := map[string]bool{}
	for _, raw := range l.Tools {
		name, _ := rawjson.String(rawjson.Get(raw, "name"))
		if err := foreign.CheckName(name); err != nil {
			bad = append(bad, Finding{shorten(name), err.Error() + isLeftOut})
			continue
		}
		if len(raw) > maxDefinition {
			bad = append(bad, finding(name,
				"its definition has %d bytes, at most %d are taken: left out", len(raw), maxDefinition))
			continue
		}
		if seen[name] {
			bad = append(bad, Finding{name, "listed twice: the first stays"})
			continue
		}
		seen[name] = true
		if !s.wanted(name) {
			continue
		}
		clean, n := rawjson.Clean(raw, rawjson.Visible)
		if n > 0 {
			bad = append(bad, finding(name, "%d hidden characters in its definition were removed", n))
		}
		out = append(out, definition{name, clean})
	}
	slices.SortStableFunc(out, func(a, b definition) int { return strings.Compare(a.name, b.name) })
	return out, bad
}

func finding(tool, format string, args ...any) Finding {
	return Finding{tool, fmt.Sprintf(format, args...)}
}

func shorten(name string) string {
	s, _ := rawjson.Visible(name)
	return s[:min(len(s), 80)]
}

func byName(defs []definition) map[string]json.RawMessage {
	m := make(map[string]json.RawMessage, len(defs))
	for _, d := range defs {
		m[d.name] = d.raw
	}
	return m
}

// wanted tells what include and exclude make of a tool.
func (s *Source) wanted(name string) bool {
	matches := func(list []string) bool {
		return slices.ContainsFunc(list, func(text string) bool { return fits(text, name) })
	}
	return (len(s.cfg.Include) == 0 || matches(s.cfg.Include)) && !matches(s.cfg.Exclude)
}

// make makes tools of a list, by name. What another folder's server listed is
// not pinned: nobody has seen it here.
func (s *Source) make(l *listing, elsewhere bool) ([]tool.Tool, []Finding, map[string]*Change) {
	defs, bad := s.definitions(l)
	changes := s.compare(byName(defs), !elsewhere)
	out := make([]tool.Tool, 0, len(defs))
	for _, d := range defs {
		change := changes[d.name]
		if change != nil { // what nobody approved is not shown to a model either
			bad = append(bad, Finding{d.name, notApproved})
			d.raw = change.before
		}
		t, notes, err := s.made.tool(s, d, change)
		for _, n := range notes {
			bad = append(bad, Finding{d.name, n})
		}
		if err != nil {
			bad = append(bad, Finding{d.name, err.Error() + isLeftOut})
			continue
		}
		out = append(out, t)
	}
	return out, bad, changes
}

// isLeftOut is what becomes of a tool that nobody could call.
const isLeftOut = ": left out"

// notApproved is the finding about a definition that changed.
const notApproved = "its definition is not the one that was approved"

// tell warns of each finding once. What is wrong with a remembered list was
// told when it was read; that something waits for a person is told again.
func (s *Source) tell(found []Finding, recalled bool) {
	s.mu.Lock()
	var fresh []Finding
	for _, f := range found {
		if !s.warned[f] && !(recalled && f.Text != notApproved) {
			fresh = append(fresh, f)
		}
		if s.warned == nil || len(s.warned) > maxItems {
			s.warned = map[Finding]bool{}
		}
		s.warned[f] = true
	}
	s.mu.Unlock()
	for _, f := range fresh {
		s.warn(f.Text, "tool", f.Tool)
	}
}

// signature names what a listing comes to.
func signature(l *listing, changes map[string]*Change) string {
	return l.digest() + strings.Join(slices.Sorted(maps.Keys(changes)), "\x00")
}

// Findings are what was wrong with the definitions when they were last listed.
func (s *Source) Findings() []Finding {
	s.common.mu.Lock()
	defer s.common.mu.Unlock()
	return slices.Clone(s.common.findings)
}

// tool makes one tool. Annotations tighten: only those of a trusted server make
// a tool read-only.
func (s *Source) tool(d definition, change *Change) (*remote, []string, error) {
	in, note, err := foreign.Input(rawjson.Get(d.raw, "inputSchema"))
	if err != nil {
		return nil, nil, err
	}
	wire, notes, err := foreign.Definition(d.raw)
	if err != nil {
		return nil, nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	def := map[string]json.RawMessage{}
	members, _ := rawjson.Object(wire)
	for _, m := range members {
		def[m.Key] = m.Value
	}
	var outSchema *schema.Schema
	if o := def["outputSchema"]; o != nil {
		outSchema, _ = schema.Parse(o) // one that cannot be read was left out
	}
	description, _ := rawjson.String(def["description"])
	doc, _ := foreign.Doc(description)
	spec := &tool.Spec{
		Name:    d.name,
		Title:   fmt.Sprintf("%s (%s MCP Server)", d.name, s.cfg.Name),
		Version: "1.0.0",
		Doc:     doc,
		Origin:  tool.Origin{Kind: tool.MCP, Server: s.cfg.Name, Name: d.name},
		Kind:    s.kind(),
		Input:   in,
		Output:  outSchema,
		Wire:    wire,
	}
	if n := s.cfg.Rename[d.name]; n != "" {
		spec.Name = n
	}
	if s.cfg.Trust {
		spec.Tags = []string{Trusted}
		spec.ReadOnly = string(rawjson.Get(def["annotations"], "readOnlyHint")) == "true"
	}
	headers, err := headerParams(in.JSON())
	if err != nil && s.cfg.URL != "" { // nobody could say what a call's headers are
		return nil, notes, err
	}
	return &remote{src: s, spec: spec, change: change, headers: headers}, notes, nil
}

// Trusted is the tag of tools whose server the user trusts.
const Trusted = "trusted"

// kind is what a tool of this server is judged by where nothing else is known: a
// program may do anything, a server on the network sees what it is sent.
func (s *Source) kind() tool.Kind {
	if s.cfg.URL != "" {
		return tool.Net
	}
	return tool.Exec
}

// A remote is one tool of the server.
type remote struct {
	src     *Source
	spec    *tool.Spec
	change  *Change // nil: it is as it was approved
	headers map[string]string
}

var _ tool.Immediate = (*remote)(nil)

func (r *remote) Spec() *tool.Spec { return r.spec }

// PreparesAtOnce says that Prepare waits for nothing.
func (r *remote) PreparesAtOnce() {}

// Prepare dials nothing; what the call would do is not known.
func (r *remote) Prepare(_ context.Context, c *tool.Call) (*tool.Job, error) {
	if r.change != nil {
		r.src.viewOf(c.Session).stale() // it may have been approved meanwhile, from elsewhere
		// The difference is for people: a model that reads it has read what
		// nobody approved.
		e := tool.Errorf(
			tool.Permission,
			"its definition is not the one that was approved",
		)
		return nil, e.WithHint(
			"A person must look at the change and approve it: helve mcp approve %s",
			r.src.cfg.Name,
		)
	}
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return &tool.Job{
		Title:     r.spec.Title,
		Signature: r.src.cfg.Name + "." + r.spec.Origin.Name,
		Prompt:    true,
		Preview:   func(context.Context) (tool.Display, error) { return r.preview(args), nil },
		Run:       func(ctx context.Context) (*tool.Result, error) { return r.run(ctx, c, args) },
	}, nil
}

// preview says who would do what: the server, the tool, the arguments, and all
// of the definition, because what misleads a model may be in any part of it.
func (r *remote) preview(args json.RawMessage) tool.Display {
	return tool.Summary(fmt.Sprintf("MCP server: %s\nTool: %s\nArguments: %s\n\n%s\n\nDefinition: %s",
		r.src.cfg.Name, r.spec.Origin.Name, args, r.spec.Doc.Full(), indented(r.spec.Wire)))
}

// run calls the tool under its own name.
func (r *remote) run(ctx context.Context, c *tool.Call, args json.RawMessage) (*tool.Result, error) {
	if to := r.src.o.Telemetry; to != nil {
		return r.traced(ctx, to, c, args)
	}
	return r.carry(ctx, c, args)
}

func (r *remote) carry(ctx context.Context, c *tool.Call, args json.RawMessage) (*tool.Result, error) {
	var res json.RawMessage
	err := r.src.calling(ctx, c.Session, func(k *conn) (err error) {
		if st := taskStateOf(c); st != nil {
			res, err = r.goOn(ctx, k, c, st)
			return err
		}
		k.tellLevel(ctx, c.Session)
		res, err = r.send(ctx, k, c, args)
		if err != nil {
			return err
		}
		if t := taskOf(res); t != nil {
			res, err = r.follow(ctx, k, c, t, nil)
		}
		return err
	})
	if err != nil {
		return nil, r.failure(err)
	}
	return r.answer(c.Name, c.Session, res)
}

// reporter hands on the server's progress; nil where nobody listens.
func reporter(c *tool.Call) func(rpc.Progress) {
	if c.Progress == nil {
		return nil
	}
	return func(p rpc.Progress) {
		c.Progress(tool.Progress{Done: p.Done, Total: p.Total, Message: p.Message})
	}
}

// aroundCall is what the keys of a call take, in bytes, and a name's escapes.
const aroundCall = 64

// params are those of tools/call. The arguments are sent as they were checked.
func (r *remote) params(k *conn, c *tool.Call, args json.RawMessage, id int64) json.RawMessage {
	meta := fmt.Appendf(nil, `{"progressToken":%d}`, id)
	if c.Meta != nil || k.meta != nil {
		own := rawjson.Set(c.Meta, rpc.MetaProgress, json.RawMessage(fmt.Sprint(id)))
		params := rawjson.Join([]rawjson.Member{{Key: "_meta", Value: own}})
		meta = rawjson.Get(k.withMeta(params, c.Session), "_meta")
	}
	b := make([]byte, 0, len(args)+len(meta)+len(r.spec.Origin.Name)+aroundCall)
	b = append(b, `{"name":`...)
	b = rawjson.AppendString(b, r.spec.Origin.Name)
	b = append(b, `,"arguments":`...)
	b = append(b, args...)
	if c.Resume != nil {
		b = append(b, `,"inputResponses":`...)
		b = append(b, c.Resume.Answers...)
		if len(c.Resume.State) > 0 {
			b = append(b, `,"requestState":`...)
			b = rawjson.AppendString(b, string(c.Resume.State))
		}
	}
	b = append(b, `,"_meta":`...)
	b = append(b, meta...)
	return append(b, '}')
}

// needs is the result of a call that wants something of the client. Another replica has a program of its own, which
// need not understand what this one's gave out.
func (s *Source) needs(state string, requests json.RawMessage) *tool.Result {
	return &tool.Result{Need: &tool.Need{State: []byte(state), Requests: requests, Here: s.cfg.Command != ""}}
}

// result understands the answer to a call under that name. What the schema promises is checked.
func (r *remote) result(name string, session *tool.Session, raw json.RawMessage) (*tool.Result, error) {
	members, err := rawjson.Object(raw)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "the result is no object")
	}
	for _, m := range members {
		if m.Key == "resultType" && string(m.Value) == `"input_required"` {
			state, _ := rawjson.String(rawjson.Get(raw, "requestState"))
			requests := rawjson.Get(raw, "inputRequests")
			if requests == nil { // a server may want nothing but to be called again
				return r.src.needs(state, nil), nil
			}
			return r.src.needs(state, r.src.asksBack(session, requests)), nil
		}
	}
	res, err := foreign.ResultOf(members)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%w", err)
	}
	if r.spec.Output == nil || res.Err != nil {
		return res, nil
	}
	if res.Data == nil {
		return unkept(res, tool.ErrorOf(
			tool.Execution,
			name,
			"the answer has no structured content, and the tool's schema promises some",
		)), nil
	}
	if _, err := r.spec.Output.Check(res.Data); err != nil {
		return unkept(res, tool.ErrorOf(
			tool.Execution,
			name,
			"the structured content of the answer is not what the tool's schema promises: %w",
			err,
		)), nil
	}
	return res, nil
}

// unkept makes a result that is not what its tool promises a failure. The model reads why, above what
// the server sent.
func unkept(res *tool.Result, why *tool.Error) *tool.Result {
	res.Err = why
	res.Parts = append([]tool.Part{tool.Text(why.Text())}, res.Parts...)
	res.Display = tool.Summary(why.Error())
	return res
}

// failure says what became of a call that brought no result, and whether it may
// have run.
func (r *remote) failure(err error) error {
	var refusal *RPCError
	switch {
	case errors.Is(err, rpc.ErrLate):
		return tool.Errorf(tool.TimedOut, "no answer within %v", r.src.cfg.Timeout).
			WithHint("The server was told to stop; the call may have been carried out in part.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &refusal):
		e := tool.Errorf(tool.Execution, "%w", refusal)
		if refusal.Data != nil {
			e.Details = refusal
		}
		return e
	case errors.Is(err, rpc.ErrBroken) && !errors.Is(err, rpc.ErrUnsent): // it may be a handshake that broke
		hint := "The call was not sent again: it may have been carried out. " +
			"Look at what it was to change before trying once more."
		if more := r.src.confinement(err.Error()); more != "" {
			hint += " " + more
		}
		return tool.Errorf(tool.Execution, "%w", err).WithHint("%s", hint)
	}
	return tool.Errorf(tool.Execution, "%w", err).
		WithHint("The call was not carried out. helve mcp test %s says more.", r.src.cfg.Name)
}
