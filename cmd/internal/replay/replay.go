// Package replay has the command that makes the calls of a conversation again, in a copy of its workspace, and tells
// where the world answers otherwise than it did.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/agent"
	"helve/agent/conversation"
	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
	"helve/internal/tempdir"
	"helve/internal/workspace"
	"helve/policy"
	"helve/tool"
)

// A difference is a call that is answered otherwise.
type difference struct {
	Turn int    `json:"turn"`
	Call string `json:"call"`
	Tool string `json:"tool"`
	Then string `json:"then"`
	Now  string `json:"now"`
}

// A skipped call was not made again.
type skipped struct {
	Turn int    `json:"turn"`
	Call string `json:"call"`
	Tool string `json:"tool"`
	Why  string `json:"why"`
}

// A report is what came of it.
type report struct {
	Conversation string       `json:"conversation"`
	Turns        int          `json:"turns"`
	Made         int          `json:"made"` // calls that were made again
	Skipped      []skipped    `json:"skipped"`
	Differences  []difference `json:"differences"`
}

// options say what is replayed.
type options struct {
	command.Common
	json bool
}

// Command is helve replay.
func Command(c *command.Line) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "replay ID",
		Short: "Make the calls of a conversation again in a copy, and tell what differs",
		Long: `Make the calls that the model of a conversation made once more, in their order, in a copy of its workspace
as it stands now, and tell which of them are answered otherwise. No model is asked, and nothing is kept:
neither files nor history nor record. What reaches beyond the workspace (a network, a server of others, a
command that cannot be held back, one in the background) is not made, and counted.`,
		Example: `  helve replay 7kq2
  helve replay 7kq2 --json`,
		Args: command.Between(1, 1, "the ID of a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			return replay(cmd.Context(), c.Streams(), o, args[0])
		},
	}
	command.JSONFlag(cmd, &o.json)
	return cmd
}

func replay(ctx context.Context, s command.Streams, o options, id string) error {
	if _, err := o.OnlyFolder(s, "replay"); err != nil {
		return err
	}
	about, err := s.Conversation("replay", id)
	if err != nil {
		return err
	}
	log, err := conversation.Read(s.Conversations(), about.ID)
	if err != nil {
		return command.Failed(err)
	}
	if _, err := workspace.Folder(about.Workspace); err != nil {
		return command.Failed(fmt.Errorf("replay: the workspace of the conversation is gone: %w", err))
	}
	out, err := again(ctx, s, o, about, log)
	switch {
	case err != nil && ctx.Err() != nil:
		return err // interrupted
	case err != nil:
		return command.Failed(err)
	}
	if o.json {
		return s.PrintJSON(out)
	}
	return out.print(s)
}

// again makes the calls in a copy that is gone afterwards.
func again(
	ctx context.Context, s command.Streams, o options, about conversation.About, log *agent.Log,
) (out *report, err error) {
	temp, err := tempdir.Make(os.TempDir(), "helve-replay-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, temp.Remove()) }()
	root := temp.Path
	dir := filepath.Join(root, filepath.Base(about.Workspace))
	if err := copyTree(ctx, about.Workspace, dir); err != nil {
		return nil, err
	}
	w := &world{there: about.Workspace, here: dir, mask: conversation.NewMask(s.Conversations().Secrets)}
	opened, err := w.options(s, o, root)
	if err != nil {
		return nil, err
	}
	ws, err := command.OpenWith(ctx, opened)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	w.kit = ws.Kit()
	w.session, err = command.SessionOf(ws, about.ID)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.session.Close()) }()
	return w.replay(ctx, about.ID, log)
}

// A world is a copy in which calls are made.
type world struct {
	there, here string // the workspace, and the copy of it
	mask        *conversation.Mask
	kit         *tool.Kit
	session     *tool.Session
}

// confined is what commands in the copy are held to, whatever the person's own configuration gives others: a script
// does not tell by its command line what it reaches.
const confined = `{"sandbox": {"level": "workspace-write", "writable": [], "network": false, "unix_sockets": false}}`

// options open the copy. What a person would be asked is granted: it happens to the copy alone, since inside and the
// sandbox let nothing else through.
func (w *world) options(s command.Streams, o options, root string) (workspace.Options, error) {
	read, err := o.LoadAs(s, w.there, s.TrustStore().Accepted)
	if err != nil {
		return workspace.Options{}, err
	}
	opened, err := o.OptionsIn(s.Silent(), w.here)
	if err != nil {
		return opened, err
	}
	opened.Trust = opened.Trust || read.Trusted
	opened.State, opened.Cache = filepath.Join(root, "state"), filepath.Join(root, "cache")
	opened.Mode, opened.Config, opened.NoHooks = policy.Auto.String(), []byte(confined), true
	opened.Ask = func(context.Context, *tool.Question) (tool.Answer, error) {
		return tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByFlag}}, nil
	}
	opened.Wrap = append([]func(tool.Runner) tool.Runner{inside}, opened.Wrap...)
	return opened, nil
}

// beyond is the mark of calls that were not made.
const beyond = "not made again: "

// inside lets jobs run that cannot reach beyond the copy.
func inside(next tool.Runner) tool.Runner {
	return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
		if why := reaches(j); why != "" {
			return tool.Fail(tool.ErrorOf(tool.Permission, j.Spec.Name, beyond+"%s", why)), nil
		}
		return next(ctx, j)
	}
}

// reaches tells how a job could reach beyond the workspace; "": it cannot.
func reaches(j *tool.Job) string {
	if j.Spec.Origin.Kind != tool.Builtin {
		return "it is a tool of others"
	}
	for _, e := range j.Judged() {
		outside := filepath.IsAbs(e.Target) || strings.HasPrefix(e.Target, "//") || e.Target == tool.AnyTarget
		switch {
		case e.Kind == tool.Net:
			return "it reaches the network"
		case e.Kind == tool.Exec && (j.Line == nil || !j.Line.Held && j.Line.Decision != tool.Allow):
			return "what its command changes cannot be held back here"
		case e.Kind == tool.Exec:
		case e.Kind == tool.Write && outside:
			return "it writes outside of the workspace"
		}
	}
	return ""
}

// replay makes the calls in their order.
func (w *world) replay(ctx context.Context, id string, log *agent.Log) (*report, error) {
	out := &report{Conversation: id, Turns: log.Turns(), Skipped: []skipped{}, Differences: []difference{}}
	for _, said := range log.Said {
		for _, c := range said.Calls {
			name := cmp.Or(c.Tool, c.Name)
			now, why, err := w.call(ctx, name, c)
			switch {
			case err != nil:
				return nil, err
			case why != "":
				out.Skipped = append(out.Skipped, skipped{said.Turn, c.ID, name, why})
				continue
			}
			out.Made++
			if now != c.Text {
				out.Differences = append(out.Differences, difference{said.Turn, c.ID, name, c.Text, now})
			}
		}
	}
	return out, nil
}

// call makes a call again; why says that it was not made.
func (w *world) call(ctx context.Context, name string, c agent.Made) (now, why string, err error) {
	view := w.kit.View()
	_, known := view.Lookup(name)
	switch {
	case c.State != agent.Finished:
		return "", "it was interrupted then", nil
	case name == agent.LeavePlan:
		return "", "a person answered it", nil
	case c.Code == tool.Permission:
		return "", "it was refused then", nil
	case known != nil && !c.Failed:
		return "", "its tool is not there, or one of a server", nil
	}
	res, err := w.kit.Call(ctx, &tool.Call{
		ID:      c.ID,
		Name:    name,
		Args:    []byte(strings.ReplaceAll(c.Args, w.there, w.here)),
		Session: w.session,
		Dir:     w.here,
	})
	if err != nil {
		return "", "", err
	}
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	if res.Err != nil && res.Err.Code == tool.Permission {
		_, why, _ = strings.Cut(res.Err.Error(), beyond)
		return "", cmp.Or(why, "it is refused now: "+res.Err.Error()), nil
	}
	text := strings.ReplaceAll(res.Text(), w.here, w.there)
	return string(w.mask.Text([]byte(text))), "", nil
}

// print tells people.
func (r *report) print(s command.Streams) error {
	var b strings.Builder
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "turn %d, %s differs\n  then: %s\n  now:  %s\n", d.Turn, d.Tool, brief(d.Then), brief(d.Now))
	}
	why := map[string]int{}
	for _, c := range r.Skipped {
		why[c.Why]++
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		fmt.Fprintf(&b, "%s not made: %s\n", display.Count(why[reason], "call"), command.OneLine(reason))
	}
	fmt.Fprintf(&b, "%s made again, %s", display.Count(r.Made, "call"), display.Count(len(r.Differences), "difference"))
	return s.Print(b.String())
}

// brief is a text in a line.
func brief(text string) string { return command.Brief(strings.Join(strings.Fields(text), " ")) }
