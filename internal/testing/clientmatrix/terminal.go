package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A sitting is how a person uses a client at a terminal: what it shows, and the keys that answer.
type sitting struct {
	args   []string          // of the program
	home   map[string]string // files by which it knows the person and trusts the folder, $W being the workspace
	greets []greeting        // what it shows before it takes a prompt
	ready  string            // what it shows when it does
	asks   string            // what its question shows, the person's answers behind it
	edits  string            // what its question about an edit shows
	yes    []string          // the keys for them
	no     []string
	over   string // what it shows when a no has ended its turn
	mute   bool   // it does not tell its model of a no
}

// A greeting is a question of a client at its start.
type greeting struct {
	shows string
	keys  []string
}

// A scene is one call of the client's at a terminal, of its shell where nothing else is said.
type scene struct {
	act   string // a key of ways; "": shell
	args  []string
	line  string   // the command, or what the question about another call shows
	shown []string // in the question, if there has to be one
	yes   bool     // the answer to it
	is    verdict
	want  string // in what the model reads
}

// askRules are helve's configuration at a terminal.
const askRules = `{"rules": [{"ask": "bash:sh asked.sh *"}]}
`

// scenes are the calls of one conversation at a terminal, in which helve exec is what a client shows of a line that
// helve runs.
func scenes(ws string) []scene {
	ran := func(line, n string, shown ...string) scene {
		return scene{line: line, shown: shown, yes: true, is: confined, want: "did " + n}
	}
	return []scene{
		ran("sh probe.sh 1", "1", "helve exec", "sh probe.sh 1"),
		{line: "rm -rf .git", is: refused, want: "repository"},
		ran("sh asked.sh 2", "2", "helve exec", "sh asked.sh 2", "the configuration asks for approval"),
		{line: "sh asked.sh 3", shown: []string{"helve exec", "sh asked.sh 3"}, is: refused},
		ran("sh asked.sh 4", "4", "helve exec", "sh asked.sh 4"),
		{line: "cat .env", shown: []string{"secret"}, is: refused},
		ran("sh probe.sh 6", "6", "helve exec", "sh probe.sh 6"),
		{act: "read", args: []string{filepath.Join(ws, "a.txt")}, line: "a.txt", is: runs, want: "alpha"},
		{act: "edit", args: []string{filepath.Join(ws, "a.txt"), "beta", "gamma"}, line: "a.txt", yes: true, is: runs},
	}
}

// terminalRow is a line of the table of terminals.
const terminalRow = "%-12s %-9s %-6v %-6v %-8v %-12v %-6s %s\n"

func terminalHeader() []any {
	return []any{"client", "version", "calls", "asked", "as said", "refused ran", "undo", "seconds"}
}

// terminalLine has a person use a client at a terminal, and prints its line.
func (l lab) terminalLine(ctx context.Context, c client, wanted bool) bool {
	version, err := l.version(ctx, c)
	if err != nil {
		fmt.Printf("%-12s does not run here: %v\n", c.name, err)
		return !wanted
	}
	began := time.Now()
	t := &trial{lab: l, c: c, name: "terminal", rules: askRules}
	defer t.serve()()
	defer func() { endLeft(t.home) }()
	p := &person{trial: t, sitting: *c.sits}
	undone := "-"
	if err := t.prepare(ctx); err != nil {
		t.fails("%v", err)
	} else {
		p.scenes = scenes(t.ws)
		p.sit(ctx)
		undone = p.undo(ctx)
	}
	cells := []any{c.name, version, t.calls, p.asked, t.asSaid, t.denials, undone}
	fmt.Printf(terminalRow, append(cells, fmt.Sprintf("%.0f", time.Since(began).Seconds()))...)
	for _, why := range t.wrong {
		fmt.Println("    " + strings.ReplaceAll(why, "\n", "\n    "))
	}
	return len(t.wrong) == 0
}

// A person sits at a client's terminal, which is one of tmux.
type person struct {
	*trial
	sitting
	scenes []scene
	socket string
	asked  int
}

const (
	// maxScene is how long one call may take, from the model's word to its result: a busy machine needs ten seconds.
	maxScene = time.Minute
	// glance is how often the person looks at the screen.
	glance = 100 * time.Millisecond
	// hand is how long a person waits before keys: what is drawn may not listen yet.
	hand = 300 * time.Millisecond
)

// sit leads the conversation.
func (p *person) sit(ctx context.Context) {
	m := &model{}
	for _, s := range p.scenes {
		d := deed{act: s.act, args: s.args, want: s.want}
		if s.act == "" {
			d.act, d.args = "shell", []string{s.line}
		}
		next, _ := ownTools()[p.c.name].task(d)
		m.tasks = append(m.tasks, next)
	}
	p.now.Store(m)
	if err := p.begin(ctx); err != nil {
		p.fails("%v", err)
		return
	}
	defer p.end()
	if err := p.says(ctx, m, prompt); err != nil {
		p.fails("%v, but the terminal shows\n%s", err, p.screen(ctx))
		return
	}
	for i := range p.scenes {
		if err := p.play(ctx, m, i); err != nil {
			p.fails("%s: %v, but the terminal shows\n%s", p.scenes[i].line, err, p.screen(ctx))
			return
		}
	}
}

// begin starts the client, and answers what it asks before it takes a prompt.
func (p *person) begin(ctx context.Context) error {
	files := map[string]string{}
	for name, text := range p.sitting.home {
		files[name] = strings.ReplaceAll(text, "$W", p.ws)
	}
	if err := p.knows(files); err != nil {
		return err
	}
	p.socket = filepath.Join(filepath.Dir(p.trial.home), "tmux")
	line := "exec " + quoted(append([]string{p.bin(p.c)}, p.args...))
	if err := p.tmux(ctx, "new-session", "-d", "-x", "200", "-y", "100", "-c", p.ws, line); err != nil {
		return err
	}
	greets := slices.Clone(p.greets)
	return p.until(ctx, p.ready, func(screen string) bool {
		for i, g := range greets {
			if strings.Contains(screen, g.shows) {
				p.press(ctx, g.keys...)
				greets = slices.Delete(greets, i, i+1)
				return false
			}
		}
		return strings.Contains(screen, p.ready)
	})
}

// knows adds to the client's files in the home; those in JSON are joined with what stands there.
func (p *person) knows(files map[string]string) error {
	for name, text := range files {
		old := strings.TrimSpace(contents(filepath.Join(p.trial.home, name))[filepath.Join(p.trial.home, name)])
		if rest, ok := strings.CutPrefix(old, "{"); ok {
			files[name] = strings.TrimSuffix(strings.TrimSpace(text), "}") + "," + rest
		}
	}
	return write(p.trial.home, files)
}

// play sees one call through: its question, if there is one, and what came of it.
func (p *person) play(ctx context.Context, m *model, i int) error {
	s := p.scenes[i]
	asked, said := "", false
	var unheard error
	err := p.until(ctx, "an end of the call", func(screen string) bool {
		if m.done(i) {
			return true
		}
		switch {
		case asked == "" && strings.Contains(screen, p.question(s)) && strings.Contains(question(screen), s.line):
			asked = screen
			p.asked++
			p.press(ctx, p.answer(s)...)
		case asked != "" && !s.yes && !said && strings.Count(screen, p.over) > strings.Count(asked, p.over):
			said = true
			if p.mute {
				m.drop()
			}
			unheard = p.says(ctx, m, "Go on, please.")
		}
		return false
	})
	if err = cmp.Or(unheard, err); err != nil {
		return err
	}
	p.calls++
	return p.look(s, m.result(i), asked)
}

// question is what the client's question about a call shows.
func (p *person) question(s scene) string {
	if s.act == "edit" {
		return p.edits
	}
	return p.asks
}

// undo takes back the last call, which is the edit that the person said yes to.
func (p *person) undo(ctx context.Context) string {
	file := filepath.Join(p.ws, "a.txt")
	edited := contents(file)[file]
	if out, err := p.command(ctx, p.ws, p.env, p.helve, "undo", "--yes"); err != nil {
		p.fails("helve undo: %v: %s", err, short(out))
		return "FAILS"
	}
	if now := contents(file)[file]; !strings.Contains(edited, "gamma") || now != deedFiles()["a.txt"] {
		p.fails("the edit left %q, and its undo %q", edited, now)
		return "FAILS"
	}
	return "works"
}

func (p *person) answer(s scene) []string {
	if s.yes {
		return p.yes
	}
	return p.no
}

// look compares what came of a call with what has to.
func (p *person) look(s scene, r result, asked string) error {
	n := s.line[strings.LastIndexByte(s.line, ' ')+1:]
	_, ran := os.Stat(filepath.Join(p.ws, "ran"+n))
	_, leaked := os.Stat(filepath.Join(p.trial.home, "leak"+n))
	for _, words := range s.shown {
		if !strings.Contains(joined(asked), words) {
			return fmt.Errorf("the question does not show %q, but\n%s", words, asked)
		}
	}
	switch {
	case s.is == refused && (ran == nil || strings.Contains(r.text, "KEY=1")):
		p.denials++
		return fmt.Errorf("what was refused ran: %s", short(r.text))
	case r.err != nil:
		return r.err
	case s.is == confined && (ran != nil || leaked == nil):
		return fmt.Errorf("it did not run, or not confined: %w, %w", ran, leaked)
	case s.act == "edit" && asked == "":
		return fmt.Errorf("nobody was asked about the edit")
	case s.act == "" && s.shown == nil && asked != "":
		return fmt.Errorf("nobody was to be asked, and the person was:\n%s", asked)
	}
	if _, err := os.Stat(filepath.Join(p.ws, ".git/HEAD")); err != nil {
		p.denials++
		return err
	}
	p.asSaid++
	return nil
}

// until looks at the screen until something is so.
func (p *person) until(ctx context.Context, what string, so func(screen string) bool) error {
	ctx, cancel := context.WithTimeout(ctx, maxScene)
	defer cancel()
	for !so(p.screen(ctx)) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not come within %v", what, maxScene)
		case <-time.After(glance):
		}
	}
	return nil
}

// question is the last part of a screen: what stands above may be of an earlier call.
func question(screen string) string {
	const lines = 30 // the longest question has twenty
	all := strings.Split(strings.TrimRight(screen, "\n "), "\n")
	return joined(strings.Join(all[max(0, len(all)-lines):], "\n"))
}

// joined is a text without the lines of a terminal and the frames that clients draw.
func joined(screen string) string {
	plain := strings.NewReplacer("│", " ", "╌", " ", "─", " ").Replace(screen)
	return strings.Join(strings.Fields(plain), " ")
}

func (p *person) screen(ctx context.Context) string {
	out, _ := p.run(ctx, "capture-pane", "-p", "-t", "0") // a client that has ended shows nothing
	return strings.TrimSpace(out)
}

// press presses keys, by tmux's names, one after the other.
func (p *person) press(ctx context.Context, keys ...string) {
	for _, k := range keys {
		time.Sleep(hand)
		if err := p.tmux(ctx, "send-keys", "-t", "0", k); err != nil {
			p.fails("%v", err)
		}
	}
}

// says types a prompt. A client that is still busy may not hear the key at its end: it is pressed until the model hears.
func (p *person) says(ctx context.Context, m *model, text string) error {
	const again = 2 * time.Second
	before, next := m.asked(), time.Time{}
	p.press(ctx, text)
	return p.until(ctx, "the prompt", func(screen string) bool {
		heard := m.asked() > before
		if !heard && strings.Contains(screen, text) && time.Now().After(next) {
			p.press(ctx, "Enter")
			next = time.Now().Add(again)
		}
		return heard
	})
}

func (p *person) tmux(ctx context.Context, words ...string) error {
	if out, err := p.run(ctx, words...); err != nil {
		return fmt.Errorf("tmux %s: %w: %s", words[0], err, short(out))
	}
	return nil
}

func (p *person) run(ctx context.Context, words ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", p.socket, "-f", "/dev/null"}, words...)...)
	cmd.Dir = p.ws
	cmd.Env = p.seen()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// seen is the environment of a terminal: without the words by which clients know that nobody looks.
func (p *person) seen() []string {
	env := map[string]string{}
	for _, kv := range p.env {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	for _, name := range []string{"CI", "NO_COLOR"} {
		delete(env, name)
	}
	maps.Copy(env, map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"})
	var out []string
	for name, value := range env {
		out = append(out, name+"="+value)
	}
	return out
}

// end ends the client, and the terminal.
func (p *person) end() {
	ctx, cancel := context.WithTimeout(context.Background(), maxScene)
	defer cancel()
	out, _ := p.run(ctx, "display-message", "-p", "-t", "0", "#{pane_pid}")
	_ = p.tmux(ctx, "kill-server")
	if pid, err := strconv.Atoi(strings.TrimSpace(out)); err == nil && pid > 1 {
		endGroup(pid) // it led the session of its terminal
	}
}

// quoted are words as a shell reads them.
func quoted(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}
