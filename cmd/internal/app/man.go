package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve/cmd/internal/command"
	"helve/internal/version"
)

func manCommand(c *command.Line) *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Print the manual page, or write one for every command into DIR",
		Args:  command.Between(0, 1, "at most one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := c.Env.Stdout.Write(manPage(cmd.Root()))
				return err
			}
			dir := args[0]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(c.Env.Dir, dir)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return command.Usage("man: %s\nhint: want a folder, which is made where it is missing",
					command.Cause(err))
			}
			written, err := writeManPages(cmd.Root(), dir)
			if err != nil {
				return command.Usage("man: %s", command.Cause(err))
			}
			return c.Streams().Print(fmt.Sprintf("%d pages written to %s; man -l %s shows the first",
				written, dir, filepath.Join(dir, manName(cmd.Root())+".1")))
		},
	}
}

// writeManPages writes helve-mcp-add.1 and its like, and counts them.
func writeManPages(cmd *cobra.Command, dir string) (written int, err error) {
	page := filepath.Join(dir, manName(cmd)+".1")
	if err := os.WriteFile(page, manPage(cmd), 0o644); err != nil {
		return 0, err
	}
	written = 1
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		more, err := writeManPages(sub, dir)
		if err != nil {
			return written, err
		}
		written += more
	}
	return written, nil
}

// manName is a page's name, as readers of manuals type it.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage writes a page in the man(7) macros: what --help says, in the sections that readers of manuals know. Cobra's
// own generator links a reader of Markdown and templates for it.
func manPage(cmd *cobra.Command) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q\n", strings.ToUpper(manName(cmd)), "helve "+version.String())
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	// Groups print their help when they are called alone; both ways to write them are shown.
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, ".br\n.B %s\n<command>\n", roff(cmd.CommandPath()))
	}
	if cmd.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + manText(cmd.Long))
	}
	manCommands(&b, cmd)
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	manEntries(&b, "EXIT STATUS", exitStatuses)
	manEntries(&b, "ENVIRONMENT", variables)
	manEntries(&b, "FILES", files)
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + manText(cmd.Example) + ".fi\n")
	}
	return []byte(b.String())
}

// manCommands lists the commands below a group, each with the page that it has.
func manCommands(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	b.WriteString(".SH COMMANDS\n")
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(b, ".TP\n.BR %s (1)\n%s\n", roff(manName(sub)), roff(sub.Short))
		}
	}
}

// manEntries writes a section of names and what they mean.
func manEntries(b *strings.Builder, title string, list []entry) {
	b.WriteString(".SH " + title + "\n")
	for _, e := range list {
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s", roff(e.name), manText(e.text))
	}
}

// manFlags lists flags as the help has them, without those that are hidden there.
func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		names := "--" + f.Name
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + ", " + names
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(names))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
		}
		b.WriteString("\n" + manText(usage))
	})
}

// manText writes lines of text; blank ones separate paragraphs.
func manText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if strings.TrimSpace(line) == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line))
	}
	return b.String()
}

// roff escapes what the formatter would take for its own: backslashes, dashes that are to be copied, and a dot or
// quote at the beginning of a line. What is not ASCII is named: not every formatter takes UTF-8.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\[u%04X]`, r)
	}
	return b.String()
}
