package bash

import (
	"path/filepath"
	"slices"
	"strings"

	"helve/builtin/internal/folders"
	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/internal/resolved"
	"helve/tool"
)

// maxMentions bounds how many words of a command line are looked up as names of files: rules are asked about each.
const maxMentions = 1000

// explained is the line for policies, which know nothing of shells.
func (w *Commands) explained(c *command) *tool.CommandLine {
	a := c.line
	out := &tool.CommandLine{
		Text:     c.in.Command,
		Decision: tool.Ask,
		Reason:   a.Reason,
	}
	if a.Err != nil {
		out.Reason = a.Err.Error()
		return out
	}
	switch a.Verdict { // Whole: a rule that allows each of the commands allows the line
	case shell.ReadOnly:
		out.Decision, out.Whole = tool.Allow, true
	case shell.Catastrophic:
		out.Decision = tool.Deny
	default:
		out.Whole = a.Covered([]string{"*"})
		out.Tried = c.tried != nil
		if c.more { // rules on its commands allowed it, and more is asked for
			out.Whole = false
		}
		out.Gap = c.through
		out.Held = c.through == "" && c.open == "" && c.confine.Level == sandbox.WorkspaceWrite
	}
	objects := shell.UsesGit(a.Commands)
	for _, s := range a.Commands {
		out.Commands = append(out.Commands, tool.SimpleCommand{
			Words:    s.Words,
			Program:  s.Program,
			Static:   s.Static,
			Wrapped:  s.Wrapped,
			ReadOnly: s.Verdict == shell.ReadOnly,
			Unread:   s.Unread,
		})
		words := s.Words
		if objects { // what git keeps of a file is as the file
			for _, word := range s.Words {
				words = append(slices.Clip(words), shell.Objects(word)...)
			}
		}
		out.Mentions = append(out.Mentions, w.mentions(c, words)...)
	}
	out.Mentions = out.Mentions[:min(len(out.Mentions), maxMentions)]
	return out
}

// mentions are the words of a simple command that may name files, as targets. Options count by their value.
func (w *Commands) mentions(c *command, words []string) []string {
	var out []string
	for i, word := range words {
		if _, value, ok := strings.Cut(word, "="); ok {
			word = value
		}
		option := word == "" || strings.HasPrefix(word, "-")
		if i == 0 || option || strings.ContainsAny(word, "\n\x00") { // the program itself; what names no file
			continue
		}
		if rest, ok := strings.CutPrefix(word, "~/"); ok {
			word = filepath.Join(w.Getenv("HOME"), rest)
		}
		if !filepath.IsAbs(word) {
			word = filepath.Join(c.dir.Abs(), word)
		}
		out = append(out, w.target(word))
	}
	return out
}

// target is an absolute path as the target of an effect: from its root where it lies in one.
func (w *Commands) target(abs string) string {
	for _, r := range w.Files.Roots() {
		if rel, ok := resolved.Below(r.Dir(), abs); ok {
			return folders.RootPrefix(r) + filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(abs)
}
