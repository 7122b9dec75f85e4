package rules

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/tool"
)

// judge looks at a change before it is made: what there is to say of the rules of the file, or the error of one that
// means nothing for certain. What was wrong before is not the change's doing.
func (o New) judge(ctx context.Context, s command.Streams, made config.Edit) ([]workspace.Finding, error) {
	before, err := opened(ctx, s, o.Common, config.Edit{})
	if err != nil {
		return nil, err
	}
	defer before.Close()
	after, err := opened(ctx, s, o.Common, made)
	if err != nil { // it names a line that is not there
		place := regexp.MustCompile(regexp.QuoteMeta(made.File) + `:\d+: `)
		return nil, command.Usage("nothing was written: %s", place.ReplaceAllString(err.Error(), ""))
	}
	defer after.Close()
	had := before.Findings()
	var odd []workspace.Finding
	for _, f := range after.Findings() {
		same := func(g workspace.Finding) bool { return g.Key == f.Key && g.Message == f.Message }
		if f.File != made.File || !strings.HasPrefix(f.Key, "rules") || slices.ContainsFunc(had, same) {
			continue
		}
		if f.Certain {
			const next = "hint: helve rules try allow|ask|deny RULE tries one without writing it"
			return nil, command.Usage("nothing was written: %s\n%s", command.Printable(f.Message), next)
		}
		odd = append(odd, f)
	}
	return append(odd, o.worth(ctx, before, after)...), nil
}

// opened is the workspace as it would be after a change, or as it is after none. Nothing of it is started, and its
// configuration counts as trusted: what it says is looked at.
func opened(ctx context.Context, s command.Streams, c command.Common, made config.Edit) (*workspace.Assembly, error) {
	o, err := c.Options(s)
	if err != nil {
		return nil, err
	}
	o.Log, o.Trust = nil, true
	if made.File != "" {
		o.Layers.Instead = map[string][]byte{made.File: made.After}
	}
	return command.OpenWith(ctx, o)
}

// worth is what there is to say of a rule by what becomes of a call that it names, and of all others.
func (o New) worth(ctx context.Context, before, after *workspace.Assembly) (odd []workspace.Finding) {
	if text := o.overruled(ctx, after); text != "" {
		odd = append(odd, workspace.Finding{Key: "rules", Message: text})
	}
	if closed(ctx, after) && !closed(ctx, before) {
		odd = append(odd, workspace.Finding{Key: "rules", Message: "no tool can be called here any more"})
	}
	return odd
}

// overruled tells what decides about a call that the rule names, where that is not the rule; "" where it is, or where
// no such call can be made up.
func (o New) overruled(ctx context.Context, after *workspace.Assembly) string {
	c, _, ok := workspace.Sample(o.Rule)
	if !ok {
		return ""
	}
	x, err := after.Why(ctx, c)
	if err != nil || x.Call.Verdict.String() == o.Decision {
		return ""
	}
	becomes := map[tool.Decision]string{tool.Allow: "allowed", tool.Ask: "asked about", tool.Deny: "refused"}
	text := fmt.Sprintf("%s %s: helve's own %s %s is %s all the same: %s", o.Decision, o.Rule, c.Name, c.Args,
		becomes[x.Call.Verdict], x.Call.Reason)
	if x.Call.Rule == "" || x.Call.File == "" {
		return text
	}
	return text + fmt.Sprintf(" by %s (%s:%d)", x.Call.Rule, x.Call.File, x.Call.Line)
}

// closed tells that no tool can be called, whatever it is called with.
func closed(ctx context.Context, w *workspace.Assembly) bool {
	all := w.Registry().View()
	return !slices.ContainsFunc(w.Registry().Specs(), func(s *tool.Spec) bool {
		x, err := w.Why(ctx, &tool.Call{Name: all.Name(s)})
		return err != nil || x.Call.Verdict != tool.Deny
	})
}

// against is what the rule that was written stands against, earlier ones of its file that say something else of the
// same, and the rule's number; 0 if it has none.
func (o New) against(s command.Streams, dir, file string) (number int, texts []string) {
	read, err := o.Load(s, dir)
	if err != nil {
		return 0, nil // whoever wrote it has heard why
	}
	for _, r := range rulesOf(read) {
		switch {
		case r.File != file || r.Rule != o.Rule:
		case r.Decision == o.Decision:
			number = r.Number
		default:
			texts = append(texts, fmt.Sprintf("%s %s in line %d does not count any more: of one file the later rule "+
				"counts; helve rules rm %d takes it out", r.Decision, r.Rule, r.Line, r.Number))
		}
	}
	return number, texts
}
