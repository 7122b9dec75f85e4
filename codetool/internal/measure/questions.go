package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"helve/codetool"
	"helve/internal/tokens"
	"helve/tool"
)

// A task is a question that somebody has about a project, and the calls by which the two sets of tools answer it.
type task struct {
	Ask      string
	Want     []string // what the answers together must have
	Eighteen []call
	Eight    []call
}

type call struct {
	Tool string
	Args map[string]any
}

// maxPages bounds the pages that are asked for until an answer has what is wanted.
const maxPages = 20

// cost is what the answer to a task took.
type cost struct{ calls, tokens int }

// questions answers the tasks of a file with both sets, and prints what each took.
func questions(ctx context.Context, out io.Writer, x *codetool.Index, dir, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var tasks []task
	err = json.Unmarshal(text, &tasks)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	registry := &tool.Registry{}
	err = registry.Add(codetool.All(x)...)
	if err != nil {
		return err
	}
	a := asking{ctx: ctx, kit: registry.Kit(tool.KitOptions{}), dir: dir}
	var eighteen, eight cost
	for _, t := range tasks {
		old, new := a.answer(t.Eighteen, t.Want), a.answer(t.Eight, t.Want)
		if a.err != nil {
			return fmt.Errorf("%s: %w", t.Ask, a.err)
		}
		fmt.Fprintf(out, "| %s | %d, %d | %d, %d |\n", t.Ask, old.calls, old.tokens, new.calls, new.tokens)
		eighteen = cost{eighteen.calls + old.calls, eighteen.tokens + old.tokens}
		eight = cost{eight.calls + new.calls, eight.tokens + new.tokens}
	}
	fmt.Fprintf(out, "| all %d | %d, %d | %d, %d |\n",
		len(tasks), eighteen.calls, eighteen.tokens, eight.calls, eight.tokens)
	return nil
}

// An asking makes the calls of tasks.
type asking struct {
	ctx context.Context
	kit *tool.Kit
	dir string
	err error // of the first call that failed, or why an answer does not have what is wanted
}

var cursors = regexp.MustCompile(`\[truncated: .*?cursor (\S+)\]`)

// answer makes the calls, each with further pages as long as something is wanted. Calls and answers both cost tokens.
func (a *asking) answer(calls []call, want []string) cost {
	var all strings.Builder
	var c cost
	missing := func() string { return firstMissing(all.String(), want) }
	for i, one := range calls {
		for range maxPages {
			args, text := a.call(one)
			if a.err != nil {
				return c
			}
			all.WriteString(text + "\n")
			c.calls++
			c.tokens += tokens.Count(one.Tool+args) + tokens.Count(text)
			next := cursors.FindStringSubmatch(text)
			if next == nil || i < len(calls)-1 || missing() == "" {
				break
			}
			one = one.at(next[1])
		}
	}
	if w := missing(); w != "" && a.err == nil {
		a.err = fmt.Errorf("%v: no answer has %q:\n%s", calls, w, all.String())
	}
	return c
}

// firstMissing is the first of what is wanted that a text does not have, or "".
func firstMissing(text string, want []string) string {
	for _, w := range want {
		if !strings.Contains(text, w) {
			return w
		}
	}
	return ""
}

// at is the call for the page at a cursor.
func (c call) at(cursor string) call {
	args := map[string]any{"cursor": cursor}
	for k, v := range c.Args {
		if k != "cursor" {
			args[k] = v
		}
	}
	return call{c.Tool, args}
}

// call makes one call; its arguments and its answer as text.
func (a *asking) call(c call) (args, text string) {
	raw, err := json.Marshal(c.Args)
	if err != nil {
		a.err = err
		return "", ""
	}
	r, err := a.kit.Call(a.ctx, &tool.Call{Name: c.Tool, Args: raw, Dir: a.dir})
	switch {
	case err != nil:
		a.err = err
	case r.Err != nil:
		a.err = errors.New(r.Text())
	default:
		text = r.Text()
	}
	return string(raw), text
}
