package workspace

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"helve/internal/config"
	"helve/internal/names"
	"helve/policy"
	"helve/server"
	"helve/tool"
)

// A Client is what is known of an MCP client, and what the configuration says of it (client_profiles).
type Client struct {
	server.ClientProfile
	Approval string // auto, client, elicit or deny; "": the configuration does not say

	forced bool // by Clients.Name: somebody said so, not the client itself
}

// clients are the MCP clients that a workspace knows, and who approves what they call.
type clients struct {
	conf *configuration
	want Clients
	say  messages
}

// client is the one of this name: claude-code, codex or another, or one that the configuration names.
func (c clients) client(name string) (Client, error) {
	var known []string
	for _, k := range c.all() {
		if k.Name == name {
			k.forced = true
			return k, nil
		}
		known = append(known, k.Name)
	}
	hint := "want " + strings.Join(known, ", ")
	if near := names.Near(name, known, 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "?"
	}
	return Client{}, fmt.Errorf("client %q: there is no such client\nhint: %s", name, hint)
}

// check tells of a name that no client has, before one comes.
func (c clients) check() error {
	if c.want.Name == "" {
		return nil
	}
	_, err := c.client(c.want.Name)
	return err
}

// all are the known ones under the configuration, by name.
func (c clients) all() []Client {
	over := c.conf.now.Load().ClientProfiles
	var out []Client
	for _, p := range server.Profiles() {
		out = append(out, overridden(p, over[p.Name]))
	}
	for name, o := range over {
		if !slices.ContainsFunc(out, func(c Client) bool { return c.Name == name }) {
			plain := server.ClientProfile{Name: name, Title: name, Info: []string{name}}
			out = append(out, overridden(plain, o))
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

func overridden(p server.ClientProfile, o config.ClientProfile) Client {
	if o.Info != nil {
		p.Info = o.Info
	}
	if o.Prefix != nil {
		p.Prefix = *o.Prefix
	}
	if o.MaxName > 0 {
		p.MaxName = o.MaxName
	}
	if o.ListWait > 0 {
		p.ListWait = time.Duration(o.ListWait)
	}
	if o.Todos != nil {
		p.Todos = *o.Todos
	}
	return Client{ClientProfile: p, Approval: o.Approval}
}

// of is what is known of a client that connects: what Clients.Name says, else the first that its name fits.
func (c clients) of(who server.Client) (Client, error) {
	if c.want.Name != "" {
		return c.client(c.want.Name)
	}
	all := c.all()
	var plain []server.ClientProfile
	for _, k := range all {
		plain = append(plain, k.ClientProfile)
	}
	p, ok := server.MatchProfile(plain, who.Name)
	if !ok {
		return Client{}, nil
	}
	i := slices.IndexFunc(all, func(k Client) bool { return k.Name == p.Name })
	return all[i], nil
}

// asker is the Ask of one client's kit. A name that a client gives itself decides about approval on stdio only:
// who starts the server there could answer yes as well.
func (c clients) asker(who server.Client, k Client, rules tool.Policy) (tool.Asker, error) {
	approver := server.Approver{Approval: c.want.Approval, Unasked: c.unasked}
	if approver.Approval != server.ApproveAuto || !who.Stdio && !k.forced {
		return approver.Asker(), nil
	}
	if k.Approval != "" {
		var err error
		approver.Approval, err = server.ParseApproval(k.Approval)
		if err != nil {
			return nil, fmt.Errorf("client_profiles.%s: %w", k.Name, err)
		}
		return approver.Asker(), nil
	}
	if own, ok := rules.(*policy.Live); ok && k.Asks {
		approver.Asked = func(q *tool.Question) bool {
			auto := own.Rules().Under(policy.Auto)
			return auto.Judge(q.Job).Decision == tool.Allow
		}
	}
	return approver.Asker(), nil
}

// toldUnasked is the session's: the person is told once.
type toldUnasked struct{ once sync.Once }

// unasked says, once for each session, that a client answers in its user's place.
func (c clients) unasked(q *tool.Question) {
	t := tool.Of(q.Job.Call.Session, func() *toldUnasked { return &toldUnasked{} })
	t.once.Do(func() {
		c.say.notice("%s needs approval, and the client answered without asking anybody: "+
			"what is asked about is refused", q.Job.Call.Name)
		c.say.notice("hint: --approval client, if this client asks by itself; " +
			"or a rule that allows such calls (docs/policy.md)")
	})
}

// maxToolName is the longest name that every provider accepts, in bytes.
const maxToolName = 64

// named is how the tools of others are named for a client: what the client puts
// before a name counts.
func (c clients) named(o *tool.KitOptions, of Client) {
	if of.Prefix == "" || c.want.KeepNames || o.Names != tool.QualifiedNames {
		return
	}
	longest := of.MaxName
	if longest == 0 {
		longest = maxToolName
	}
	o.Names = tool.ServerNames
	o.MaxName = longest - len(of.Prefix)
}
