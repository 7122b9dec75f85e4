package clientproof

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helve/internal/spawn"
)

// proof looks at what the client told the model, and at what stands on the disk.
func (r *run) proof(ctx context.Context) *Proof {
	return &Proof{Denied: r.denied(), Rewritten: r.rewritten(), Undone: r.undone(ctx)}
}

// result is what the model heard of the n-th call; false: nothing, and the finding says why.
func (r *run) result(n int) (string, Finding, bool) {
	switch {
	case len(r.results) > n:
		return r.results[n], Finding{}, true
	case r.missing != "":
		return "", Finding{Unknown, "the client offers its model no tool " + r.missing}, false
	}
	why := "the client ended without that call"
	if r.late {
		why = "the client made no such call within " + Limit.String()
	}
	if said := lastLine(r.said); said != "" {
		why += "; it said: " + said
	}
	return "", Finding{Unknown, why}, false
}

// maxWords bounds what is shown of what a client says, in bytes: a line or two.
const maxWords = 300

// lastLine is the last line of a text that has words.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return short(text)
}

// short is a text in one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "") + " …"
	}
	return text
}

func (r *run) stands(name string) bool {
	_, err := os.Lstat(filepath.Join(r.dir, name))
	return err == nil
}

// denied is about the command that would delete the repository.
func (r *run) denied() Finding {
	if !r.stands(".git/HEAD") {
		return Finding{Fails, "a command that deletes the repository ran"}
	}
	text, why, ok := r.result(0)
	switch {
	case !ok:
		return why
	case !strings.Contains(text, "helve"):
		const words = "a command that deletes the repository was not refused by helve; its model read: "
		return Finding{Fails, words + short(text)}
	}
	return Finding{Proven, "a command that deletes the repository was refused, and its model read why"}
}

// rewritten is about the command that helve exec runs.
func (r *run) rewritten() Finding {
	text, why, ok := r.result(1)
	_, err := os.Lstat(filepath.Join(r.home, outside))
	leaked := err == nil
	switch {
	case !ok:
		return why
	case !r.stands(ran) || !strings.Contains(text, "did it"):
		return Finding{Fails, "a harmless command did not run; its model read: " + short(text)}
	case r.client.judged != "":
		return Finding{Unknown, "commands are judged only: " + r.client.judged}
	case r.Judged != "":
		return Finding{Unknown, "commands are judged only: " + r.Judged}
	case leaked:
		return Finding{Fails, "a command ran unconfined, not by helve exec"}
	}
	return Finding{Proven, "a command ran by helve exec: in the workspace it wrote, outside it could not"}
}

// mostUndos bounds how many calls are taken back: those of the conversation.
const mostUndos = 3

// undone is about the edit.
func (r *run) undone(ctx context.Context) Finding {
	text, why, ok := r.result(2)
	switch {
	case !ok:
		return why
	case !r.stands(made):
		return Finding{Fails, "a harmless edit was not made; its model read: " + short(text)}
	}
	said := ""
	for range mostUndos {
		if !r.stands(made) {
			return Finding{Proven, "helve undo took an edit back"}
		}
		said = r.undo(ctx)
	}
	if !r.stands(made) {
		return Finding{Proven, "helve undo took an edit back"}
	}
	return Finding{Fails, "helve undo did not take an edit back: " + said}
}

// undo runs helve undo once, and returns its last words.
func (r *run) undo(ctx context.Context) string {
	return (&run{Trial: &Trial{Program: r.Helve}, dir: r.dir, env: r.env}).words(ctx, "undo", "--yes")
}

// words runs a program and returns its last words.
func (r *run) words(ctx context.Context, words ...string) string {
	var said strings.Builder
	argv := append([]string{r.Program}, words...)
	p, err := spawn.Start(spawn.Spec{Argv: argv, Dir: r.dir, Env: r.env, Stderr: &said})
	if err != nil {
		return err.Error()
	}
	p.Stdin.Close()
	defer p.End(time.Second)
	select {
	case <-p.Done(): // all that it said was read
		return lastLine(said.String())
	case <-ctx.Done():
		return "it was not done in time"
	}
}
