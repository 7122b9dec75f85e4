package app

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve/cmd/internal/command"
)

const cliDoc = "../../../docs/cli.md"

// docs/cli.md is generated from the commands themselves.
func TestTheCommandLineDocIsFresh(t *testing.T) {
	got := commandLineDoc()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(cliDoc, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(cliDoc)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/cli.md is stale: go test ./cmd/internal/app -run CommandLineDoc -update")
	}
}

// Nothing of a command may be left unsaid: a flag without words is a riddle.
func TestEveryCommandAndFlagIsExplained(t *testing.T) {
	for _, cmd := range leaves(rootCommand(&command.Line{})) {
		if cmd.Short == "" {
			t.Errorf("%s has no line of its own", cmd.CommandPath())
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no words", cmd.CommandPath(), f.Name)
			}
		})
	}
}

func commandLineDoc() []byte {
	root := rootCommand(&command.Line{})
	var b bytes.Buffer
	b.WriteString("# The command line\n\n")
	b.WriteString("Generated from the commands; `go test ./cmd/internal/app -run CommandLineDoc -update` writes it anew.\n\n")
	b.WriteString(root.Long + "\n\nData goes to stdout, everything else to stderr. `--json` prints data for programs where a command has it.\n\n")
	b.WriteString("Names and types in that JSON, exit statuses and flags stay as they are within a major version; members may be added. Texts for people may change.\n\n")
	entries(&b, "Exit status", "status", exitStatuses)
	entries(&b, "Environment", "variable", variables)
	entries(&b, "Files", "file", files)
	b.WriteString("## Flags of every command\n")
	flagTable(&b, root.PersistentFlags())
	for _, cmd := range leaves(root) {
		if cmd.Hidden || cmd.Name() == "help" || strings.HasPrefix(cmd.CommandPath(), "helve completion") {
			continue
		}
		document(&b, cmd)
	}
	return b.Bytes()
}

func entries(b *bytes.Buffer, title, what string, list []entry) {
	fmt.Fprintf(b, "## %s\n| %s | meaning |\n|---|---|\n", title, what)
	for _, e := range list {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(e.name, ", ", "`, `"), e.text)
	}
	b.WriteString("\n")
}

func document(b *bytes.Buffer, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n", cmd.CommandPath())
	words := cmd.Long
	if words == "" {
		words = cmd.Short + "."
	}
	fmt.Fprintf(b, "%s\n\n```\n%s\n```\n", words, cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(b, "\nFor example:\n```\n%s\n```\n", unindented(cmd.Example))
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\n")
		flagTable(b, cmd.LocalNonPersistentFlags())
	}
}

func flagTable(b *bytes.Buffer, list *pflag.FlagSet) {
	head := "| flag | meaning | default |\n|---|---|---|\n"
	list.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "dir" {
			return
		}
		b.WriteString(head)
		head = ""
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", strings.TrimSpace(name+" "+value), cell(usage), shown(f))
	})
}

// cell is a text that may stand in a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", "\\|")
}

// shown is a default that means something.
func shown(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "false", "0", "[]", "0s":
		return ""
	}
	return "`" + f.DefValue + "`"
}

func unindented(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, strings.TrimSpace(line))
	}
	return strings.Join(out, "\n")
}
