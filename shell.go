package helve

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"helve/engine/shell"
	"helve/policy"
	"helve/tool"
)

// maxMentions bounds how many words of a command line are looked up as names of files.
const maxMentions = 1000

// understand explains command lines to the policy. root is the workspace's folder.
func understand(root, home string) func(string, *tool.Job) policy.CommandLine {
	return func(line string, j *tool.Job) policy.CommandLine {
		dir := startDir(root, j)
		a := shell.Analyze(line, shell.Options{Dir: dir, Roots: []string{root}, Home: home})
		out := policy.CommandLine{Decision: tool.Ask, Reason: a.Reason}
		switch {
		case a.Err != nil:
			out.Reason = a.Err.Error()
			return out
		case a.Verdict == shell.ReadOnly:
			out.Decision, out.Whole = tool.Allow, true
		case a.Verdict == shell.Catastrophic:
			out.Decision = tool.Deny
		default:
			out.Whole = a.Covered([]string{"*"})
		}
		for _, c := range a.Commands {
			out.Commands = append(out.Commands, policy.Command{
				Words:    c.Words,
				Program:  c.Program,
				Static:   c.Static,
				Wrapped:  c.Wrapped,
				ReadOnly: c.Verdict == shell.ReadOnly,
			})
			out.Mentions = append(out.Mentions, mentions(root, dir, home, c.Words)...)
		}
		out.Mentions = out.Mentions[:min(len(out.Mentions), maxMentions)]
		return out
	}
}

// startDir is where the command starts: its own argument, below the call's folder.
func startDir(root string, j *tool.Job) string {
	dir := root
	if j.Call == nil {
		return dir
	}
	if filepath.IsAbs(j.Call.Dir) {
		dir = j.Call.Dir
	}
	var in struct {
		Dir string `json:"working_directory"`
	}
	if json.Unmarshal(j.Call.Args, &in) == nil && in.Dir != "" {
		if filepath.IsAbs(in.Dir) {
			return filepath.Clean(in.Dir)
		}
		dir = filepath.Join(dir, in.Dir)
	}
	return dir
}

// mentions are the words of a command as targets, from the root where they lie below it. Options count by their value.
func mentions(root, dir, home string, words []string) []string {
	var out []string
	for i, w := range words {
		if _, value, ok := strings.Cut(w, "="); ok {
			w = value
		}
		if i == 0 || w == "" || strings.HasPrefix(w, "-") || strings.ContainsAny(w, "\n\x00") {
			continue
		}
		if rest, ok := strings.CutPrefix(w, "~/"); ok {
			w = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(w) {
			w = filepath.Join(dir, w)
		}
		if rel, ok := inside(root, w); ok {
			w = rel
		}
		out = append(out, filepath.ToSlash(w))
	}
	return out
}
