// Package exec has the command that runs one command under the policy, confined, and on record.
package exec

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"helve/builtin"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/clienthook"
	"helve/cmd/internal/command"
	"helve/engine/shell"
	"helve/internal/rewritten"
	"helve/internal/scratch"
	"helve/internal/ticket"
	"helve/internal/workspace"
	"helve/tool"
)

// exitNotRun is the status of a command that was not run, as shells have it for a program that cannot be run.
const exitNotRun = 126

// execOptions are one command and how it is run.
type execOptions struct {
	command.Common
	line       string // as bash reads it
	lineGiven  bool
	words      []string // the command where there is no line
	json       bool     // the result object instead of the output
	yes        bool     // grant what would be asked
	client     string   // whose hook left a ticket; "": nobody's
	background bool     // it goes on beside other work
	cwdFD      int      // where to say in which folder the line ended; 0: nowhere
}

func Command(c *command.Line) *cobra.Command {
	var o execOptions
	cmd := &cobra.Command{
		Use:   "exec [-c LINE | [--] COMMAND [ARGUMENT…]]",
		Short: "Run one command as bash would, under policy, confined and undoable",
		Long: `Run one command as an agent's bash tool would: judged by the policy, confined, what it changes held
back until it has ended, on record, and taken back by helve undo. It is run as bash runs it otherwise:
it has standard input, its output comes as it is printed, a terminal is a terminal, signals reach it, and
the exit status is its own, 128 and the number of the signal that ended it, or 126 where it was not run,
with the reason on stderr. It may take as long as it likes.

-c takes a line with all that bash reads; the words behind -- are one command. What needs the network
by its words (git push, npm install) is asked about, and has it. On a terminal an approval is asked with
its preview; elsewhere what would be asked is not run, unless --yes grants it.

--client is for the hooks of clients: what helve hook CLIENT judged a moment before is not asked again.`,
		Example: `  helve exec -- go test ./...
  helve exec -c 'cd web && npm run build' --yes
  helve exec --json -- make
  helve undo                          take back what it changed`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.words, o.lineGiven = c.Flags.Common, args, cmd.Flags().Changed("command")
			return runExec(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		const dash = "\nhint: -- stands before the command: helve exec -- ls -l"
		return command.Usage("%v%s", command.WrongFlag(cmd, err), dash)
	})
	f := cmd.Flags()
	f.SetInterspersed(false) // the command's own options are its own
	f.StringVarP(&o.line, "command", "c", "", "a line as bash reads it, instead of the words of a command")
	f.BoolVar(&o.yes, "yes", false, "grant what would be asked; what is denied stays denied")
	f.StringVar(&o.client, "client", "", "the client whose hook judged the line, by its name in helve init")
	f.BoolVar(&o.background, "background", false,
		"it goes on beside other work, as a server does: what it changes is not held back")
	f.IntVar(&o.cwdFD, "cwd-fd", 0, "a descriptor to which the folder is written in which the line ended")
	if err := f.MarkHidden("cwd-fd"); err != nil {
		panic(err) // it was declared above
	}
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// command is the line to run.
func (o execOptions) command() (string, error) {
	line := o.line
	switch {
	case o.lineGiven && len(o.words) > 0:
		return "", command.Usage("exec: -c has the whole line: no more words can stand behind it, got %q\n"+
			"hint: quote the line: helve exec -c 'LINE'", command.Brief(o.words[0]))
	case !o.lineGiven && len(o.words) == 0:
		return "", command.Usage("exec: there is no command\nhint: helve exec -- COMMAND, or helve exec -c 'LINE'")
	case !o.lineGiven:
		line = rewritten.Join(o.words)
	}
	switch {
	case strings.TrimSpace(line) == "":
		return "", command.Usage("exec: the command is empty")
	case strings.ContainsRune(line, 0):
		return "", command.Usage("exec: %v", shell.ErrNUL)
	case !utf8.ValidString(line):
		return "", command.Usage("exec: the command is no UTF-8: what is judged and kept is text\n" +
			"hint: put names in other encodings into a script, and run that")
	}
	return line, nil
}

// An execution is one command on its way.
type execution struct {
	execOptions
	s      command.Streams
	line   string
	folder string         // in which it starts
	ticket *ticket.Ticket // nil: there is none
	keeper int            // where to say that its shell has ended, and what it left goes on; 0: nowhere
}

// runExec runs one command.
func runExec(ctx context.Context, s command.Streams, o execOptions) error {
	line, err := o.command()
	if err != nil {
		return err
	}
	e := &execution{execOptions: o, s: s, line: line}
	e.keeper, e.s.Environ = keeperOf(s.Environment)
	if e.cwdFD > 0 {
		keepFolderFD(e.cwdFD)
	}
	if e.keeper == 0 && !e.json && shell.Backgrounds(line) {
		return e.leave(ctx)
	}
	if err := e.place(); err != nil {
		return err
	}
	opened, err := e.options()
	if err != nil {
		return err
	}
	at, err := attach(ctx, e)
	if err != nil {
		return command.Failed(err)
	}
	defer at.close()
	opened.Attached = &at.Attached
	if temp := e.temp(); temp != nil {
		defer temp.Close()
		opened.Private, at.Temp = scratch.Private(), temp
	}
	began := time.Now()
	defer e.hold()()
	res, unasked, err := e.call(ctx, opened, at)
	at.close() // the terminal is the person's again
	e.tellEnd(res, at, time.Since(began))
	if dir := at.ended.Load(); dir != nil && e.cwdFD > 0 && e.keeper == 0 && isDir(*dir) {
		err = errors.Join(err, tellFolder(e.cwdFD, *dir))
	}
	if res == nil {
		return err
	}
	if unasked {
		defer s.Note("hint: --yes grants it for this command; a rule in the configuration for all: helve why bash")
	}
	return errors.Join(err, e.report(res, at))
}

// hold says to the hook that looks after the line that it runs, until release is called.
func (e *execution) hold() (release func()) {
	if e.ticket != nil && e.ticket.Kept && e.ticket.Look != "" {
		_ = ticket.Begin(e.ticket.End) // where it can be said nowhere, the hook knows of the lock alone
		if release, err := e.ticket.Hold(); err == nil {
			return release
		}
	}
	return func() {} // nobody looks after it, or the hook takes it for one that has ended when its time is over
}

// tellEnd says to that hook how the line ended.
func (e *execution) tellEnd(res *tool.Result, at *attachment, took time.Duration) {
	if res != nil && e.ticket != nil && e.ticket.Kept && e.ticket.End != "" {
		_ = ticket.End{Status: at.status(res), Took: took}.Say(e.ticket.End)
	}
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// place finds out where the command starts, and whether a hook judged it there.
func (e *execution) place() error {
	dir := e.s.Dir
	if dir == "" {
		return command.Usage("exec: the working directory is gone\nhint: change to one that is there")
	}
	folder, err := workspace.Folder(dir)
	if err != nil {
		return command.Misused(err)
	}
	e.folder = folder
	if e.client == "" {
		return nil
	}
	t, ok := ticket.Take(e.s.Places().StateDir, ticket.Key(e.client, folder, e.line))
	if ok {
		e.ticket = &t
	}
	return nil
}

// options are how the workspace is opened.
func (e *execution) options() (workspace.Options, error) {
	var o workspace.Options
	var err error
	if e.ticket == nil || e.Dir != "" {
		if o, err = e.Common.Options(e.s); err != nil {
			return o, err
		}
	} else {
		if o, err = e.OptionsIn(e.s, e.ticket.Workspace); err != nil {
			return o, err
		}
		o.Dirs = append(o.Dirs, e.ticket.Dirs...)
		if o.Mode == "" {
			o.Mode = e.ticket.Mode
		}
	}
	if e.Dir != "" {
		e.folder = o.Dirs[0]
	}
	if !e.inside(o.Dirs) {
		if e.ticket == nil {
			e.folder = o.Dirs[0]
		} else { // the hook judged it there
			o.Dirs = append(o.Dirs, e.folder)
		}
	}
	o.OneCall = true
	if e.client != "" { // nothing that a client runs has it stop asking
		o.Guards = clienthook.OwnGuards(e.s.Getenv, o.Dirs)
	}
	o.Unrecorded = e.ticket != nil && (e.ticket.Recorded || e.ticket.Kept)
	if e.ticket != nil && e.ticket.Kept { // history cannot be written here
		o.NoHistory, o.Log = true, nil
	}
	return o, nil
}

// temp is what the commands of a client's conversation find as /tmp; nil: this one has one of its own.
func (e *execution) temp() *scratch.Folder {
	if e.ticket == nil || e.ticket.Kept || e.ticket.Conversation == "" {
		return nil
	}
	f, err := scratch.Open(e.s.Places().StateDir, e.client+"/"+e.ticket.Conversation)
	if err != nil {
		e.s.Note("what this command leaves in /tmp is gone with it: %v", err)
		return nil
	}
	return f
}

// inside says that the command starts in one of these folders.
func (e *execution) inside(dirs []string) bool {
	for _, d := range dirs {
		if e.folder == d || strings.HasPrefix(e.folder, strings.TrimSuffix(d,
			string(os.PathSeparator))+string(os.PathSeparator)) {
			return true
		}
	}
	return false
}

// call makes the call. unasked says that nobody was there to be asked about it.
func (e *execution) call(
	ctx context.Context, o workspace.Options, at *attachment,
) (res *tool.Result, unasked bool, err error) {
	ws, asks, err := e.open(ctx, o)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	c := &tool.Call{ID: "cli", Name: "bash", Dir: e.folder}
	if e.ticket != nil {
		e.takeOver(ws)
		session := ws.NewSession()
		defer func() { err = errors.Join(err, session.Close()) }()
		session.Client, session.Principal = e.client, e.client
		c.ID = cmp.Or(e.ticket.Call, c.ID)
		if id := e.ticket.Conversation; workspace.SessionID(id) {
			session.ID = id
		}
		c.Session = session
	}
	if c.Args, err = e.arguments(); err != nil {
		return nil, false, err
	}
	res, err = ws.Kit().Call(ctx, c)
	unasked = !asks && res != nil && res.Err != nil && res.Verdict.Decision == tool.Ask && !at.ran.Load()
	return res, unasked, err
}

// takeOver looks after the line in the place of the hook, where no sandbox of the client's keeps it from that.
func (e *execution) takeOver(ws *workspace.Assembly) {
	if !e.ticket.Kept && e.ticket.Look != "" {
		ws.Foreign().Unlook(strings.TrimSuffix(filepath.Base(e.ticket.Look), filepath.Ext(e.ticket.Look)))
	}
}

// open opens the workspace, and says whether anybody can be asked.
func (e *execution) open(ctx context.Context, o workspace.Options) (ws *workspace.Assembly, asks bool, err error) {
	if e.ticket == nil {
		ws, who, err := asking.OpenAsking(ctx, e.s, o, e.yes)
		return ws, who.Ask != nil, err
	}
	o.Ask = e.vouch
	ws, err = command.OpenWith(ctx, o)
	return ws, true, err
}

// vouch is the answer of a ticket: the hook judged the line, and the client asked where that was to be asked. What
// shows later nobody has seen.
func (e *execution) vouch(_ context.Context, q *tool.Question) (tool.Answer, error) {
	by := tool.Approver{Kind: tool.ByClient, Via: e.client}
	if e.ticket.Said {
		by = clienthook.Person()
	}
	if q.Late {
		return tool.Answer{Unasked: true, Note: e.client + " asked before it showed"}, nil
	}
	return tool.Answer{Yes: true, By: by}, nil
}

// arguments are those of the bash tool. What is known to need the network asks for it.
func (e *execution) arguments() (json.RawMessage, error) {
	args := map[string]any{"command": e.line}
	network := e.ticket != nil && e.ticket.Network
	if e.ticket == nil || e.ticket.Verdict == "ask" { // the person said yes to words that want it
		network = network || shell.NeedsNetwork(shell.Analyze(e.line, shell.Options{Dir: e.folder})) != ""
	}
	if network {
		args["network"] = true
	}
	return json.Marshal(args)
}

// goesOn says that the command goes on beside other work.
func (e *execution) goesOn() bool {
	if e.background || shell.Backgrounds(e.line) {
		return true
	}
	return shell.GoesOn(shell.Analyze(e.line, shell.Options{Dir: e.folder})) != ""
}

// attachedOf is what of this the bash tool is told.
func (e *execution) attachedOf() builtin.Attached {
	a := builtin.Attached{GoesOn: e.goesOn()}
	if e.ticket != nil {
		a.Client, a.AsItIs = e.client, e.ticket.Kept
	}
	return a
}
