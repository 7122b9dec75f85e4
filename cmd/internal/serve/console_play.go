package serve

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"helve/agent"
	"helve/engine/dialect"
	"helve/internal/workspace"
	"helve/server/console"
	"helve/tool"
)

var _ console.Player = (*consoleData)(nil)

// A playground is the kit and the session of the person at the console.
type playground struct {
	once    sync.Once
	kit     *tool.Kit
	session *tool.Session
	err     error
}

// open makes them for the first call. Who is asked is the person themselves: what needs approval appears on the page.
func (p *playground) open(w *watched, ws *workspace.Assembly) error {
	p.once.Do(func() {
		p.session = ws.NewSession()
		p.session.Principal = "console"
		p.kit, p.err = ws.NewKit(workspace.KitOptions{Ask: w.hub.Asker(nil)})
	})
	return p.err
}

// A described tool is one as its clients see it.
type described struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
	Examples    []tool.Example  `json:"examples,omitempty"`
	Declared    []declared      `json:"declared"`
}

// A declared tool is one as a provider takes it.
type declared struct {
	For    string          `json:"for"`
	JSON   json.RawMessage `json:"json,omitempty"`
	Losses []string        `json:"losses,omitempty"` // what the provider cannot be told
}

// Describe is a tool's schema and declarations.
func (d *consoleData) Describe(_ context.Context, name string) (any, error) {
	ws := d.w.workspace()
	if ws == nil {
		return nil, errNoWorkspace
	}
	v := ws.Kit().View()
	t, bad := v.Lookup(name)
	if bad != nil {
		return nil, bad
	}
	s := t.Spec()
	out := described{
		Name:        v.Name(s),
		Description: s.Doc.Full(),
		Input:       s.Input.JSON(),
		Examples:    s.Doc.Examples,
	}
	for _, to := range dialect.Dialects() {
		one := declared{For: to.String()}
		set := dialect.Declare(to, agent.Tools(v), dialect.Options{})
		for _, x := range set.Declarations {
			if x.Tool != out.Name {
				continue
			}
			one.JSON = x.JSON
			for _, lost := range x.Losses {
				one.Losses = append(one.Losses, strings.TrimSpace(lost.Pointer+" "+lost.What))
			}
		}
		out.Declared = append(out.Declared, one)
	}
	return out, nil
}

// A played call is what a call of the person came to.
type played struct {
	Text    string   `json:"text"`
	Failed  string   `json:"failed,omitempty"` // the code of its error
	Repairs []string `json:"repairs,omitempty"`
	Verdict string   `json:"verdict,omitempty"`
}

// maxPlayed bounds what a page shows of a result, in bytes.
const maxPlayed = 256 << 10

// Call makes a call in the person's own session, under the rules that hold for everybody.
func (d *consoleData) Call(ctx context.Context, name string, args json.RawMessage) (any, error) {
	ws := d.w.workspace()
	if ws == nil {
		return nil, errNoWorkspace
	}
	if err := d.play.open(d.w, ws); err != nil {
		return nil, err
	}
	res, err := d.play.kit.Call(ctx, &tool.Call{Name: name, Args: args, Session: d.play.session})
	if err != nil {
		return nil, err
	}
	out := played{Text: cutText(res.Text(), maxPlayed), Repairs: res.Repairs}
	if res.Err != nil {
		out.Failed = string(res.Err.Code)
	}
	if res.Job != nil {
		out.Verdict = res.Verdict.Decision.String()
	}
	return out, nil
}
