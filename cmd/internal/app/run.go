package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve"
	"helve/agent"
	"helve/cmd/internal/terminal"
	"helve/policy"
	"helve/tool"
	"helve/wrap"
)

// promptMax bounds a prompt from standard input: more than any model reads.
const promptMax = 4 << 20

// A ModelRequest says which model a run wants.
type ModelRequest struct {
	Name    string // provider/model
	BaseURL string // "" means the provider's
	Getenv  func(string) string
}

type runFlags struct {
	common
	line                   []string // the whole command line, for the program that it is handed over to
	model, baseURL, format string
	resume, record, replay string
	yes                    bool
	maxTurns               int
	maxTokens              int64
	maxTime                time.Duration
}

// A NoKey says that a provider's key is missing.
type NoKey struct{ Provider, Variable string }

func (e *NoKey) Error() string {
	return fmt.Sprintf("no key for %s: the variable %s is not set", e.Provider, e.Variable)
}

var formats = []string{"text", "json", "stream-json"}

func runCommand(c *cli) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [PROMPT | -] --model PROVIDER/NAME",
		Short: "Run an agent on these tools",
		Long: `Run an agent on these tools until it is done. The prompt is the argument, or standard input.

Models: openai/NAME (Chat Completions; with --base-url any server that speaks it), anthropic/NAME, gemini/NAME.
Keys: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY.
With --mode plan the agent only reads until its plan is approved. What would be asked is refused where nobody can be asked,
unless --yes grants it.

The conversation is kept: --resume goes on with it. --record writes what every call brought to a file, --replay answers calls
from it, so that an agent can be tested without side effects.

Exit status: 0 done, 1 failed or stopped before it was done, 2 usage, 5 out of time, 130 interrupted.`,
		Example: `  helve run "Why does TestParse fail?" --model anthropic/claude-sonnet-4-5
  helve run "Fix it" --model openai/qwen3 --base-url http://localhost:11434/v1 --mode plan
  git diff | helve run - --model gemini/gemini-2.5-pro --output-format json`,
		Args: between(0, 1, "one prompt, in quotes, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.common, f.line = c.flags.common, c.args
			return run(cmd.Context(), c.streams(), f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.model, "model", "", "PROVIDER/NAME: openai, anthropic or gemini")
	fl.StringVar(&f.baseURL, "base-url", "", "where the model is served, if not by its provider")
	fl.StringVar(&f.format, "output-format", "text", "text, json or stream-json")
	fl.StringVar(&f.resume, "resume", "", "go on with the session ID")
	fl.StringVar(&f.record, "record", "", "write every call with its result to this file")
	fl.StringVar(&f.replay, "replay", "", "answer calls from such a file: nothing is run")
	fl.BoolVar(&f.yes, "yes", false, "grant what would be asked, the plan too; what is denied stays denied")
	fl.IntVar(&f.maxTurns, "max-turns", 0, "answers of the model at most (default 100)")
	fl.Int64Var(&f.maxTokens, "max-tokens", 0, "tokens read and written at most (default: no limit)")
	fl.DurationVar(&f.maxTime, "max-time", 0, "how long it may take, as 10m (default: no limit)")
	cmd.MarkFlagsMutuallyExclusive("record", "replay")
	_ = cmd.RegisterFlagCompletionFunc("output-format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func run(ctx context.Context, s streams, f runFlags, args []string) error {
	provider, name, ok := strings.Cut(f.model, "/")
	switch {
	case !ok || provider == "" || name == "":
		return usage("run: want --model PROVIDER/NAME, got %q\nhint: openai/…, anthropic/… or gemini/…", f.model)
	case !slices.Contains(formats, f.format):
		return usage("run: --output-format %q: want %s", f.format, strings.Join(formats, ", "))
	case f.maxTurns < 0 || f.maxTokens < 0 || f.maxTime < 0:
		return usage("run: a limit below zero")
	}
	if s.Models == nil {
		return handOver(ctx, s, "run", f.line)
	}
	prompt, err := promptText(s, args)
	if err != nil {
		return err
	}
	model, err := s.Models(ctx, ModelRequest{Name: f.model, BaseURL: f.baseURL, Getenv: s.getenv})
	if _, missing := errors.AsType[*NoKey](err); missing {
		return usage("run: %v\nhint: set it, or name a server that wants no key with --base-url", err)
	} else if err != nil {
		return usage("run: %v\nhint: openai/…, anthropic/… or gemini/…", err)
	}
	return converse(ctx, s, f, model, prompt)
}

// promptText is the prompt: the argument, or standard input.
func promptText(s streams, args []string) (string, error) {
	if len(args) == 1 && args[0] != "-" {
		return args[0], nil
	}
	if len(args) == 0 && isTerminal(s.Stdin) {
		return "", usage("run: want a prompt\nhint: helve run \"…\" --model PROVIDER/NAME")
	}
	b, err := io.ReadAll(io.LimitReader(s.Stdin, promptMax+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read standard input: %w", err)
	case len(b) > promptMax:
		return "", usage("run: the prompt has more than %d bytes", promptMax)
	case strings.TrimSpace(string(b)) == "":
		return "", usage("run: the prompt is empty")
	}
	return string(b), nil
}

// converse runs the loop and says how it ended.
func converse(ctx context.Context, s streams, f runFlags, model agent.Model, prompt string) (err error) {
	o, err := f.options(s)
	if err != nil {
		return err
	}
	o.Summarizer = reader{model}
	ws, who, err := openAsking(ctx, s, o, f.yes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	accompany(ctx, ws)
	id, past, logFile, err := openConversation(s, f.resume)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, logFile.Close()) }()
	session, err := sessionOf(ws, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	ag := &agent.Agent{Model: model, Session: session, Dir: ws.Dir(), System: systemWords(ws.Dir()), Log: logFile, Compact: agent.Summarise(keepMessages),
		Limits: agent.Limits{Turns: f.maxTurns, Tokens: f.maxTokens, Time: f.maxTime}}
	if past != nil {
		ag.Resume(past)
	}
	out := newReporter(s, f.format, id, model.Name())
	ag.Listen = out.event
	done, err := kits(s, f, ws, out.asking(who), ag)
	if err != nil {
		return err
	}
	if ag.Plan != nil {
		ag.Plan.Leave = out.leaving(ag.Plan.Leave)
	}
	out.begin()
	res, err := ag.Run(ctx, prompt)
	out.end(res, errors.Join(err, done()))
	return runStatus(ctx, res, errors.Join(err, done()))
}

// keepMessages are the last ones, which a summary leaves as they are.
const keepMessages = 8

func systemWords(dir string) string {
	return "You are a coding agent. You work in the folder " + filepath.Base(dir) + " with the tools that you are given; paths are relative to it. " +
		"Look before you change something, change no more than was asked, check the result, and say shortly what you did."
}

// runStatus is the exit status of a run: stopped before it was done is a failure.
func runStatus(ctx context.Context, res *agent.Outcome, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &exitError{status: exitFailed}
	case res.Stop == agent.Time:
		return &exitError{status: exitTimedOut}
	case res.Stop != agent.Done:
		return &exitError{status: exitFailed}
	}
	return nil
}

// firstTurn is how long an agent's first turn waits for servers whose lists are not remembered. What comes later is offered from the
// next turn on.
const firstTurn = 3 * time.Second

// accompany lists the sources of an agent's run.
func accompany(ctx context.Context, ws *helve.Workspace) {
	select {
	case <-ws.Follow():
	case <-time.After(firstTurn):
	case <-ctx.Done():
	}
}

// kits gives the agent its kit, in plan mode two. done closes what was opened.
func kits(s streams, f runFlags, ws *helve.Workspace, ask tool.Asker, ag *agent.Agent) (done func() error, err error) {
	tape, done, err := cassette(s, f)
	if err != nil {
		return nil, err
	}
	ag.Kit, err = ws.NewKit(helve.KitOptions{Ask: ask, Around: tape})
	if err == nil && ws.Mode() == policy.Plan {
		ag.Plan = &agent.Plan{Kit: ag.Kit, Leave: leaver(s, f.yes)}
		ag.Kit, err = ws.NewKit(helve.KitOptions{Ask: ask, Around: tape, Mode: policy.AskFirst.String()})
	}
	if err != nil {
		return nil, errors.Join(err, done())
	}
	return done, nil
}

// cassette is the middleware that records or plays calls.
func cassette(s streams, f runFlags) ([]func(tool.Caller) tool.Caller, func() error, error) {
	nothing := func() error { return nil }
	switch {
	case f.record != "":
		w, err := os.OpenFile(s.path(f.record), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, usage("run: --record: %v", err)
		}
		closed := false
		return []func(tool.Caller) tool.Caller{wrap.Tape(w)}, func() error {
			if closed {
				return nil
			}
			closed = true
			return w.Close()
		}, nil
	case f.replay != "":
		r, err := os.Open(s.path(f.replay))
		if err != nil {
			return nil, nil, usage("run: --replay: %v", err)
		}
		defer r.Close()
		c, err := wrap.ReadCassette(r)
		if err != nil {
			return nil, nil, usage("run: --replay: %v", err)
		}
		return []func(tool.Caller) tool.Caller{c.Play}, nothing, nil
	}
	return nil, nothing, nil
}

// leaver asks whether a plan may be carried out.
func leaver(s streams, yes bool) func(context.Context, string) (tool.Answer, error) {
	if yes {
		return func(context.Context, string) (tool.Answer, error) { return tool.Answer{Yes: true}, nil }
	}
	if !s.terminal().Present() {
		return nil
	}
	return func(ctx context.Context, plan string) (tool.Answer, error) {
		said, err := s.terminal().Ask(ctx, terminal.Question{
			Title:   "The plan",
			Preview: plan,
			Ask:     "Carry it out?",
			Choices: []terminal.Choice{refuse(), agree("Yes", wordYes, "y"), instead()},
		})
		return tool.Answer{Yes: said.Value == wordYes, Note: said.Note}, err
	}
}

// openConversation opens the log of a session, a new one if id is empty.
func openConversation(s streams, id string) (string, *agent.Log, *os.File, error) {
	resumed := id != ""
	if !resumed {
		var b [6]byte
		rand.Read(b[:]) // never fails
		id = hex.EncodeToString(b[:])
	}
	if !helve.SessionID(id) {
		return "", nil, nil, usage("run: --resume %q is no session", printable(id))
	}
	path := filepath.Join(s.places().StateDir, "sessions", id, "conversation.jsonl")
	var past *agent.Log
	if resumed {
		r, err := os.Open(path)
		if err != nil {
			return "", nil, nil, usage("run: --resume %s: there is no such session", id)
		}
		defer r.Close()
		if past, err = agent.Read(r); err != nil {
			return "", nil, nil, usage("run: --resume %s: %v", id, err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", nil, nil, err
	}
	w, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return id, past, w, err
}
