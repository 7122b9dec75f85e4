// Package rules is the commands that write, show and try rules: helve allow, ask, deny and rules.
package rules

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/engine/tree"
	"helve/internal/config"
	"helve/internal/workspace"
)

// A New rule is one to be written, and the file that it goes to: without Project and User the one that is the
// person's own and of this workspace.
type New struct {
	command.Common
	Decision string // allow, ask or deny
	Rule     string // tool or tool:pattern
	Project  bool   // the project's file, which others get, too
	User     bool   // the user's file, which counts everywhere
}

// Write is the command that writes a rule of one decision.
func Write(decision, does string) func(*command.Line) *cobra.Command {
	return func(c *command.Line) *cobra.Command {
		o := New{Decision: decision}
		var local bool
		cmd := &cobra.Command{
			Use:   decision + " RULE",
			Short: does + ": a tool, or tool:pattern",
			Long: does + `.

RULE is a tool, or tool:pattern: a glob on paths, words of a command, a host. It is written behind
the rules of .helve/config.local.*, which is yours and of this workspace: the last rule of a file
that fits counts, and a deny of any file stands. "helve rules try" shows what it would change.`,
			Example: fmt.Sprintf(`  helve %s 'bash:go test *'
  helve %[1]s 'read:secrets/**' --project
  helve %[1]s 'fetch:*.go.dev' --user`, decision),
			Args: one(decision),
			RunE: func(cmd *cobra.Command, args []string) error {
				o.Common, o.Rule = c.Flags.Common, args[0]
				return o.print(cmd.Context(), c.Streams())
			},
		}
		cmd.Flags().BoolVar(&local, "local", false,
			"into .helve/config.local.*, yours and of this workspace (the default)")
		cmd.Flags().BoolVar(&o.Project, "project", false, "into .helve/config.*, which stands in the repository")
		cmd.Flags().BoolVar(&o.User, "user", false, "into your own file, for every workspace")
		cmd.MarkFlagsMutuallyExclusive("local", "project", "user")
		return cmd
	}
}

// one wants one rule. Several words are a rule that a shell took apart, or a question for a model.
func one(decision string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return command.Usage("%s: want a tool, or tool:pattern\nhint: helve %[1]s 'bash:go test *'", decision)
		}
		all := strings.Join(args, " ")
		if ours := fromBrackets(all); ours != "" {
			return command.Usage("%s: %q is another program's form of a rule\nhint: helve %[1]s '%[3]s'",
				decision, command.Brief(all), command.Brief(ours))
		}
		tool, _, patterned := strings.Cut(all, ":")
		switch sentence := strings.ContainsAny(tool, " \t\n"); {
		case decision == "ask" && sentence && !patterned:
			return command.Usage("ask: %q is no tool and no tool:pattern\nhint: helve run %[1]q asks a model",
				command.Brief(all))
		case sentence || len(args) > 1:
			return command.Usage("%s: want one rule, got %q\nhint: quote it: helve %s '%s'",
				decision, command.Brief(all), decision, command.Brief(ruleOf(all)))
		}
		return nil
	}
}

// bracketed is a rule as Claude Code and others write it: Bash(git push:*), Read(./.env), WebFetch(domain:go.dev).
var bracketed = regexp.MustCompile(`^([A-Za-z_]+)\(([^()]*)\)?$`)

// fromBrackets is such a rule in our form; "" where it is none.
func fromBrackets(rule string) string {
	m := bracketed.FindStringSubmatch(rule)
	if m == nil {
		return ""
	}
	name, pattern := strings.ToLower(m[1]), m[2]
	name = cmp.Or(map[string]string{"webfetch": "fetch", "multiedit": "multi_edit"}[name], name)
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "domain:"), "./")
	if words, any := strings.CutSuffix(pattern, ":*"); any {
		pattern = words + " *"
	}
	return strings.TrimSuffix(name+":"+pattern, ":")
}

// ruleOf is the rule that words may have been meant as: bash go test is bash:go test.
func ruleOf(words string) string {
	if strings.Contains(words, ":") {
		return words
	}
	return strings.Replace(words, " ", ":", 1)
}

// print writes the rule, and says what came of it.
func (o New) print(ctx context.Context, s command.Streams) error {
	file, odd, err := o.Write(ctx, s)
	if err != nil {
		return err
	}
	for _, f := range odd {
		s.Note("warning: %s", command.Printable(f.Message))
	}
	if dir, err := o.Folder(s); err == nil {
		o.sayIfShared(ctx, s, dir, file)
		number, texts := o.against(s, dir, file)
		for _, text := range texts {
			s.Note("warning: %s", command.Printable(text))
		}
		if len(odd) > 0 && number > 0 {
			s.Note("hint: helve rules rm %d takes it out again", number)
		}
	}
	return s.Print(command.Printable(o.Decision + " " + o.Rule + "  (" + file + ")"))
}

// Write writes the rule, unless it can mean nothing, or would not count. It returns the file, and what there is to say
// of the rule there.
func (o New) Write(ctx context.Context, s command.Streams) (file string, odd []workspace.Finding, err error) {
	dir, err := o.Folder(s)
	if err != nil {
		return "", nil, err
	}
	if file, err = o.file(s, dir); err != nil {
		return "", nil, err
	}
	edit := func(before *config.Config) (config.Edit, error) {
		if err := o.mayWrite(before); err != nil {
			return config.Edit{}, err
		}
		made, err := config.AddRule(s.Places(), file, o.Decision, o.Rule, func(e config.Edit) (err error) {
			odd, err = o.judge(ctx, s, e)
			return err
		})
		if err != nil {
			return config.Edit{}, command.Misused(err)
		}
		return made, nil
	}
	if o.User {
		_, err = edit(nil)
	} else {
		err = o.Change(s, dir, edit)
	}
	return file, odd, err
}

// mayWrite refuses a rule that would not count: a configuration that is not trusted loosens nothing.
func (o New) mayWrite(before *config.Config) error {
	trusted := before != nil && (before.Trusted || !before.Project)
	if o.Decision != "allow" || o.User || trusted {
		return nil
	}
	return command.Usage("allow: nothing was written: %s, where no rule loosens\nhint: %s '%s'",
		"the configuration of this workspace is not trusted",
		"read it and say helve trust, or for all workspaces: helve allow --user", o.Rule)
}

// file is where the rule goes.
func (o New) file(s command.Streams, dir string) (string, error) {
	switch {
	case o.User && o.Config != "":
		return s.Path(o.Config), nil
	case !o.User && !o.Project:
		return config.LocalFile(dir), nil
	}
	file, err := s.Places().File(dir, o.User)
	if err != nil {
		return "", command.Misused(err)
	}
	return file, nil
}

// sayIfShared tells of a local file that git does not ignore: it would be committed with everything else.
func (o New) sayIfShared(ctx context.Context, s command.Streams, dir, file string) {
	if o.User || o.Project {
		return
	}
	seen, inGit := false, false
	options := tree.Options{Hidden: true, Depth: 2, Workers: 1, GlobalIgnore: tree.GitIgnoreFile(s.Getenv)}
	_, err := tree.Walk(ctx, dir, options, func(_ int, d *tree.Dir) error {
		for _, f := range d.Files {
			seen = seen || filepath.Join(dir, d.Path, f.Name) == file
		}
		inGit = inGit || d.Path == ".git/"
		return nil
	})
	if err == nil && seen && inGit {
		shown := command.Printable(rel(dir, file))
		s.Note("note: git does not ignore %s: add it to .gitignore or .git/info/exclude", shown)
	}
}

// rel is a file as people name it: from the workspace, where it lies in it.
func rel(dir, file string) string {
	if r, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(r) {
		return r
	}
	return file
}
