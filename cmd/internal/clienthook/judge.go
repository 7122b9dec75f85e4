package clienthook

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"helve/cmd/internal/setup"
	"helve/internal/resolved"
	"helve/internal/rewritten"
	"helve/internal/scratch"
	"helve/internal/workspace"
	"helve/tool"
)

// judge is the answer to the event, and what stderr says beside it.
func (r *run) judge(ctx context.Context) (Answer, string, error) {
	e := r.event
	act, err := r.Client.Act(e)
	if err != nil {
		return Answer{}, "", err
	}
	j := &judged{act: act, lines: act.Lines}
	if err := r.weigh(ctx, j); err != nil {
		return Answer{}, "", err
	}
	if j.act.Kind == Shell && !j.act.Patch {
		r.heedClient(j)
	}
	a, err := r.decide(ctx, j)
	if err != nil {
		return Answer{}, "", err
	}
	if (a.Decision == Silence || j.left != "") && j.act.Kind == Shell && !j.verdict.Reads {
		if why := r.show(j.lines, j.dir); why != "" {
			j.verdict.Verdict = tool.Verdict{Decision: tool.Deny, Reason: why, Rule: "guarded", Layer: "floor"}
			a = Answer{Decision: Deny, Reason: r.denial(j)}
		}
	}
	return a, r.remember(j, a), nil
}

// weigh has the rules judge all that the call would do.
func (r *run) weigh(ctx context.Context, j *judged) error {
	j.dir = r.dirOf(j)
	if j.dir == "" || !r.inside(j.dir) {
		where := cmp.Or(j.dir, r.event.Dir, "a folder that is not known")
		j.away = fmt.Sprintf("it runs in %s, which is outside the workspace", where)
		j.dir = r.ws.Dir()
	}
	base := workspace.ForeignCall{
		Name:    r.event.Tool,
		ID:      r.event.Call,
		Session: r.session(),
		Args:    r.event.Input,
		Tool:    j.act.Kind.tool(),
		Dir:     j.dir,
		Paths:   j.act.Paths,
		URL:     j.act.URL,
	}
	base.Origin = r.origin()
	j.call = base
	var parts []workspace.ForeignCall
	if j.act.Kind == Shell {
		parts = r.shellParts(j, base)
	} else {
		parts = []workspace.ForeignCall{base}
	}
	for i, p := range parts {
		var v workspace.ForeignVerdict
		var err error
		if why := r.unread(p.Line); why != "" {
			v, j.left = leave(why), why
		} else {
			v, err = r.judgePart(ctx, p)
		}
		if err != nil {
			return err
		}
		if i == 0 {
			j.verdict = v
			continue
		}
		j.verdict = stricter(j.verdict, v)
	}
	if j.away != "" && j.act.Kind == Shell && j.verdict.Decision == tool.Allow {
		j.verdict.Verdict = tool.Verdict{Decision: tool.Ask, Reason: j.away, Layer: "default"}
	}
	return nil
}

// judgePart has the rules judge one part. They take what a command writes in /tmp for the conversation's own, which it
// is for those alone that helve runs.
func (r *run) judgePart(ctx context.Context, p workspace.ForeignCall) (workspace.ForeignVerdict, error) {
	v, err := r.ws.Foreign().Judge(ctx, p)
	if err != nil || v.Decision != tool.Allow || p.Line == "" || v.Word {
		return v, err
	}
	i := slices.IndexFunc(v.Effects, func(e tool.Effect) bool {
		return e.Kind == tool.Write && strings.HasPrefix(path.Clean(e.Target), scratch.Place+"/")
	})
	if i >= 0 && (r.event.Conversation == "" || !r.confines(ctx, v)) {
		why := path.Clean(v.Effects[i].Target) + " is outside the workspace"
		v.Verdict = tool.Verdict{Decision: tool.Ask, Reason: why, Layer: "default"}
	}
	return v, nil
}

// confines tells that helve runs a command line in the place of the client, confined.
func (r *run) confines(ctx context.Context, v workspace.ForeignVerdict) bool {
	return r.Client.Rewrites && r.exe() != "" && v.Confines && r.sandbox() == "" && r.ws.Foreign().Confines(ctx) == nil
}

// shellParts are the lines of a call, and the files of a patch in one of them.
func (r *run) shellParts(j *judged, base workspace.ForeignCall) []workspace.ForeignCall {
	var out []workspace.ForeignCall
	j.lines = slices.Clone(j.lines)
	for i, line := range j.lines {
		for range 3 { // a line that was rewritten twice is still one
			inner, ok := rewritten.Inner(line)
			if !ok {
				break
			}
			line = inner
		}
		j.lines[i] = line
		p := base
		p.Paths, p.Line = nil, line
		out = append(out, p)
	}
	if j.act.Patch {
		p := base
		p.Tool = "edit"
		out = append(out, p)
	}
	return out
}

// stricter joins the verdicts on two parts of a call.
func stricter(a, b workspace.ForeignVerdict) workspace.ForeignVerdict {
	first, other := a, b
	if b.Decision < a.Decision {
		first, other = b, a
	}
	first.Effects = append(slices.Clone(first.Effects), other.Effects...)
	first.Commands = append(slices.Clone(first.Commands), other.Commands...)
	first.Confines = first.Confines && other.Confines
	first.Reads = first.Reads && other.Reads
	first.Outside = first.Outside || other.Outside
	first.Whole = first.Whole && other.Whole
	return first
}

// dirOf is the folder in which the call works; "": it is not there.
func (r *run) dirOf(j *judged) string {
	base := cmp.Or(r.event.Dir, r.ws.Dir())
	if dir := j.act.Dir; dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(base, dir)
		}
		return folderOf(dir)
	}
	return folderOf(base)
}

func (r *run) inside(dir string) bool {
	return slices.ContainsFunc(r.ws.Dirs(), func(root string) bool { return resolved.Within(root, dir) })
}

// origin is where the tool comes from, for rules that name it and for the record.
func (r *run) origin() tool.Origin {
	if s := r.event.Server; s.Name != "" {
		return tool.Origin{Kind: tool.MCP, Server: s.Name, Name: cmp.Or(s.Tool, r.event.Tool)}
	}
	return tool.Origin{Kind: tool.MCP, Server: r.Client.Name, Name: r.event.Tool}
}

// decide makes an answer of the verdict.
func (r *run) decide(ctx context.Context, j *judged) (Answer, error) {
	v := j.verdict
	known := j.act.Kind != MCP && j.act.Kind != Unknown
	network := strings.HasPrefix(v.Reason, "network access") && !v.Word
	if v.Decision == tool.Ask && network && (j.client == allows || r.named(ctx, j)) {
		return r.confine(ctx, j) // a word on such a line is the yes
	}
	switch {
	case r.isOurs():
		return Answer{}, nil // it is judged there
	case v.Decision == tool.Deny:
		return Answer{Decision: Deny, Reason: r.denial(j)}, nil
	case v.Decision == tool.Ask && (known && !r.ownFolder(j) || v.Word):
		return r.ask(ctx, j)
	case j.act.Kind == Shell && !j.act.Patch && known:
		return r.confine(ctx, j)
	}
	return Answer{}, nil
}

// named tells that rules of helve's allow each of the lines word for word, as a refusal tells people to write it: what
// such a line needs is no news to who wrote it. A rule with a wildcard speaks of lines that nobody has seen. So do the
// settings of the network.
func (r *run) named(ctx context.Context, j *judged) bool {
	for _, line := range j.lines {
		c := j.call
		c.Tool, c.Paths, c.Line, c.Offline = "bash", nil, line, true
		v, err := r.ws.Foreign().Judge(ctx, c)
		if err != nil || v.Decision != tool.Allow {
			return false
		}
		if v.Rule != "allow bash:"+line && !slices.Contains(r.settings.Network, line) {
			return false
		}
	}
	return len(j.lines) > 0
}

// isOurs tells that the call is one of helve's own server, which judges it itself. A server that merely has our name is
// not known by it.
func (r *run) isOurs() bool {
	words := r.event.Server.Command
	if len(words) < 2 || !slices.Contains(words[1:], "serve") {
		return false
	}
	name := strings.TrimSuffix(filepath.Base(words[0]), ".exe")
	if !filepath.IsAbs(words[0]) {
		return name == "helve" && r.Program.Name != ""
	}
	return setup.SameFile(words[0], r.Program.Path)
}

// ownFolder tells that all of what is asked about lies where the client keeps what is its own, outside the workspace.
func (r *run) ownFolder(j *judged) bool {
	home := folderOf(r.Getenv("HOME"))
	if home == "" || j.verdict.Word || !j.verdict.Outside || j.act.Kind == Shell {
		return false
	}
	for _, e := range j.verdict.Effects {
		if !filepath.IsAbs(e.Target) {
			continue // inside, where the verdict is on the rest
		}
		in := func(own string) bool { return resolved.Within(filepath.Join(home, filepath.FromSlash(own)), e.Target) }
		if !slices.ContainsFunc(r.Client.own, in) {
			return false
		}
	}
	return !strings.Contains(j.verdict.Reason, "secret")
}

// ask has the person asked, where that is possible, and else refuses.
func (r *run) ask(ctx context.Context, j *judged) (Answer, error) {
	attended := r.Client.AsksTerminal && r.attended()
	if !attended && !r.Client.AsksHeadless {
		return r.askElsewhere(ctx, j)
	}
	a := Answer{Decision: Ask, Reason: r.question(j)}
	fits := j.client != denies && j.act.Kind == Shell && !j.act.Patch && j.away == ""
	if fits && r.Client.AsksRewritten {
		input, err := r.rewrite(ctx, j, "ask")
		if err != nil {
			return a, err
		}
		a.Input = input
	}
	return a, nil
}

// confine has a command line that is allowed run by helve, where helve can confine it.
func (r *run) confine(ctx context.Context, j *judged) (Answer, error) {
	claude := r.Client.Name == "claude-code"
	passes := j.through && j.client != allows && r.event.Mode != "bypassPermissions" && !j.verdict.Reads
	switch {
	case j.client == denies, j.client == asks && !claude:
		return Answer{}, nil // its rules fit the line as it is
	case claude && (j.client == asks || passes):
		why := "a rule of Claude Code's own asks about it"
		if j.client != asks {
			why = "Claude Code was told not to ask about any helve exec: let that rule name commands, or remove it"
		}
		j.verdict.Verdict = tool.Verdict{Decision: tool.Ask, Reason: why, Layer: "client"}
		return r.ask(ctx, j)
	}
	if names, alone := r.own(j); len(names) > 0 {
		j.left = "only the shell of Claude Code knows " + names[0]
		if !alone {
			j.verdict.Verdict = leave(j.left).Verdict
			return r.ask(ctx, j)
		}
		return Answer{}, nil
	}
	input, err := r.rewrite(ctx, j, "allow")
	if err != nil || input == nil {
		return Answer{}, err
	}
	plain := j.verdict.Reads && !j.verdict.Outside && !j.act.Background
	return Answer{Decision: Rewrite, Input: input, Allow: r.settings.Allow || plain || j.client == allows}, nil
}
