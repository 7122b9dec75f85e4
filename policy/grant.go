package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/tool"
)

// What an Answer's Rule may be beside "", exactly this job, and the job's own Rule.
const (
	WholeTool   = "@tool"   // whatever this tool does
	WholeServer = "@server" // whatever the tools of this server do
)

// A Grant is a remembered yes. It covers a job of the same principal in the same workspace, as long as the tool is
// defined as it was. One by a rule on what helve's own tools do outlives a new definition of them, see Outdated.
type Grant struct {
	ID         string      `json:"id"`
	Principal  string      `json:"principal"`
	Workspace  string      `json:"workspace"`
	Origin     tool.Origin `json:"origin"`     // of WholeServer: without the tool's name
	Definition tool.Digest `json:"definition"` // of the tool, or of the server's command
	Rule       string      `json:"rule"`       // "" for exactly this job; WholeTool, WholeServer, or tool:pattern
	Job        tool.Digest `json:"job,omitempty"`
	Title      string      `json:"title"`            // what was asked, for people
	Client     string      `json:"client,omitempty"` // what the client called itself that asked, for people
	When       time.Time   `json:"when"`
}

// A GrantStore keeps grants for ever. Its methods are safe for concurrent use, in several processes.
type GrantStore interface {
	Load() ([]Grant, error)
	Update(change func([]Grant) ([]Grant, error)) error
}

// GrantOptions are what grants need beside the rules. Zero fields: nothing outlives its session.
type GrantOptions struct {
	Workspace string           // names where grants hold
	Store     GrantStore       // nil: what is granted for always holds once
	Now       func() time.Time // nil: time.Now

	// Session is where a session's own grants are kept, for one that goes on in other processes. nil, or a nil
	// answer: in the session, and they end with it.
	Session func(*tool.Session) GrantStore

	// Server is the digest of a server's command and environment. nil: no server as a whole can be granted.
	Server func(name string) tool.Digest
}

// Grants are a tool.Grants: once, for a session, for always.
type Grants struct{ o GrantOptions }

var _ tool.Grants = (*Grants)(nil)

// maxGrants bounds what is remembered; the oldest goes first.
const maxGrants = 1000

// NewGrants makes grants over a store.
func NewGrants(o GrantOptions) *Grants {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Grants{o}
}

// sessionStore is where a session's own grants are kept. A nil session has none.
func (g *Grants) sessionStore(s *tool.Session) GrantStore {
	if s == nil {
		return nil
	}
	if g.o.Session != nil {
		if st := g.o.Session(s); st != nil {
			return st
		}
	}
	return tool.Of(s, func() *memory { return &memory{} })
}

// Granted is the ID of the grant that covers this job, if it, or what covers it, was approved before. A store that
// cannot be read grants nothing.
func (g *Grants) Granted(j *tool.Job) (id string, ok bool) {
	id, ok = g.grantedIn(g.sessionStore(j.Call.Session), j)
	if ok {
		return id, ok
	}
	return g.grantedIn(g.o.Store, j)
}

// grantedIn is Granted of one store; nil has none.
func (g *Grants) grantedIn(st GrantStore, j *tool.Job) (id string, ok bool) {
	if st == nil {
		return "", false
	}
	list, err := st.Load()
	if err != nil {
		return "", false
	}
	return g.covering(list, j)
}

func (g *Grants) covering(list []Grant, j *tool.Job) (id string, ok bool) {
	for _, k := range list {
		if g.covers(k, j) {
			return k.ID, true
		}
	}
	return "", false
}

// Remember keeps a yes for as long as it says. The error says why there is no way to: the answer goes beyond what was
// proposed, there is no session, no store, or the store cannot be written.
func (g *Grants) Remember(j *tool.Job, a tool.Answer) error {
	k, err := g.grant(j, a)
	if err != nil || a.For == tool.Once {
		return err
	}
	if a.For == tool.ThisSession {
		if j.Call.Session == nil {
			return errors.New("there is no session to remember it in")
		}
		if j.Call.Session.Shared {
			return errors.New("nothing tells this client from others in the same conversation")
		}
		return remember(g.sessionStore(j.Call.Session), k)
	}
	if g.o.Store == nil {
		return errors.New("there is no place to remember it for ever")
	}
	return remember(g.o.Store, k)
}

func remember(st GrantStore, k Grant) error {
	return st.Update(func(list []Grant) ([]Grant, error) {
		return added(list, k), nil
	})
}

// added is the list with a grant at its end, once. The list itself stays as it is.
func added(list []Grant, k Grant) []Grant {
	same := func(o Grant) bool { return o.ID == k.ID }
	list = slices.DeleteFunc(slices.Clone(list), same)
	list = append(list, k)
	return list[max(0, len(list)-maxGrants):]
}

// grant is what an answer would have remembered, an error if nothing can be.
func (g *Grants) grant(j *tool.Job, a tool.Answer) (Grant, error) {
	k := Grant{
		Principal:  principal(j),
		Workspace:  g.o.Workspace,
		Origin:     j.Spec.Origin,
		Definition: j.Spec.Digest(),
		Rule:       a.Rule,
		Title:      j.Title,
		When:       g.o.Now().UTC().Truncate(time.Second),
	}
	switch a.Rule {
	case "":
		k.Job = exactly(j)
	case WholeTool:
		if runsAnything(j.Spec) {
			return k, errors.New("what runs any command is never approved as a whole")
		}
	case WholeServer:
		if j.Spec.Origin.Kind != tool.MCP || g.o.Server == nil {
			return k, errors.New("it comes from no server")
		}
		k.Origin.Name = ""
		k.Definition = g.o.Server(k.Origin.Server)
	default:
		if a.Rule != j.Rule {
			return k, fmt.Errorf("rule %q is not the one that the call proposed", a.Rule)
		}
		if !g.within(a.Rule, j) {
			return k, fmt.Errorf("rule %q does not cover the call", a.Rule)
		}
	}
	k.ID = k.id()
	if s := j.Call.Session; s != nil {
		k.Client = s.Client
	}
	return k, nil
}

// runsAnything tells that a tool is what bash is: a yes to the whole of it would be a yes to everything.
func runsAnything(s *tool.Spec) bool {
	return ours(s) && s.Kind == tool.Exec
}

// Offers are the rules that a yes to this job may carry, the narrowest first; "" is always possible and is left out.
func (g *Grants) Offers(j *tool.Job) []string {
	var out []string
	for _, rule := range []string{j.Rule, WholeTool, WholeServer} {
		if rule == "" {
			continue
		}
		_, err := g.grant(j, tool.Answer{Yes: true, Rule: rule})
		if err == nil {
			out = append(out, rule)
		}
	}
	return out
}

// id is the same for every grant of the same, so that a yes that is given twice is kept once. Six bytes are plenty to
// tell maxGrants of them apart, and few enough to type.
func (k Grant) id() string {
	what := []any{k.Principal, k.Workspace, k.Origin, k.Definition, k.Rule, k.Job}
	b, _ := json.Marshal(what) // strings: nothing in it can fail
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// covers tells whether a grant speaks for a job. The rules have asked already: nothing denied comes here.
func (g *Grants) covers(k Grant, j *tool.Job) bool {
	if k.Principal != principal(j) || k.Workspace != g.o.Workspace {
		return false
	}
	if k.Rule == WholeServer {
		return g.coversServer(k, j.Spec.Origin)
	}
	if k.Origin != j.Spec.Origin || k.Outdated(j.Spec) {
		return false
	}
	switch k.Rule {
	case WholeTool:
		return !runsAnything(j.Spec)
	case "":
		return k.Job == exactly(j)
	}
	return g.within(k.Rule, j)
}

// coversServer tells that the grant is for the server that the tool comes from, whose command is what it was.
func (g *Grants) coversServer(k Grant, of tool.Origin) bool {
	server := tool.Origin{Kind: tool.MCP, Server: of.Server}
	if of.Kind != tool.MCP || k.Origin != server || g.o.Server == nil {
		return false
	}
	return k.Definition == g.o.Server(of.Server)
}

// within tells whether a rule covers all that a job would do, beyond what is free anyway. A rule that covers everything
// covers nothing.
func (g *Grants) within(text string, j *tool.Job) bool {
	_, pattern, _ := strings.Cut(text, ":")
	only := Rule{Decision: tool.Allow, Text: "*:" + pattern}
	r, err := New(Options{Mode: AskFirst}, Layer{Rules: []Rule{only}})
	if err != nil || r.rules[0].all {
		return false
	}
	return r.Judge(j).Decision == tool.Allow
}

// exactly names a job: the same call, with the same effects, in the same directory. The preview stays out of it: a file
// may have changed.
func exactly(j *tool.Job) tool.Digest { return j.Digest(nil) }

// principal is whose calls these are; calls without a session are the person's own.
func principal(j *tool.Job) string { return principalOf(j.Call.Session) }

func principalOf(s *tool.Session) string {
	if s != nil && s.Principal != "" {
		return s.Principal
	}
	return "local"
}

// memory keeps grants of sessions, and of hosts that have no other place.
type memory struct {
	mu   sync.Mutex
	list []Grant
}

// Memory is a GrantStore that ends with the process.
func Memory() GrantStore { return &memory{} }

func (m *memory) Load() ([]Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list), nil
}

func (m *memory) Update(change func([]Grant) ([]Grant, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, err := change(slices.Clone(m.list))
	if err == nil {
		m.list = list
	}
	return err
}
