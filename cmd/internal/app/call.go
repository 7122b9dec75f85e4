package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"helve"
	"helve/tool"
)

// stdinMax bounds what is read from standard input: above what schema.Check takes.
const stdinMax = 64 << 20

type callFlags struct {
	yes     bool
	session string
}

func (a *app) callCommand() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "call NAME [JSON | - | key=value …]",
		Short: "Call one tool, through schema, policy and approval",
		Long: `Call one tool as an agent would, through the whole pipeline, and print what the model would read.

The arguments are one JSON object, - for standard input, or key=value pairs.
On a terminal an approval is asked with its preview; elsewhere what would be asked is refused, unless --yes grants it.`,
		Example: `  helve call grep pattern='func main' include='*.go'
  helve call read '{"file_path":"README.md","limit":20}'
  helve call edit file_path=README.md old_string=teh new_string=the --yes`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s: want the name of a tool\nhint: helve list", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: a.completeTools,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.call(cmd.Context(), f, args[0], args[1:]) },
	}
	cmd.Flags().BoolVar(&f.yes, "yes", false, "grant what would be asked; what is denied stays denied")
	cmd.Flags().StringVar(&f.session, "session", "", "remember this call for later ones with the same ID")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) call(ctx context.Context, f callFlags, name string, words []string) (err error) {
	args, err := a.arguments(words)
	if err != nil {
		return err
	}
	a.oneCall = true
	ask := a.asker(f.yes)
	ws, err := a.open(ctx, ask)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	s, err := a.session(f.session, ws)
	if err != nil {
		return err
	}
	if s != nil {
		defer func() { err = errors.Join(err, s.Close()) }()
	}
	a.connected(ws.ConnectFor(ctx, name))
	res, err := ws.Kit().Call(ctx, &tool.Call{ID: "cli", Name: name, Args: args, Session: s, Dir: ws.Dir()})
	if res == nil {
		return err
	}
	if ask == nil && res.Err != nil && res.Verdict.Decision == tool.Ask {
		defer a.note("hint: --yes grants it for this call; a rule in the configuration for all: helve why %s", printable(name))
	}
	return a.printResult(name, res)
}

// session is the one that --session names, nil without.
func (a *app) session(id string, ws *helve.Workspace) (*tool.Session, error) {
	if id == "" {
		return nil, nil
	}
	s, err := ws.Session(id)
	if err != nil {
		return nil, usage("--%v", err)
	}
	return s, nil
}

var pair = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.-]*)=((?s:.*))$`)

// arguments makes JSON of the words. One word that is no pair goes on as it was written: the pipeline mends it or says what is wrong.
func (a *app) arguments(words []string) (json.RawMessage, error) {
	switch {
	case len(words) == 0:
		return json.RawMessage("{}"), nil
	case len(words) == 1 && words[0] == "-":
		b, err := io.ReadAll(io.LimitReader(a.env.Stdin, stdinMax+1))
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > stdinMax {
			return nil, usage("standard input has more than %d bytes", stdinMax)
		}
		return b, nil
	case len(words) == 1 && !pair.MatchString(words[0]):
		return json.RawMessage(words[0]), nil
	}
	return pairs(words)
}

// pairs makes an object of strings; the schema says what they mean. A key given several times is a list.
func pairs(words []string) (json.RawMessage, error) {
	var keys []string
	vals := map[string][]string{}
	for _, w := range words {
		m := pair.FindStringSubmatch(w)
		if m == nil {
			return nil, usage("argument %q: want key=value\nhint: one JSON object is possible, too: '{\"key\":\"value\"}'", w)
		}
		if vals[m[1]] == nil {
			keys = append(keys, m[1])
		}
		vals[m[1]] = append(vals[m[1]], m[2])
	}
	var b strings.Builder
	for i, k := range keys {
		b.WriteByte("{,"[min(i, 1)])
		var v any = vals[k]
		if len(vals[k]) == 1 {
			v = vals[k][0]
		}
		kv, err := json.Marshal(map[string]any{k: v})
		if err != nil {
			return nil, err
		}
		b.Write(kv[1 : len(kv)-1])
	}
	b.WriteByte('}')
	return json.RawMessage(b.String()), nil
}
