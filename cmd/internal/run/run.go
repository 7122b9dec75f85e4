// Package run has the command that runs an agent on the tools of a workspace, and tells what it does.
package run

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/agent"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/policy"
	"helve/tool"
)

// bareResume is --resume without a value: the person chooses. No ID and no words are so.
const bareResume = "\x00"

type runOptions struct {
	command.Common
	words     []string      // the prompt; none, or -: standard input
	model     string        // PROVIDER/NAME
	baseURL   string        // "": the provider's
	format    string        // of formats
	input     string        // text, or stream-json: prompts and answers come as lines of JSON
	headless  bool          // nobody is asked, even at a terminal
	newest    bool          // go on with the newest conversation of the workspace
	resumes   bool          // go on with the one that resume means
	resume    string        // an ID, or words; bareResume: one that the person chooses
	fork      bool          // go on with a copy of it
	record    string        // the file for calls and their results; "": none
	replay    string        // the file that answers calls; "": they are run
	yes       bool          // grant what would be asked
	maxTurns  int           // 0: the agent's default
	maxTokens int64         // 0: no limit
	maxTime   time.Duration // 0: no limit

	allow, deny []string // rules of this run
	servers     []string // MCP servers: files, or JSON
	systemFile  string   // what the model is told in place of our own words; "": those
	systemMore  string   // and what it is told besides
	images      []string // files that the model is shown with the prompt
	showPrompt  bool     // print what the model is told, and end
	noMemory    bool     // AGENTS.md and files like it are not read
	schema      string   // the JSON Schema of the answer, or its file; "": the answer is text
	form        *form    // it, once it was read

	memory   *config.Memory // what the configuration says of those; nil: the defaults
	fallback []agent.Model  // asked where the model is down, in this order
	keys     []string       // of all these: nothing that is kept has them in it
}

// The forms of a run's output.
const (
	textFormat   = "text"
	jsonFormat   = "json"        // one object at the end
	streamFormat = "stream-json" // an object a line, for each event
)

// formats are the forms in the order in which messages list them.
func formats() []string { return []string{textFormat, jsonFormat, streamFormat} }

// Command is helve run.
func Command(c *command.Line) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [PROMPT… | -]",
		Short: "Run an agent on these tools",
		Long: `Run an agent on these tools until it is done. The prompt is the words, joined; or standard input, which
with both follows the words after an empty line.

Models: openai/NAME (Chat Completions; with --base-url any server that speaks it), anthropic/NAME, gemini/NAME,
ollama/NAME, an alias, or a provider of the configuration; without --model the configuration's. helve models lists them.
Keys: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, what providers says, or the keyring (helve models key set).
With --mode plan the agent only reads until its plan is approved. What would be asked is refused where nobody can be
asked, unless --yes or --allow grants it. Ctrl-C stops the run, at a question too; Esc there only says no.

For programs: --output-format json prints one object at the end, stream-json an object a line, and with --input-format
stream-json prompts, answers to questions and cancellations come as lines on standard input: docs/run.schema.json.

The conversation is kept, with its model and mode: --continue goes on with the newest one of this workspace, --resume
with any. What was approved for a session holds no longer then, and rules, mode and tools are those of today. Of a call
that was under way when a run was killed it says what became of it. helve conversations lists them.

--record writes what every call brought to a file, --replay answers calls from it, so that an agent can be tested
without side effects.

Exit status: 0 done, 1 failed or stopped before it was done, 2 usage, 4 no model or key, 5 out of time, 130 interrupted.
Before 2 and 4 nothing is printed on standard output.`,
		Example: `  helve run "Why does TestParse fail?" --model anthropic/claude-sonnet-4-5
  helve run --continue "And TestPrint?"
  helve run "Fix it" --model openai/qwen3 --base-url http://localhost:11434/v1 --mode plan
  git diff | helve run Review this. --model gemini/gemini-2.5-pro --output-format json
  helve run -p Run the tests and mend what fails. --allow 'bash:go test *' --allow edit --max-time 10m`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.words = c.Flags.Common, args
			o.resumes = cmd.Flags().Changed("resume")
			s := c.Streams()
			o.resumeWord(c.Args, s.Conversations())
			return run(cmd.Context(), s, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", "PROVIDER/NAME or an alias (default: that of the conversation, else of the configuration)")
	f.StringVar(&o.baseURL, "base-url", "", "where the model is served, if not by its provider")
	f.StringVar(&o.format, "output-format", textFormat, "text, json or stream-json")
	f.StringVar(&o.input, "input-format", textFormat, "text, or stream-json: prompts and answers as lines of JSON")
	f.BoolVarP(&o.headless, "print", "p", false, "ask nobody, even at a terminal")
	f.StringArrayVar(&o.allow, "allow", nil, "allow calls in this run: TOOL or TOOL:PATTERN; may be repeated")
	f.StringArrayVar(&o.deny, "deny", nil, "refuse calls in this run; may be given several times")
	f.StringArrayVar(&o.servers, "mcp-config", nil, "MCP servers for this run: a file with mcpServers, or its JSON")
	f.StringVar(&o.systemFile, "system-prompt-file", "", "tell the model this first, in place of helve's own words")
	f.StringVar(&o.systemMore, "append-system-prompt", "", "tell the model this besides")
	f.BoolVar(&o.showPrompt, "show-prompt", false, "print what the model is told first, and end")
	f.StringArrayVar(&o.images, "image", nil, "show the model this picture with the prompt: PNG, JPEG, GIF or WebP")
	f.BoolVar(&o.noMemory, "no-memory", false, "do not tell the model what stands in AGENTS.md and files like it")
	f.StringVar(&o.schema, "json-schema", "", "the JSON Schema of an object that the answer is to be, or its file")
	f.BoolVarP(&o.newest, "continue", "c", false, "go on with the newest conversation of this workspace")
	f.StringVarP(&o.resume, "resume", "r", "", "go on with a conversation: its ID, or words that stand in it")
	f.Lookup("resume").NoOptDefVal = bareResume
	f.BoolVar(&o.fork, "fork", false, "go on with a copy of the conversation")
	f.StringVar(&o.record, "record", "", "write every call with its result to this file")
	f.StringVar(&o.replay, "replay", "", "answer calls from such a file: nothing is run")
	f.BoolVar(&o.yes, "yes", false, "grant what would be asked, the plan too; what is denied stays denied")
	f.IntVar(&o.maxTurns, "max-turns", 0, "answers of the model at most (default 100)")
	f.Int64Var(&o.maxTokens, "max-tokens", 0, "tokens read and written at most (default: no limit)")
	f.DurationVar(&o.maxTime, "max-time", 0, "how long it may take, as 10m (default: no limit)")
	cmd.MarkFlagsMutuallyExclusive("record", "replay")
	cmd.MarkFlagsMutuallyExclusive("continue", "resume")
	command.CompleteFlag(cmd, "output-format", formats()...)
	command.CompleteFlag(cmd, "input-format", textFormat, streamFormat)
	return cmd
}

// check finds what cannot be meant so.
func (o runOptions) check() error {
	switch {
	case !slices.Contains(formats(), o.format):
		return command.Usage("run: --output-format %q: want %s\nhint: helve run --help", o.format, strings.Join(formats(), ", "))
	case o.input != textFormat && o.input != streamFormat:
		return command.Usage("run: --input-format %q: want %s or %s", o.input, textFormat, streamFormat)
	case o.input == streamFormat && o.format != streamFormat:
		return command.Usage("run: --input-format stream-json goes with --output-format stream-json")
	case o.input == streamFormat && len(o.words) > 0:
		return command.Usage("run: with --input-format stream-json the prompts come as lines of JSON, not as words")
	case o.input == streamFormat && len(o.images) > 0:
		return command.Usage("run: with --input-format stream-json images come with the prompts, not as --image")
	case o.maxTurns < 0 || o.maxTokens < 0 || o.maxTime < 0:
		return command.Usage("run: a limit below zero")
	case o.baseURL == "":
		return nil
	}
	// The libraries would take such an address for one that cannot be reached.
	u, err := url.Parse(o.baseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return command.Usage("run: --base-url %q is no address of a server\nhint: as http://localhost:11434/v1",
			o.baseURL)
	}
	return nil
}

// run runs an agent until it is done.
func run(ctx context.Context, s command.Streams, o runOptions) error {
	err := o.check()
	if err != nil {
		return err
	}
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	about, err := o.choose(ctx, s, dir)
	if err != nil {
		return err
	}
	read, err := o.Load(s.Silent(), dir) // what there is to say of it is said when the workspace is opened
	if err != nil {
		return err
	}
	o.remember(read, about)
	if o.form, err = formOf(s, o.schema); err != nil {
		return err
	}
	if o.showPrompt {
		return showPrompt(ctx, s, o)
	}
	prompt := agent.User{}
	if o.input == textFormat {
		prompt.Images, err = imagesOf(s, o.images)
		if err != nil {
			return err
		}
		if prompt.Text, err = promptOf(ctx, s, o.words); err != nil {
			return err
		}
	}
	model, err := o.ask(ctx, s, read)
	if err != nil {
		return err
	}
	err = converse(ctx, s, o, model, about, prompt)
	if _, failed := s.PruneConversations(ctx, o.Common, read.Conversations, false); failed != nil {
		s.Note("old conversations: %v", failed)
	}
	return err
}

// remember fills in what the flags leave open from the conversation: its model, and its mode where that is not freer
// than what the configuration says today.
func (o *runOptions) remember(read *config.Config, c chosen) {
	o.model = cmp.Or(o.model, c.Model)
	o.memory = read.Memory
	if o.Mode != "" || c.Mode == "" {
		return
	}
	then, known := policy.ParseMode(c.Mode)
	today, _ := policy.ParseMode(read.Mode)
	if known == nil && (read.At("mode").Layer == "default" || then < today) {
		o.Mode = c.Mode
	}
}

// noModel is the error of a run that has no model to ask.
func noModel(format string, args ...any) error {
	return &command.ExitError{Status: command.ExitUnknown, Err: fmt.Errorf(format, args...)}
}

// ask makes the model that is asked, and those that take over where it is down. What cannot be had of these is left out
// until it would be needed.
func (o *runOptions) ask(ctx context.Context, s command.Streams, read *config.Config) (agent.Model, error) {
	word := cmp.Or(o.model, read.Model)
	if word == "" {
		return nil, noModel("run: want a model: --model PROVIDER/NAME\nhint: as anthropic/…, openai/…, gemini/… or ollama/…; " +
			"helve config set -g model PROVIDER/NAME keeps it")
	}
	model, key, err := s.Model(ctx, read, word, o.baseURL)
	if err != nil {
		return nil, noModel("run: %w", err)
	}
	o.keys = append(o.keys, key)
	if read.Models == nil || o.baseURL != "" {
		return model, nil
	}
	for _, next := range read.Models.Fallback {
		other, key, err := s.Model(ctx, read, next, "")
		if err != nil {
			s.Note("models.fallback: %s is left out: %s", command.Brief(next), command.OneLine(err.Error()))
			continue
		}
		if other.Name() != model.Name() {
			o.fallback, o.keys = append(o.fallback, other), append(o.keys, key)
		}
	}
	return model, nil
}

// giveKits gives the agent its kit, in plan mode two.
func giveKits(
	ws *workspace.Assembly, who asking.Approver, around []func(tool.Caller) tool.Caller, ag *agent.Agent,
) (err error) {
	o := workspace.KitOptions{Ask: who.Ask, Around: around}
	ag.Kit, err = ws.NewKit(o)
	if err != nil || ws.Mode() != policy.Plan {
		return err
	}
	ag.Plan = &agent.Plan{Kit: ag.Kit, Leave: who.Plan()}
	o.Mode = policy.AskFirst.String()
	ag.Kit, err = ws.NewKit(o)
	return err
}

// keepMessages are the last ones, which a summary leaves as they are: what the model does at the moment.
const keepMessages = 8

// firstTurn is how long an agent's first turn waits for servers whose lists are not remembered. What comes later is
// offered from the next turn on.
const firstTurn = 3 * time.Second

// waitForSources lists the sources of an agent's run.
func waitForSources(ctx context.Context, ws *workspace.Assembly) {
	t := time.NewTimer(firstTurn)
	defer t.Stop()
	select {
	case <-ws.Follow():
	case <-t.C:
	case <-ctx.Done():
	}
}
