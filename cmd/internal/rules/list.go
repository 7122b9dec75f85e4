package rules

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/tool"
	"helve/wrap"
)

// Command is helve rules and what stands below it.
func Command(c *command.Line) *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "The rules that count here, with their places; try one, remove one",
		Long: `Show the rules that count here: the highest layer first, as it is asked first, and in it in the order
of the file, of which the last one that fits counts. USED is how many calls of this workspace that are on record each
one decided. helve allow, ask and deny write one.`,
		Example: "  helve rules\n  helve rules try deny 'bash:git push *'\n  helve rules rm 2",
		Args:    cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			return list(c.Streams(), c.Flags.Common, json)
		},
	}
	command.JSONFlag(cmd, &json)
	cmd.AddCommand(tryCommand(c), removeCommand(c))
	return cmd
}

// A rule is one that counts, or would after trust.
type rule struct {
	Number   int    `json:"number"` // from 1, by which helve rules rm names it
	Decision string `json:"decision"`
	Rule     string `json:"rule"`
	Layer    string `json:"layer"`
	File     string `json:"file,omitempty"` // "": flags
	Line     int    `json:"line,omitempty"`
	Used     int    `json:"used"`

	at int // its place among those of its file
}

// rulesOf are those of a configuration, the highest layer first.
func rulesOf(read *config.Config) []rule {
	out := []rule{} // JSON says [] and not null
	for _, l := range read.Layers {
		for i, r := range l.Rules() {
			out = append(out, rule{
				Number: len(out) + 1, Decision: r.Word, Rule: r.Text,
				Layer: r.At.Layer, File: r.At.File, Line: r.At.Line, at: i,
			})
		}
	}
	return out
}

func list(s command.Streams, o command.Common, json bool) error {
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	read, err := o.Load(s, dir)
	if err != nil {
		return err
	}
	all := rulesOf(read)
	if err := count(s, dir, all); err != nil {
		s.Note("warning: the record of calls cannot be read: %v", err)
	}
	if json {
		return s.PrintJSON(all)
	}
	if len(all) == 0 {
		return s.Print("there are no rules here: helve allow, helve ask and helve deny write one")
	}
	t := s.Table()
	t.Row("N", "DECISION", "RULE", "USED", "LAYER", "PLACE")
	for _, r := range all {
		place := ""
		if r.File != "" {
			place = fmt.Sprintf("%s:%d", rel(dir, r.File), r.Line)
		}
		number, used := strconv.Itoa(r.Number), strconv.Itoa(r.Used)
		t.Row(number, r.Decision, command.Printable(r.Rule), used, r.Layer, command.Printable(place))
	}
	return t.Flush()
}

// count counts the calls on record that each rule decided. A rule that moved to another line is the same. What a gateway
// judged counts there; here only if it was denied here after all.
func count(s command.Streams, dir string, all []rule) error {
	return s.Records().Newest(wrap.Query{Workspace: dir}, func(_ []byte, r *wrap.Record) bool {
		if r.Verdict == nil || r.Gateway != "" && r.Verdict.Decision != tool.Deny {
			return true
		}
		for i := range all {
			if all[i].Decision+" "+all[i].Rule == r.Verdict.Rule && all[i].File == r.Verdict.File {
				all[i].Used++
			}
		}
		return true
	})
}

func removeCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:   "rm N",
		Short: "Remove the rule with that number of helve rules",
		Args:  command.Exactly(1, "the number of a rule"),
		RunE: func(_ *cobra.Command, args []string) error {
			return remove(c.Streams(), c.Flags.Common, args[0])
		},
	}
}

func remove(s command.Streams, o command.Common, number string) error {
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	var r rule
	err = o.Change(s, dir, func(before *config.Config) (made config.Edit, err error) {
		if r, err = numbered(before, number); err != nil {
			return config.Edit{}, err
		}
		made, err = config.RemoveRule(s.Places(), r.File, r.at, r.Decision, r.Rule)
		if err != nil {
			return config.Edit{}, command.Failed(err)
		}
		return made, nil
	})
	if err != nil {
		return err
	}
	return s.Print(command.Printable(fmt.Sprintf("removed: %s %s  (%s)", r.Decision, r.Rule, rel(dir, r.File))))
}

// numbered is the rule that has a number in the list.
func numbered(c *config.Config, number string) (rule, error) {
	all := rulesOf(c)
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(all) {
		const none = "rules rm: %q is no number of a rule: there are %d\nhint: helve rules"
		return rule{}, command.Usage(none, number, len(all))
	}
	r := all[n-1]
	if r.File == "" {
		return rule{}, command.Usage("rules rm: rule %d stands in no file, but in the %s", n, r.Layer)
	}
	return r, nil
}

// tryOptions are a rule that is not written, and how many calls it is tried on.
type tryOptions struct {
	writeOptions
	last int
	json bool
}

func tryCommand(c *command.Line) *cobra.Command {
	var o tryOptions
	cmd := &cobra.Command{
		Use:   "try allow|ask|deny RULE",
		Short: "Show which of the last calls a rule would decide otherwise; nothing is written",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] != "allow" && args[0] != "ask" && args[0] != "deny" {
				return command.Usage("rules try: want allow, ask or deny, and a rule\nhint: %s",
					"helve rules try deny 'bash:git push *'")
			}
			return one("rules try "+args[0])(cmd, args[1:])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.decision, o.rule = c.Flags.Common, args[0], args[1]
			return o.try(cmd.Context(), c.Streams())
		},
	}
	cmd.Flags().IntVar(&o.last, "last", 100, "on so many calls of this workspace, the newest")
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// A changed call is one that the rule decides otherwise.
type changed struct {
	Time  string `json:"time"`
	Tool  string `json:"tool"`
	Title string `json:"title"`
	Then  string `json:"then"` // what is decided without the rule
	Now   string `json:"now"`  // and with it
}

// tried is what a rule would change.
type tried struct {
	Decision string    `json:"decision"`
	Rule     string    `json:"rule"`
	Calls    int       `json:"calls"`  // that were looked at
	Untold   int       `json:"untold"` // of these, of which the record says too little
	Changed  []changed `json:"changed"`
}

func (o tryOptions) try(ctx context.Context, s command.Streams) error {
	if o.last < 1 {
		return command.Usage("rules try: --last %d: want a number of calls", o.last)
	}
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	out := tried{Decision: o.decision, Rule: o.rule, Changed: []changed{}}
	_, err = config.AddRule(s.Places(), config.LocalFile(dir), o.decision, o.rule, func(e config.Edit) error {
		if _, err := judge(ctx, s, o.Common, e); err != nil {
			return err
		}
		if err := o.compare(ctx, s, dir, e, &out); err != nil {
			return err
		}
		return errTried
	})
	if err != errTried {
		return command.Misused(err)
	}
	if o.json {
		return s.PrintJSON(out)
	}
	return out.print(s)
}
