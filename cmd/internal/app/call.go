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

// stdinMax bounds what is read from standard input, in bytes: above what a check of arguments takes, so that this
// gives the better error.
const stdinMax = 64 << 20

type callOptions struct {
	common
	name    string   // of the tool
	words   []string // the arguments: JSON, - for standard input, or key=value
	yes     bool     // grant what would be asked
	session string   // "": the call has none, and nothing is remembered of it
	json    bool     // the whole result instead of its text
}

func callCommand(c *cli) *cobra.Command {
	var o callOptions
	cmd := &cobra.Command{
		Use:   "call NAME [JSON | - | key=value …]",
		Short: "Call one tool, through schema, policy and approval",
		Long: `Call one tool as an agent would, through the whole pipeline, and print what the model would read.

The arguments are one JSON object, - for standard input, or key=value pairs.
On a terminal an approval is asked with its preview; elsewhere what would be asked is refused, unless --yes grants it.`,
		Example: `  helve call grep pattern='func main' include='*.go'
  helve call read '{"file_path":"README.md","limit":20}'
  helve call edit file_path=README.md old_string=teh new_string=the --yes`,
		Args:              named("helve list"),
		ValidArgsFunction: completeTools(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.common, o.name, o.words = c.flags.common, args[0], args[1:]
			return call(cmd.Context(), c.streams(), o)
		},
	}
	cmd.Flags().BoolVar(&o.yes, "yes", false, "grant what would be asked; what is denied stays denied")
	cmd.Flags().StringVar(&o.session, "session", "", "remember this call for later ones with the same ID")
	jsonFlag(cmd, &o.json)
	return cmd
}

// call makes one call and prints its result.
func call(ctx context.Context, s streams, o callOptions) (err error) {
	args, err := arguments(s, o.words)
	if err != nil {
		return err
	}
	opened, err := o.options(s)
	if err != nil {
		return err
	}
	opened.OneCall = true
	ws, who, err := openAsking(ctx, s, opened, o.yes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	session, err := sessionOf(ws, o.session)
	if err != nil {
		return err
	}
	if session != nil {
		defer func() { err = errors.Join(err, session.Close()) }()
	}
	s.sayMissing(ws.ConnectFor(ctx, o.name))
	c := &tool.Call{ID: "cli", Name: o.name, Args: args, Session: session, Dir: ws.Dir()}
	res, err := ws.Kit().Call(ctx, c)
	if res == nil {
		return err
	}
	unasked := who.ask == nil && res.Err != nil && res.Verdict.Decision == tool.Ask
	if unasked { // said last, below the refusal
		defer s.note("hint: --yes grants it for this call; a rule in the configuration for all: helve why %s",
			printable(o.name))
	}
	return printResult(s, o.name, res, o.json)
}

// sessionOf is the session of that ID, nil for "".
func sessionOf(ws *helve.Workspace, id string) (*tool.Session, error) {
	if id == "" {
		return nil, nil
	}
	session, err := ws.Session(id)
	if err != nil {
		return nil, usage("--%v", err)
	}
	return session, nil
}

// pair is key=value. A key is what JSON's members are called in practice; a value may have line ends.
var pair = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.-]*)=((?s:.*))$`)

// arguments makes JSON of the words. One word that is no pair goes on as it was written: the pipeline mends it or says
// what is wrong.
func arguments(s streams, words []string) (json.RawMessage, error) {
	switch {
	case len(words) == 0:
		return json.RawMessage("{}"), nil
	case len(words) == 1 && words[0] == "-":
		return readAll(s.Stdin, stdinMax)
	case len(words) == 1 && !pair.MatchString(words[0]):
		return json.RawMessage(words[0]), nil
	}
	return pairs(words)
}

// readAll reads standard input, which may not have more than so many bytes.
func readAll(stdin io.Reader, most int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(stdin, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if len(b) > most {
		return nil, usage("standard input has more than %d bytes", most)
	}
	return b, nil
}

// pairs makes an object of strings, in the order of the words; the schema says what they mean. A key given several
// times is a list.
func pairs(words []string) (json.RawMessage, error) {
	var keys []string
	values := map[string][]string{}
	for _, w := range words {
		m := pair.FindStringSubmatch(w)
		if m == nil {
			return nil, usage("argument %q: want key=value\n"+
				"hint: one JSON object is possible, too: '{\"key\":\"value\"}'", w)
		}
		key, value := m[1], m[2]
		if values[key] == nil {
			keys = append(keys, key)
		}
		values[key] = append(values[key], value)
	}
	var members []string
	for _, k := range keys {
		var value any = values[k]
		if len(values[k]) == 1 {
			value = values[k][0]
		}
		object, err := json.Marshal(map[string]any{k: value})
		if err != nil {
			return nil, err
		}
		members = append(members, string(object[1:len(object)-1]))
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}"), nil
}
