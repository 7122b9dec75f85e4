package history

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/tool"
	"helve/wrap"
)

// auditOptions choose records; what is empty chooses all.
type auditOptions struct {
	command.Common
	last    int    // only so many, the newest; 0: all that are kept
	since   string // not before: a time, a date, or how long ago, as 2h
	tool    string // by its public name, or by its own
	outcome string // ok, need, or the code of an error
	session string
	all     bool // those of other workspaces, too
	follow  bool // print what comes, too
	json    bool // the records as they are kept
}

func AuditCommand(c *command.Line) *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "The record of calls, refusals included, oldest first",
		Long: `Show the record of calls of this person in this workspace, refusals included, oldest first: as a
table, with --json one object a line; with --all the calls of every workspace. MS is the time of the call;
the person's answer is not in it.
Each record names the one before it: "helve audit verify" finds out whether they are all there as they were.`,
		Example: `  helve audit --since 2h
  helve audit -n 20 --outcome permission_error
  helve audit --follow --json
  helve audit verify`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return audit(cmd.Context(), c.Streams(), o, time.Now())
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.last, "last", "n", 0, "only the last N calls (default: all that are kept)")
	f.StringVar(&o.since, "since", "", "only calls since then: 2h, 7d, 2006-01-02, '2006-01-02 15:04', or RFC 3339")
	f.StringVar(&o.tool, "tool", "", "only calls of this tool")
	f.StringVar(&o.outcome, "outcome", "", "only calls that came to this: "+strings.Join(outcomes(), ", "))
	f.StringVar(&o.session, "session", "", "only calls of the session with this ID")
	f.BoolVar(&o.all, "all", false, "the calls of every workspace")
	f.BoolVarP(&o.follow, "follow", "f", false, "go on with the calls that come, until Ctrl-C")
	command.JSONFlag(cmd, &o.json)
	cmd.AddCommand(auditVerifyCommand(c))
	command.CompleteFlag(cmd, "outcome", outcomes()...)
	return cmd
}

// outcomes are what a record says of how a call ended.
func outcomes() []string {
	out := []string{"ok", "need", "stopped"}
	for _, c := range []tool.Code{tool.Validation, tool.UnknownTool, tool.Permission, tool.TimedOut, tool.Execution,
		tool.Cancelled, tool.Unknown} {
		out = append(out, string(c))
	}
	return out
}

// auditKept bounds the lines held for --last: some 50 MB.
const auditKept = 100_000

// audit prints the records that are chosen, and with --follow those that come.
func audit(ctx context.Context, s command.Streams, o auditOptions, now time.Time) error {
	since, err := sinceWhen("audit: --since", o.since, now)
	if err != nil {
		return err
	}
	if o.outcome != "" && !slices.Contains(outcomes(), o.outcome) {
		return command.Usage("audit: --outcome %q: want one of %s", o.outcome, strings.Join(outcomes(), ", "))
	}
	if o.last < 0 {
		return command.Usage("audit: -n %d: want a number of calls", o.last)
	}
	q := wrap.Query{Tool: o.tool, Outcome: o.outcome, Session: o.session, Since: since}
	if !o.all {
		if q.Workspace, err = o.Folder(s); err != nil {
			return err
		}
	}
	find := q.Finder()
	p := &auditPrinter{to: s.Stdout, json: o.json, hold: min(o.last, auditKept)}
	p.head()
	found := false
	each := func(line []byte) bool {
		r := find.Find(line)
		if r == nil {
			return true
		}
		found = true
		p.take(line, *r)
		return p.err == nil
	}
	switch {
	case o.follow:
		err = s.Records().Follow(ctx, each, p.release)
	case o.last > 0:
		err = p.newest(s.Records(), q)
		found = len(p.held) > 0
		p.release()
	default:
		err = s.Records().Calls(each)
	}
	if !found && !o.follow {
		s.Note("no call is recorded that was asked for")
	}
	if err == nil {
		err = p.err
	}
	return err
}

// newest holds the last records that are chosen.
func (p *auditPrinter) newest(from workspace.Records, q wrap.Query) error {
	err := from.Newest(q, func(line []byte, _ *wrap.Record) bool {
		p.held = append(p.held, bytes.Clone(line))
		return len(p.held) < p.hold
	})
	slices.Reverse(p.held)
	return err
}

// sinceWhen reads the value of a flag such as --since; "" is the beginning.
func sinceWhen(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok { // which Go's durations do not have
		n, err := strconv.Atoi(days)
		if err == nil && n >= 0 && n <= mostDays {
			return now.AddDate(0, 0, -n), nil
		}
	}
	ago, err := time.ParseDuration(text)
	if err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		at, err := time.ParseInLocation(layout, text, now.Location())
		if err == nil {
			return at, nil
		}
	}
	return time.Time{}, command.Usage("%s %q: want a time such as 2h, 7d, 2006-01-02 or '2006-01-02 15:04'",
		flag, text)
}

// mostDays is the longest time ago that --since takes: more than any record is kept, and no overflow of a date.
const mostDays = 36_500

// An auditPrinter prints records as they come, or holds the last ones until they are released.
type auditPrinter struct {
	to   io.Writer
	json bool
	hold int // how many are held; 0: none
	held [][]byte
	err  error // the writer's first
}

// auditRow has fixed columns, since the last row is not known when the first is printed.
const auditRow = "%-19s  %-20s  %-16s  %8s  %s\n"

// head names the columns. JSON has its own names.
func (p *auditPrinter) head() {
	if !p.json {
		_, p.err = fmt.Fprintf(p.to, auditRow, "TIME", "TOOL", "OUTCOME", "MS", "CALL")
	}
}

// take prints a record, or holds it while older ones may still fall out of the last N.
func (p *auditPrinter) take(line []byte, r wrap.Record) {
	if p.hold == 0 {
		p.print(line, r)
		return
	}
	p.held = append(p.held, bytes.Clone(line))
	if len(p.held) > p.hold {
		p.held = p.held[1:]
	}
}

// release prints what is held, and from then on everything at once.
func (p *auditPrinter) release() {
	for _, line := range p.held {
		var r wrap.Record
		_ = json.Unmarshal(line, &r) // it was read before
		p.print(line, r)
	}
	p.hold, p.held = 0, nil
}

// print prints one record. Its texts come from models and servers, so that hidden characters are written out.
func (p *auditPrinter) print(line []byte, r wrap.Record) {
	if p.err != nil {
		return
	}
	if p.json {
		_, p.err = fmt.Fprintf(p.to, "%s\n", line)
		return
	}
	call := command.OneLine(r.Title)
	if r.Error != "" {
		call = strings.TrimPrefix(call+" – "+command.OneLine(r.Error), " – ")
	}
	if r.Parent != "" {
		call += " (part of " + command.Printable(r.Parent) + ")"
	}
	took := strconv.FormatFloat(r.Duration, 'f', 1, 64)
	when := r.Time.Local().Format(time.DateTime)
	_, p.err = fmt.Fprintf(p.to, auditRow, when, command.Printable(r.Name), r.Outcome, took, call)
}
