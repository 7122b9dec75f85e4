package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/arguments.md anew")

const argumentsDoc = "../../docs/arguments.md"

// A line is one rule of what models write wrong, with the cases that show it.
type line struct {
	rule  string
	cases []string
}

var (
	mendLines = []line{
		{"an array or an object given as a string", []string{"array given as a string", "object given as a string", "object given as Python text"}},
		{"all arguments as a string", []string{"all arguments as a string", "all arguments encoded twice"}},
		{"digits as text for a number", []string{"digits for an integer", "digits for a number"}},
		{"10.0 for an integer", []string{"a whole decimal", "a whole power"}},
		{"a truth as text", []string{"a truth in words", "a truth in Python's words"}},
		{"True, False and None", []string{"Python literals"}},
		{"null for an optional parameter", []string{"null for an optional"}},
		{"one value for a list of text", []string{"a scalar for a list", "a glob for a list"}},
		{"one object for a list of objects", []string{"an object for a list"}},
		{"a trailing comma", []string{"trailing comma", "trailing comma in a list"}},
		{"single quotes", []string{"single quotes"}},
		{"names without quotes", []string{"names without quotes"}},
		{"a code fence", []string{"code fence", "code fence on one line"}},
		{"a raw line end in a string", []string{"raw line break in a string"}},
		{"a missing closing brace", []string{"missing brace", "missing brackets"}},
		{"the case of a listed value", []string{"case of an enum"}},
		{"a name that means nothing for the work", []string{"a reason for the call", "a reason inside", "a note of the protocol"}},
		{"a name in camel or wrong case", []string{"camel case", "wrong case"}},
		{"a name with a character that nobody sees", []string{"a name with a character that nobody sees", "another name with such a character"}},
		{"a known other name", []string{"alias", "alias beside the same"}},
		{"arguments in one more object, where no parameter is called so", []string{"wrapped", "wrapped with a name"}},
		{"a number for text", []string{"a number for text", "a long number for text"}},
		{"an escape that JSON has not", []string{"an escape that is none", "half a surrogate"}},
		{"a whole number beyond 2^53", []string{"beyond 2^53"}},
	}
	goodLines = []line{
		{"null where the schema takes it", []string{"null where it may be"}},
		{"true as text", []string{"true as text"}},
		{"JSON text meant as a string", []string{"JSON as a file's content"}},
		{"a whole number beyond 2^53", []string{"beyond 2^53"}},
	}
	refusalLines = []line{
		{"cut off inside a string", []string{"cut off inside a string", "cut off after a backslash", "text cut off inside"}},
		{"a value that is not listed", []string{"unknown enum", "near enum"}},
		{"a required parameter is missing", []string{"missing required", "null for a required"}},
		{"an object for text", []string{"an object for text"}},
		{"one key twice", []string{"duplicate keys", "duplicate keys, loosely"}},
		{"two objects in a row", []string{"two objects", "two objects with a comma"}},
		{"letters or a fraction for an integer", []string{"letters for an integer", "a fraction for an integer", "a fraction in text"}},
		{"NaN and infinity", []string{"NaN", "minus infinity"}},
		{"a slip in a name", []string{"a slip in a name"}},
		{"a name that no parameter has", []string{"an unknown name", "an unknown name inside", "a name that looks like a path"}},
		{"a letter of another alphabet", []string{"a letter of another alphabet"}},
		{"one parameter twice, with two values", []string{"an alias beside another value", "two spellings of one"}},
	}
)

const argumentsHead = `# Arguments: the contract

Nothing that a call asks for is ignored. This holds for every tool of every origin, over Go, MCP, the command line and the agent.

1. **Names that mean nothing for the work are left out in silence:** explanation, reason, reasoning, rationale, thought, thinking,
   purpose, intent, summary, justification, comment, note, description, title and _meta, the others also with an underscore before
   them. Where the tool has such a parameter it is one.
2. **Another name for a parameter, or another way to say what it says, is translated and noted:** timeout_seconds is timeout in
   milliseconds, view_range is start_line and end_line. Which ones a tool knows is data of its definition (Spec.Params,
   Spec.Translate). A value that cannot be translated, or that stands beside another one for the same parameter, is refused.
3. **Every other name is refused,** with a validation error that names it, the parameters that there are, and the nearest. One
   exception: a tool of ours that only reads goes on without it, and the first line that the model reads says so:
   [ignored: "foo" is no parameter of grep]; where such a call fails, the error stands before that line. A slip in a name is refused there, too.
4. **What was repaired or ignored is told:** to the model in the result, what was repaired in its last line; to the person beside the
   preview, which shows the repaired call; to programs in Result.Repairs, which is metadata.repairs on the command line and
   helve/repairs in the _meta of a result over MCP, an array of texts. It is the repaired call that is judged, shown for approval
   and run.
5. **A tool from elsewhere whose schema takes other names gets them untouched;** one whose schema forbids them is never called with
   them: helve refuses, in the same words, also where it says that it only reads.
6. **Lines count from 1** in results and in start_line and end_line of read, both ends included. Its offset counts from 0; a result
   says which lines it has.

Values are changed only where the schema's type says so; a string for a string parameter is never read as anything else.

Generated by ` + "`go test ./engine/schema -run Line -update`" + ` from the tests themselves: each line of the tables is a case that runs.

The parameters of these examples: file_path (text, required; also known as path), limit (whole number), ratio (number), all (truth),
mode (plan or ask), names (list of text), counts (list of whole numbers), edits (list of objects with old and replace_all), options
(object), maybe (whole number or null), either (text or whole number), free (anything).

`

const argumentsTail = `
## Names of tools
Another case, spelling or prefix that means one tool only is that tool: ` + "`Read`, `functions.read`, `fs.list_dir` for `mcp__fs__list_dir`" + `. A slip is suggested and never run; a tool that is
switched off says which layer did it, and no other is taken in its place; a name that two servers have is ambiguous, and both are named; a tool that a list does not show
answers wrong arguments with its schema (tool/kit_test.go, tool/show_test.go).

## A failed call
What went wrong is read in one form: ` + "`Error: NAME: WORDS.`" + `, with the name under which the tool was called, and the next step on the line below. The model reads it first, a person
in place of the result, a program in error.message. It is made in one place (tool.Error), also for the errors of tools that are added from Go. Some sentences are older than the form and
programs match them, so they stand as they are: a tool that does not exist, is disabled, ambiguous or not allowed; arguments that are no JSON; Parameter validation failed; Tool execution
failed; File not found and Path is a directory of read and write; old_string not found and Multiple matches of edit; what bash says of its command. What a server or a discovered
command says of its own failure stands as it said it (failures_test.go).
`

// Every line of the table has its cases, each of which runs in the tests beside; the document is made of them.
func TestEveryLineOfTheRepairTableIsATest(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(argumentsHead)
	b.WriteString("## Repaired\n| what models write | example | becomes | noted |\n|---|---|---|---|\n")
	for _, l := range mendLines {
		for _, name := range l.cases {
			i := slices.IndexFunc(mends, func(m struct{ name, args, want, note string }) bool { return m.name == name })
			if i < 0 {
				t.Errorf("%s: no case %q", l.rule, name)
				continue
			}
			_, notes, err := mustParse(t, repairSchema).Repair(json.RawMessage(mends[i].args), repairAliases)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l.rule, code(mends[i].args), code(mends[i].want), cell(strings.Join(notes, "; ")))
		}
	}
	b.WriteString("\n## Left alone\n| what models write | example |\n|---|---|\n")
	for _, l := range goodLines {
		for _, name := range l.cases {
			if good[name] == "" {
				t.Errorf("%s: no case %q", l.rule, name)
			}
			fmt.Fprintf(&b, "| %s | %s |\n", l.rule, code(good[name]))
		}
	}
	b.WriteString("\n## Refused\n| what models write | example | the model reads |\n|---|---|---|\n")
	for _, l := range refusalLines {
		for _, name := range l.cases {
			i := slices.IndexFunc(refusals, func(r struct{ name, args, want string }) bool { return r.name == name })
			if i < 0 {
				t.Errorf("%s: no case %q", l.rule, name)
				continue
			}
			_, _, err := mustParse(t, repairSchema).Repair(json.RawMessage(refusals[i].args), repairAliases)
			if err == nil {
				t.Errorf("%s: taken", name)
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", l.rule, code(refusals[i].args), cell(err.Error()))
		}
	}
	b.WriteString(argumentsTail)
	fresh(t, b.Bytes())
}

// byHand begins what is written by hand at the end of the page.
const byHand = "\n## What is weaker than it should be\n"

func fresh(t *testing.T, got []byte) {
	t.Helper()
	page, err := os.ReadFile(argumentsDoc)
	if err != nil {
		t.Fatal(err)
	}
	want := page
	if i := bytes.Index(page, []byte(byHand)); i >= 0 {
		want = page[:i]
	}
	if *update {
		if err := os.WriteFile(argumentsDoc, slices.Concat(got, page[len(want):]), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/arguments.md is stale: go test ./engine/schema -run Line -update")
	}
}

// code is a text as code in a cell of a table.
func code(s string) string {
	s = strings.NewReplacer("\n", "⏎", "\t", "⇥", "|", "\\|", "\u200b", `\u200b`, "\u2060", `\u2060`, "\u00ad", `\u00ad`, "\u200d", `\u200d`).Replace(s)
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

func cell(s string) string { return strings.NewReplacer("\n", " ", "|", "\\|", "<", "&lt;").Replace(s) }
