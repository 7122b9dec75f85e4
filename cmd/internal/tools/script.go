package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
	"helve/cmd/internal/drafts"
	"helve/internal/workspace"
	scripts "helve/parts/script"
	"helve/script"
	"helve/tool"
)

// scriptOptions are one script and what it may do without a question.
type scriptOptions struct {
	command.Common
	file   string // "-": standard input
	stubs  bool   // print the tools as functions, and run nothing
	inputs string // JSON; "": none
	keep   string // none or partial; "": none
	draft  string // the ID of a draft to go on with; "": none
	yes    bool   // grant what would be asked
	json   bool
}

func ScriptCommand(c *command.Line) *cobra.Command {
	var o scriptOptions
	cmd := &cobra.Command{
		Use:   "script FILE | - | --stubs",
		Short: "Run a script that calls tools, each call under the policy",
		Long: `Run a script as an agent would with the tool run_script, and print its result.

The language is Starlark, which is Python without import, classes, exceptions, files and time. Each
tool is a function; --stubs prints them all. Each call is judged and recorded as if it were made
by itself. What the script changes is shown and asked about once, at its end, where that can be held
back, else call by call; on a terminal the script waits for the answer, elsewhere what would be asked
is refused, unless --yes grants it.`,
		Example: `  helve script --stubs
  helve script count.star --inputs '{"dir":"engine"}'
  echo 'len(glob(pattern="**/*.go").files)' | helve script -`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case o.stubs && len(args) > 0:
				return command.Usage("script: --stubs runs no script: leave out %s", command.Printable(args[0]))
			case !o.stubs && len(args) != 1:
				return command.Usage("script: want one FILE, or - for standard input\nhint: helve script --stubs prints the functions")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			if o.stubs {
				return printStubs(cmd.Context(), c.Streams(), o)
			}
			o.file = args[0]
			return runScript(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().BoolVar(&o.stubs, "stubs", false, "print the functions that a script may call, and run nothing")
	cmd.Flags().StringVar(&o.inputs, "inputs", "", "JSON: the value of inputs in the script")
	cmd.Flags().StringVar(&o.keep, "keep", "", "partial: a script that fails keeps what its calls changed before")
	cmd.Flags().StringVar(&o.draft, "draft", "", "go on in this draft, and commit it at the end")
	command.CompleteBy(cmd, "draft", drafts.Complete(c))
	cmd.Flags().BoolVar(&o.yes, "yes", false, "grant what would be asked; what is denied stays denied")
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// printStubs prints the functions that a script may call.
func printStubs(ctx context.Context, s command.Streams, o scriptOptions) error {
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error {
		s.SayMissing(ws.Connect(ctx))
		_, err := io.WriteString(s.Stdout, script.Stubs(ws.Kit().View()))
		return err
	})
}

// runScript runs a script and prints its result.
func runScript(ctx context.Context, s command.Streams, o scriptOptions) error {
	source, err := readScript(s, o.file)
	if err != nil {
		return err
	}
	args := map[string]any{"script": source}
	if o.inputs != "" {
		if !json.Valid([]byte(o.inputs)) {
			return command.Usage("script: --inputs is not valid JSON: %s", command.Printable(o.inputs))
		}
		args["inputs"] = json.RawMessage(o.inputs)
	}
	if o.keep != "" {
		args["keep"] = o.keep
	}
	if o.draft != "" {
		args["draft"] = o.draft
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	opened, err := o.Options(s)
	if err != nil {
		return err
	}
	opened.OneCall = true
	opened.Parts = append(opened.Parts, scripts.Part(scripts.Options{On: true, Person: true}))
	return asking.In(ctx, s, opened, o.yes, func(ws *workspace.Assembly, who asking.Approver) error {
		return o.callScript(ctx, s, ws, who, raw)
	})
}

// callScript has the workspace run a script.
func (o scriptOptions) callScript(
	ctx context.Context, s command.Streams, ws *workspace.Assembly, who asking.Approver, raw json.RawMessage,
) error {
	if err := script.Confined(ctx); err != nil {
		return fmt.Errorf("script: %w", err)
	}
	s.SayMissing(ws.Connect(ctx))
	session := ws.NewSession() // an edit wants to know what the script has read
	res, err := ws.Kit().Call(ctx, &tool.Call{ID: "cli", Name: script.Name, Args: raw, Session: session, Dir: ws.Dir()})
	if res == nil {
		return err
	}
	if who.Ask == nil && res.Err != nil && res.Err.Code == tool.Permission {
		defer s.Note("hint: --yes grants what would be asked; a rule in the configuration for all: helve why TOOL")
	}
	return display.PrintResult(s, script.Name, res, o.json)
}

// mostScript is how much is read of a script, in bytes: more than the tool takes, which says so.
const mostScript = 1 << 20

// readScript is the text of a script.
func readScript(s command.Streams, file string) (string, error) {
	in := s.Stdin
	if file != "-" {
		f, err := os.Open(s.Path(file))
		if err != nil {
			return "", noScript(file, err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, mostScript))
	if err != nil {
		return "", noScript(file, err)
	}
	return string(text), command.MustBeText("script: "+file, string(text))
}

// noScript is the error of a file that cannot be read.
func noScript(file string, err error) error {
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		err = bad.Err
	}
	return command.Usage("script: %s: %v\nhint: want a file of Starlark, or - for standard input", file, err)
}
