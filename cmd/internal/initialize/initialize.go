// Package initialize has the commands that set up the clients of this machine to use helve: init and setup.
package initialize

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/setup"
	"helve/cmd/internal/terminal"
	"helve/internal/names"
)

type initOptions struct {
	command.Common
	command string   // init or setup: what the person typed, for messages
	clients []string // by name; none: those that are installed
	print   bool     // only show what a person would write
	yes     bool     // write without asking
	undo    bool     // bring back what was there
	take    bool     // take over the clients' other servers, too
	hooks   bool     // have the clients ask helve before their own tools, too
	managed bool     // in the administrator's file
}

func Command(c *command.Line) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set up the MCP clients of this machine to use helve",
		Long: `Set up the MCP clients of this machine to use helve: it looks for them, shows what it would
write into their files, and writes it after a yes. Comments and everything else in these files
stay. --undo brings the files back as they were.`,
		Example: `  helve init
  helve init --client codex --client gemini --yes
  helve init --print
  helve init --undo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common, o.command = c.Flags.Common, cmd.Name()
			return initialize(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().StringSliceVar(&o.clients, "client", nil, "only this client: "+known())
	initFlags(cmd, &o)
	completeClients(cmd)
	return cmd
}

func SetupCommand(c *command.Line) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "setup CLIENT",
		Short: "Set up one MCP client to use helve",
		Long:  "Set up one MCP client to use helve, whether or not it is installed yet. The clients:\n" + known() + ".",
		Example: `  helve setup claude-code
  helve setup vscode --print
  helve setup vscode --undo`,
		Args:      command.Exactly(1, "CLIENT"),
		ValidArgs: clientNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.command, o.clients = c.Flags.Common, cmd.Name(), args
			return initialize(cmd.Context(), c.Streams(), o)
		},
	}
	initFlags(cmd, &o)
	return cmd
}

func initFlags(cmd *cobra.Command, o *initOptions) {
	f := cmd.Flags()
	f.BoolVar(&o.print, "print", false, "only print what to put into which file")
	f.BoolVar(&o.yes, "yes", false, "write without asking")
	f.BoolVar(&o.undo, "undo", false, "bring back what was in the files before")
	f.BoolVar(&o.take, "import", false, "also take the clients' other MCP servers into helve's configuration")
	f.BoolVar(&o.hooks, "hooks", false,
		"also have the client ask helve before its own tools run; with --undo: what such a command wrote")
	f.BoolVar(&o.managed, "managed", false, "with --hooks: in the administrator's file, where the client has one")
	cmd.MarkFlagsMutuallyExclusive("hooks", "import")
	cmd.MarkFlagsMutuallyExclusive("print", "yes")
	cmd.MarkFlagsMutuallyExclusive("print", "undo") // beside --yes it may stand: it never asks
	cmd.MarkFlagsMutuallyExclusive("print", "import")
	cmd.MarkFlagsMutuallyExclusive("undo", "import")
}

func completeClients(cmd *cobra.Command) {
	complete := cobra.FixedCompletions(clientNames(), cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("client", complete); err != nil {
		panic(err) // the flag is there
	}
}

// known are the names of clients, for a message.
func known() string { return strings.Join(clientNames(), ", ") }

func clientNames() []string {
	var out []string
	for _, c := range setup.Clients() {
		out = append(out, c.Name)
	}
	return out
}

// initialize sets up the clients that are meant, or takes that back.
func initialize(ctx context.Context, s command.Streams, o initOptions) error {
	in := &initializing{s: s, o: o, home: setup.Here(s.Getenv)}
	in.store = setup.Store{Dir: filepath.Join(s.Places().StateDir, "setup"), Run: rand.Text()}
	if in.home.Dir == "" {
		return command.Usage("%s: there is no home folder\nhint: set HOME", o.command)
	}
	clients, err := in.meant()
	if err != nil {
		return err
	}
	if o.hooks {
		if clients, err = in.withHooks(clients); err != nil {
			return err
		}
	} else if o.managed {
		return command.Usage("%s: --managed is about hooks\nhint: add --hooks", o.command)
	}
	if o.undo {
		return in.undo(clients)
	}
	if in.dir, err = o.Folder(s); err != nil {
		return err
	}
	if err := in.findProgram(); err != nil {
		return err
	}
	former := in.former(clients)
	if len(clients) == 0 && len(former) == 0 {
		return command.Failed(fmt.Errorf("init: no MCP client was found here\nhint: helve setup CLIENT, for one of %s",
			known()))
	}
	if o.print {
		return in.print(clients)
	}
	ready, err := in.write(ctx, clients, former)
	if err != nil {
		return err
	}
	if o.hooks {
		if err := in.writeHooks(ctx, clients); err != nil {
			return err
		}
	}
	in.finish(ctx, clients, ready)
	return nil
}

// An initializing is one run of init.
type initializing struct {
	s       command.Streams
	o       initOptions
	home    setup.Home
	store   setup.Store
	dir     string // the workspace
	program string // helve's own path
	short   bool   // a shell finds it by its name, too
}

// meant are the clients that are named, else the installed ones; for an undo all.
func (in *initializing) meant() ([]setup.Client, error) {
	var out []setup.Client
	for _, name := range in.o.clients {
		c, ok := setup.Find(name)
		if !ok {
			return nil, unknownClient(in.o.command, name)
		}
		out = append(out, c)
	}
	if len(in.o.clients) > 0 {
		return out, nil
	}
	for _, c := range setup.Clients() {
		if in.o.undo || c.Installed(in.home) {
			out = append(out, c)
		}
	}
	return out, nil
}

// unknownClient is the error of a name that no client has.
func unknownClient(verb, name string) error {
	hint := "want one of " + known()
	if near := names.Near(name, clientNames(), 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "?"
	}
	return command.Usage("%s: %q is no client that is known\nhint: %s", verb, command.Printable(name), hint)
}

// findProgram finds helve's own path, and whether a shell finds it by its name.
func (in *initializing) findProgram() error {
	path, named, err := setup.Own(in.s.Getenv)
	if err != nil {
		return command.Failed(fmt.Errorf("%s: where this program is cannot be found: %w", in.o.command, err))
	}
	in.program, in.short = path, named
	return nil
}

func (in *initializing) line(c setup.Client) setup.Line {
	return c.LineFor(in.program, in.short, in.dir)
}

// print shows what a person would put into the files.
func (in *initializing) print(clients []setup.Client) error {
	for i, c := range clients {
		if i > 0 {
			fmt.Fprintln(in.s.Stdout)
		}
		fmt.Fprintf(in.s.Stdout, "%s: %s\n%s", c.Title, command.Printable(c.File(in.home)), c.Snippet(in.line(c)))
		if !in.o.hooks {
			continue
		}
		text, err := setup.HookSnippet(c, in.home, in.program)
		if err != nil {
			return command.Failed(err)
		}
		fmt.Fprint(in.s.Stdout, command.Printable(text))
	}
	return nil
}

// former are the changes of files that still start the program that helve is today, but for those of clients that are
// set up: these change with the rest of their files. Only who sets up all has them changed.
func (in *initializing) former(clients []setup.Client) []setup.Change {
	if len(in.o.clients) > 0 {
		return nil
	}
	all, errs := setup.Former(in.home, in.dir)
	for _, err := range errs {
		in.s.Say("%s", command.Printable(err.Error()))
	}
	own := map[string]bool{}
	for _, c := range clients {
		own[c.File(in.home)] = c.Readable()
	}
	return slices.DeleteFunc(all, func(ch setup.Change) bool { return own[ch.File] })
}

// write sets up the clients, each after a yes, and says how many are. A client whose file cannot be changed costs a
// line and the exit status, not the others.
func (in *initializing) write(
	ctx context.Context, clients []setup.Client, changes []setup.Change,
) (ready int, err error) {
	bad := 0
	for _, c := range clients {
		ch, err := setup.Plan(c, in.home, in.line(c))
		switch {
		case err != nil:
			in.s.Say("%s", command.Printable(err.Error()))
			bad++
		case ch.None():
			fmt.Fprintf(in.s.Stdout, "%s: is set up already, in %s\n", c.Title, command.Printable(ch.File))
			ready++
		default:
			changes = append(changes, ch)
		}
	}
	if len(changes) > 0 && !in.o.yes && !in.s.Terminal().Present() {
		for _, ch := range changes {
			fmt.Fprint(in.s.Stdout, command.Printable(ch.Diff()))
			if ch.Foreign != nil {
				in.s.Say("%s: %s", ch.Client.Title, replaced(ch))
			}
		}
		const hint = "--yes writes this, --print shows what to write by hand"
		return 0, command.Usage("%s: nothing was written: there is nobody to ask\nhint: %s", in.o.command, hint)
	}
	written, err := in.ask(ctx, changes)
	if err != nil {
		return 0, err
	}
	for _, ch := range written {
		if err := in.store.Apply(ch); err != nil {
			in.s.Say("%s: %s", in.o.command, command.Printable(err.Error()))
			bad++
			continue
		}
		fmt.Fprintf(in.s.Stdout, "%s: written to %s\n", ch.Client.Title, command.Printable(ch.File))
		if ch.Foreign != nil {
			in.s.Say("%s: %s\nhint: helve init --undo --client %s brings it back",
				ch.Client.Title, replaced(ch), ch.Client.Name)
		}
		if !ch.Former {
			ready++
		}
	}
	if err := in.takeOver(ctx, clients); err != nil {
		return 0, err
	}
	if bad > 0 {
		return ready, &command.ExitError{Status: command.ExitFailed, Err: nil}
	}
	return ready, nil
}

// ask is which of the changes are wanted.
func (in *initializing) ask(ctx context.Context, changes []setup.Change) ([]setup.Change, error) {
	if in.o.yes {
		return changes, nil
	}
	var out []setup.Change
	for i, ch := range changes {
		said, err := in.s.Terminal().Ask(ctx, terminal.Question{
			Title:   setupTitle(ch),
			Notes:   setupNotes(ch),
			Preview: ch.Diff(),
			Diff:    true,
			Ask:     "Write this to " + ch.File + "?",
			Choices: []terminal.Choice{
				asking.Refuse(),
				asking.Agree("Yes", asking.WordYes, "y"),
				{Label: "Yes, and all others", Value: wordAll, Letter: "a"},
			},
		})
		switch {
		case err != nil:
			return nil, err
		case said.Value == wordAll:
			return append(out, changes[i:]...), nil
		case said.Value == asking.WordYes:
			out = append(out, ch)
		}
	}
	return out, nil
}

// setupTitle says what a change is for.
func setupTitle(ch setup.Change) string {
	if ch.Former {
		return setup.FormerName + " is " + setup.Name + " now"
	}
	return "Set up " + ch.Client.Title
}

// setupNotes are what a person has to know before a change.
func setupNotes(ch setup.Change) []string {
	if ch.Former {
		return []string{"There is no program " + setup.FormerName + " any more: what starts it starts nothing."}
	}
	out := []string{"It starts " + ch.Line.String()}
	if ch.Foreign != nil {
		out = append(out, "Before, "+replaced(ch))
	}
	return out
}

// replaced says that another program's server loses its place.
func replaced(ch setup.Change) string {
	return "another server was called helve there, and is replaced: " + command.OneLine(strings.Join(ch.Foreign, " "))
}

// wordAll is the answer that covers what would be asked next.
const wordAll = "all"
