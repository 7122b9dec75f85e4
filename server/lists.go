package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"sync"

	"helve/engine/stub"
	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// pageTools is how many tools one page of tools/list holds. Clients are known
// to read the first page only, so there is one page for all but giant lists.
const pageTools = 1000

// A listing is what tools/list says of one view. It never changes.
type listing struct {
	view     *tool.View
	names    []string          // in order
	tools    []json.RawMessage // the definitions, in the same order
	digest   [32]byte
	deferred bool // the view has more, to be found by search_tools
	code     bool // most of it is for scripts

	functions func(*tool.View) []stub.Function // nil: the view has no run_script

	once sync.Once
	find *finder
}

// lists remembers the listing of the newest view, and what the client was shown.
type lists struct {
	mu     sync.Mutex
	last   *listing
	quiet  bool     // sources were starting when the client came: it hears of none before it has listed
	shown  bool     // the client has a list
	digest [32]byte // of that list
}

// beginLists notes what the client would be shown now. What comes before it lists is
// news only for one that may never list, and listens all the same.
func (c *conversation) beginLists() {
	l := c.listing()
	starting := c.missing("").starting != nil
	c.lists.mu.Lock()
	defer c.lists.mu.Unlock()
	c.lists.digest, c.lists.quiet = l.digest, starting
}

// listing is that of the kit's view; a static one stays what it was when it was
// first shown.
func (c *conversation) listing() *listing {
	l := &c.lists
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown && c.srv.o.Static {
		return l.last
	}
	v := c.kit.View()
	if l.last == nil || l.last.view != v {
		l.last = list(v, c.srv.o.Expose, c.profile())
		if scripts(v) != nil {
			l.last.functions = c.srv.o.Functions
		}
	}
	return l.last
}

// show is the listing for a client that reads it now.
func (c *conversation) show() *listing {
	l := c.listing()
	c.lists.mu.Lock()
	defer c.lists.mu.Unlock()
	c.lists.shown, c.lists.digest = true, l.digest
	return l
}

// news tells whether a client should list again: what it was shown is not what
// it would be shown now.
func (c *conversation) news() bool {
	l := c.listing()
	c.lists.mu.Lock()
	defer c.lists.mu.Unlock()
	if l.digest == c.lists.digest {
		return false
	}
	c.lists.digest = l.digest
	return c.lists.shown || !c.lists.quiet
}

// list encodes the definitions of a view.
func list(v *tool.View, how Exposure, p *ClientProfile) *listing {
	l := &listing{view: v}
	l.code = how == ExposeCode && scripts(v) != nil
	all := make([]json.RawMessage, v.Len())
	size := 0
	for i, s := range v.Specs() {
		all[i] = hinted(s, Definition(s, v.Name(s)), p)
		size += len(all[i])
	}
	large := v.Len() > DeferTools || size > DeferBytes
	l.deferred = how == ExposeDeferred || how == ExposeCode || how == ExposeAuto && large
	for i, s := range v.Specs() {
		if l.lists(s) {
			l.add(v.Name(s), all[i])
		}
	}
	for _, m := range metaTools() {
		switch {
		case l.code && m.name == searchName:
			m.about = searchForScripts
			l.add(m.name, m.definition())
		case l.deferred && !l.code:
			l.add(m.name, m.definition())
		}
	}
	h := sha256.New()
	for _, t := range l.tools {
		h.Write(t)
		h.Write([]byte{'\n'})
	}
	h.Sum(l.digest[:0])
	return l
}

// codeTools are the tools that a list for scripts has beside run_script: what is done one by one, and looked at.
var codeTools = []string{"bash", "edit", "glob", "grep", "read", "write"}

// lists tells whether a tool of the view stands in the list.
func (l *listing) lists(s *tool.Spec) bool {
	switch {
	case !l.deferred:
		return true
	case s.Origin.Kind != tool.Builtin:
		return false
	}
	return !l.code || s.Calls || slices.Contains(codeTools, s.Origin.Name)
}

// scripts is the tool of a view that runs scripts; nil: there is none.
func scripts(v *tool.View) *tool.Spec {
	i := slices.IndexFunc(v.Specs(), func(s *tool.Spec) bool { return s.Calls })
	if i < 0 {
		return nil
	}
	return v.Specs()[i]
}

func (l *listing) add(name string, definition json.RawMessage) {
	l.names = append(l.names, name)
	l.tools = append(l.tools, definition)
}

// hides tells whether a client that read this list has not seen a tool's schema
// there.
func (l *listing) hides(name string) bool { return l.deferred && !slices.Contains(l.names, name) }

// A definition is a tool as tools/list shows it. Annotations that say what is
// the default anyway are left out: every client takes a tool without them for
// the worst.
type definition struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations *annotations    `json:"annotations,omitempty"`
}

type annotations struct {
	ReadOnly  bool  `json:"readOnlyHint,omitempty"`
	OpenWorld *bool `json:"openWorldHint,omitempty"`
}

// Definition is a tool's definition under its public name, as tools/list shows
// it. That of an upstream is its own, byte for byte, with only the name
// replaced.
func Definition(s *tool.Spec, name string) json.RawMessage {
	if s.Wire != nil {
		return rawjson.Set(s.Wire, "name", rawjson.Quote(name))
	}
	d := definition{
		Name:        name,
		Title:       s.Title,
		Description: s.Doc.Full(),
		Input:       json.RawMessage(`{"type":"object"}`),
	}
	if s.Input != nil {
		d.Input = s.Input.JSON()
		if s.Origin.Kind == tool.Builtin {
			d.Input = brief(d.Input)
		}
	}
	if s.Output != nil && s.Origin.Kind != tool.Builtin { // the data of those is sent to who asks for it
		d.Output = s.Output.JSON()
	}
	if s.ReadOnly {
		d.Annotations = &annotations{ReadOnly: true}
		if s.Kind == tool.Read {
			d.Annotations.OpenWorld = new(bool)
		}
	}
	return encodePlain(d)
}

// listTools is tools/list, in one page unless the list is a giant.
func listTools(ctx context.Context, v *visit) (json.RawMessage, error) {
	v.awaitFirst(ctx)
	l := v.conv.show()
	from, err := l.after(rawjson.Get(v.Params, "cursor"))
	if err != nil {
		return nil, err
	}
	to := min(from+pageTools, len(l.tools))
	out := []rawjson.Member{{Key: "tools", Value: joined(l.tools[from:to])}}
	if to < len(l.tools) {
		next := rawjson.Quote(cursor(l.names[to-1]))
		out = append(out, rawjson.Member{Key: "nextCursor", Value: next})
	}
	return v.complete(rawjson.Join(out), true), nil
}

// A cursor names the last tool of a page, so that a list that changes between
// two pages loses none of the rest.
func cursor(name string) string { return base64.RawURLEncoding.EncodeToString([]byte(name)) }

// after is the index behind the tool that a cursor names.
func (l *listing) after(cursor json.RawMessage) (int, error) {
	if cursor == nil || string(cursor) == jsonNull {
		return 0, nil
	}
	s, _ := rawjson.String(cursor)
	name, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		if i := slices.Index(l.names, string(name)); i >= 0 {
			return i + 1, nil
		}
	}
	return 0, errCursor()
}

// errCursor refuses a cursor that this list did not give out.
func errCursor() *rpc.Error {
	return rpc.Errorf(rpc.CodeInvalidParams, "invalid params: unknown cursor: list again from the start")
}

// joined is an array of items as they are.
func joined(items []json.RawMessage) json.RawMessage {
	size := 2
	for _, t := range items {
		size += len(t) + 1
	}
	b := append(make([]byte, 0, size), '[')
	for i, t := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t...)
	}
	return append(b, ']')
}

// onePage refuses to go on with a list that has one page.
func onePage(params json.RawMessage) error {
	if c := rawjson.Get(params, "cursor"); c != nil && string(c) != jsonNull {
		return errCursor()
	}
	return nil
}
