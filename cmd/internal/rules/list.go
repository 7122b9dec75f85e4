package rules

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

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
		Short: "The rules that count here, with their places; try, order, remove them",
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
	cmd.AddCommand(tryCommand(c), lastCommand(c), removeCommand(c))
	return cmd
}

// A Rule is one that counts, or would after trust.
type Rule struct {
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
func rulesOf(read *config.Config) []Rule {
	out := []Rule{} // JSON says [] and not null
	for _, l := range read.Layers {
		for i, r := range l.Rules() {
			out = append(out, Rule{
				Number: len(out) + 1, Decision: r.Word, Rule: r.Text,
				Layer: r.At.Layer, File: r.At.File, Line: r.At.Line, at: i,
			})
		}
	}
	return out
}

// All are the rules that count in the workspace, the highest layer first, with how often each one decided.
func All(s command.Streams, o command.Common) (all []Rule, dir string, err error) {
	dir, err = o.Folder(s)
	if err != nil {
		return nil, "", err
	}
	read, err := o.Load(s, dir)
	if err != nil {
		return nil, "", err
	}
	all = rulesOf(read)
	if err := count(s, dir, all); err != nil {
		s.Note("warning: the record of calls cannot be read: %v", err)
	}
	return all, dir, nil
}

func list(s command.Streams, o command.Common, json bool) error {
	all, dir, err := All(s, o)
	if err != nil {
		return err
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
		rule := strings.ReplaceAll(command.Printable(r.Rule), "\n", `\n`) // a row is one line
		t.Row(number, r.Decision, rule, used, r.Layer, command.Printable(place))
	}
	return t.Flush()
}

// count counts the calls on record that each rule decided. A rule that moved to another line is the same. What a
// gateway judged counts there; here only if it was denied here after all.
func count(s command.Streams, dir string, all []Rule) error {
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
			return change(c.Streams(), c.Flags.Common, args[0], "removed", config.RemoveRule)
		},
	}
}

func lastCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:   "last N",
		Short: "Put the rule with that number behind the others of its file, where it counts before them",
		Args:  command.Exactly(1, "the number of a rule"),
		RunE: func(_ *cobra.Command, args []string) error {
			return change(c.Streams(), c.Flags.Common, args[0], "last now", config.LastRule)
		},
	}
}

// A changeOf is what becomes of a rule of a file, which is the one with that index.
type changeOf func(env config.Environment, file string, i int, decision, rule string) (config.Edit, error)

func change(s command.Streams, o command.Common, number, done string, does changeOf) error {
	which := func(before *config.Config) (Rule, error) { return numbered(before, number) }
	r, dir, err := changeFound(s, o, which, does)
	if err != nil {
		return err
	}
	return s.Print(command.Printable(fmt.Sprintf("%s: %s %s  (%s)", done, r.Decision, r.Rule, rel(dir, r.File))))
}

// errMoved says that what a person saw is not what stands there now.
var errMoved = errors.New("nothing was changed: the rules changed meanwhile, look at them again")

// Remove takes a rule away, unless another one stands in its place now.
func Remove(s command.Streams, o command.Common, want Rule) error {
	return changeSeen(s, o, want, config.RemoveRule)
}

// Last puts a rule behind the others of its file, unless another one stands in its place now.
func Last(s command.Streams, o command.Common, want Rule) error {
	return changeSeen(s, o, want, config.LastRule)
}

// changeSeen changes a rule as somebody saw it.
func changeSeen(s command.Streams, o command.Common, want Rule, does changeOf) error {
	_, _, err := changeFound(s, o, func(before *config.Config) (Rule, error) {
		r, err := numbered(before, strconv.Itoa(want.Number))
		if err != nil || r.Decision != want.Decision || r.Rule != want.Rule || r.File != want.File {
			return Rule{}, command.Failed(errMoved)
		}
		return r, nil
	}, does)
	return err
}

// changeFound changes the rule that which finds among those of the configuration.
func changeFound(
	s command.Streams, o command.Common, which func(before *config.Config) (Rule, error), does changeOf,
) (r Rule, dir string, err error) {
	dir, err = o.Folder(s)
	if err != nil {
		return r, "", err
	}
	err = o.Change(s, dir, func(before *config.Config) (made config.Edit, err error) {
		if r, err = which(before); err != nil {
			return config.Edit{}, err
		}
		made, err = does(s.Places(), r.File, r.at, r.Decision, r.Rule)
		if err != nil {
			return config.Edit{}, command.Failed(err)
		}
		return made, nil
	})
	return r, dir, err
}

// numbered is the rule that has a number in the list.
func numbered(c *config.Config, number string) (Rule, error) {
	all := rulesOf(c)
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(all) {
		const none = "rules: %q is no number of a rule: there are %d\nhint: helve rules"
		return Rule{}, command.Usage(none, number, len(all))
	}
	r := all[n-1]
	if r.File == "" {
		return Rule{}, command.Usage("rules: rule %d stands in no file, but in the %s", n, r.Layer)
	}
	return r, nil
}

// lastTried is on how many calls of the record a rule is tried, unless somebody says otherwise.
const lastTried = 100

// tryOptions are a rule that is not written, and how many calls it is tried on.
type tryOptions struct {
	New
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
			o.Common, o.Decision, o.Rule = c.Flags.Common, args[0], args[1]
			return o.try(cmd.Context(), c.Streams())
		},
	}
	cmd.Flags().IntVar(&o.last, "last", lastTried, "on so many calls of this workspace, the newest")
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// A Changed call is one that the rule decides otherwise.
type Changed struct {
	Time  string `json:"time"`
	Tool  string `json:"tool"`
	Title string `json:"title"`
	Then  string `json:"then"` // what is decided without the rule
	Now   string `json:"now"`  // and with it
}

// Tried is what a rule would change.
type Tried struct {
	Decision string    `json:"decision"`
	Rule     string    `json:"rule"`
	Calls    int       `json:"calls"`  // that were looked at
	Untold   int       `json:"untold"` // of these, of which the record says too little
	Changed  []Changed `json:"changed"`
}

func (o tryOptions) try(ctx context.Context, s command.Streams) error {
	if o.last < 1 {
		return command.Usage("rules try: --last %d: want a number of calls", o.last)
	}
	out, err := o.outcome(ctx, s, o.last)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(out)
	}
	return out.print(s)
}
