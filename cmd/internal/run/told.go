package run

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/engine/sandbox"
	"helve/internal/git"
	"helve/internal/visible"
	"helve/internal/workspace"
	"helve/server"
)

// ownWords are what every model is told first. How each tool is used stands in its description.
//
//go:embed prompt.md
var ownWords string

// longestName bounds a name from outside in the prompt, in bytes.
const longestName = 100

// surroundings say where the model works, in one line.
func surroundings(s command.Streams, dir string, now time.Time) string {
	name := func(text string) string {
		return visible.Line(strings.ToValidUTF8(text[:min(len(text), longestName)], ""))
	}
	line := fmt.Sprintf("Folder: %s. System: %s %s. Shell: %s. Date: %s.", name(filepath.Base(dir)),
		runtime.GOOS, runtime.GOARCH, shellName(s.Environ), now.Format(time.DateOnly))
	head, underWay := git.Head(dir)
	if head == "" {
		return line
	}
	line += " Git: " + name(head)
	if underWay != "" {
		line += ", a " + underWay + " under way"
	}
	return line + "."
}

// shellName is the shell that runs the model's commands.
func shellName(environ []string) string {
	_, err := sandbox.LookPath("bash", environ)
	switch {
	case err == nil:
		return "bash"
	case runtime.GOOS == "windows":
		return "powershell"
	}
	return "none"
}

// told is what the model is told first, and what of it comes from files.
type told struct {
	before, after []string // what stands around that
	memory        asking.Memory
}

// system is all of it.
func (t told) system() string {
	var whole []string
	for _, part := range slices.Concat(t.before, []string{t.memory.Text()}, t.after) {
		if part = strings.Trim(part, "\n"); part != "" {
			whole = append(whole, part)
		}
	}
	return strings.Join(whole, "\n\n")
}

// tell gathers what the model is told. ask tells that the person may be asked about files that they have not trusted.
func (o runOptions) tell(ctx context.Context, s command.Streams, ws *workspace.Assembly, ask bool) (t told, err error) {
	if !o.noMemory {
		t.memory, err = asking.ReadMemory(ctx, s, asking.MemoryOptions{
			Dir: ws.Dir(), Values: o.memory, Trusted: o.Trusts(), Ask: ask,
		})
		if err != nil {
			return t, err
		}
	}
	own := ownWords
	if o.systemFile != "" {
		b, err := readGiven(s, "--system-prompt-file", o.systemFile, maxSystem)
		if err != nil {
			return t, err
		}
		own = string(b)
	}
	t.before = []string{own, surroundings(s, ws.Dir(), time.Now())}
	t.after = []string{server.QuoteInstructions(ws.Instructions()), o.systemMore, o.form.words()}
	return t, nil
}
