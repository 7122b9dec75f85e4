// Package clientproof has an installed client show that its hooks hold: it is run once, in a folder and a home that are
// thrown away, and a model that follows a script makes calls of its own tools. Nothing leaves the machine.
package clientproof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/internal/spawn"
)

// Limit is how long a proof takes at most: clients were seen to need three to fifteen seconds.
const Limit = 30 * time.Second

// A State is what became of one part of a proof.
type State string

// The states.
const (
	Proven  State = "proven"
	Fails   State = "fails"
	Unknown State = "unknown" // it cannot be proven
)

// A Finding is one part of a proof.
type Finding struct {
	State State  `json:"state"`
	Words string `json:"words"`
}

func (f Finding) String() string {
	switch f.State {
	case Proven:
		return "proven: " + f.Words
	case Fails:
		return "FAILS: " + f.Words
	}
	return "cannot be proven: " + f.Words
}

// A Proof is what a client showed.
type Proof struct {
	Denied    Finding `json:"denied"`    // a command that is refused does not run
	Rewritten Finding `json:"rewritten"` // one that is allowed runs by helve exec
	Undone    Finding `json:"undone"`    // an edit is taken back by helve undo
}

// All is a proof with one finding thrice.
func All(state State, words string) *Proof {
	f := Finding{state, words}
	return &Proof{f, f, f}
}

// A Trial is what is tried.
type Trial struct {
	Client  string // as helve init names it
	Program string // the client's, absolute
	Path    string // PATH of the client
	Helve   string // this program, absolute
	Hooks   []Hook // where the client's hooks stand
	// Trust has the client of a home trust the hooks there; nil: it needs no word.
	Trust func(ctx context.Context, dir string, env []string) error
	// Judged says why commands are not confined on this machine; "": they are.
	Judged string
}

// A Hook is a file with the client's hooks: the person's, and where it stands in a home.
type Hook struct {
	File     string
	Place    string // in the home, relative
	Settings bool   // other settings stand in it as well
	Runs     bool   // the client runs the file itself
}

// Run runs the client. What cannot be proven is a finding, no error.
func (t *Trial) Run(ctx context.Context) *Proof {
	c, ok := clients()[t.Client]
	if !ok {
		return All(Unknown, "no way is known to run the client without a person")
	}
	base, err := os.MkdirTemp("", "helve-doctor-")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		return All(Unknown, err.Error())
	}
	defer os.RemoveAll(base)
	ctx, stop := context.WithTimeout(ctx, Limit)
	defer stop()
	r := &run{Trial: t, client: c, home: filepath.Join(base, "home"), dir: filepath.Join(base, "project")}
	if err := r.converse(ctx); err != nil {
		return All(Unknown, err.Error())
	}
	return r.proof(ctx)
}

// A run is one conversation of the client.
type run struct {
	*Trial
	client
	home, dir string
	env       []string
	results   []string // of the calls
	missing   string   // a tool that it does not offer
	said      string   // what it printed last
	late      bool     // it was ended, since its time was over
}

// The files of the throw-away project. The script says that it ran, and tries to write where a confined command cannot.
const (
	ran     = "ran"
	outside = "outside"
	made    = "made.txt"
	script  = "echo did it\n: >" + ran + "\n: >\"$HOME/" + outside + "\"\n"
)

// calls are those of the conversation.
func (r *run) calls() []call {
	return []call{
		callOf(r.shell, "rm -rf .git"),
		callOf(r.shell, "sh proof.sh"),
		callOf(r.write, filepath.Join(r.dir, made), "made\n"),
	}
}

// converse prepares home and project, and has the client talk with the model.
func (r *run) converse(ctx context.Context) error {
	m := newModel(r.calls())
	url, end, err := m.serve()
	if err != nil {
		return err
	}
	defer end()
	put := strings.NewReplacer("$URL", url, "$KEY", key)
	if err := r.prepare(put); err != nil {
		return err
	}
	if r.Trust != nil {
		if err := r.Trust(ctx, r.dir, r.env); err != nil {
			return fmt.Errorf("it cannot be made to trust its hooks: %w", err)
		}
	}
	if r.before != nil {
		if err := r.start(ctx, nil, replaced(r.before, put)); err != nil {
			return err
		}
	}
	words := slices.Concat(replaced(r.args, put), []string{prompt}, r.tail)
	err = r.start(ctx, m.over, words)
	r.results, r.missing = m.said()
	return err
}

// prepare makes the home and the project.
func (r *run) prepare(put *strings.Replacer) error {
	r.env = append(replaced(r.client.env, put),
		"HOME="+r.home, "PATH="+r.Path, "TERM=dumb", "NO_COLOR=1", "CI=1", "SHELL=/bin/sh")
	files := map[string]string{}
	for name, text := range r.files {
		files[name] = put.Replace(text)
	}
	for _, h := range r.Hooks {
		text, err := os.ReadFile(h.File)
		if err == nil && h.Settings {
			text, err = r.settings(text)
		}
		if err != nil {
			return err
		}
		files[h.Place] = string(text)
	}
	project := map[string]string{"proof.sh": script, ".git/HEAD": "ref: refs/heads/main\n"}
	for _, dir := range []string{"objects", "refs/heads"} { // what makes it a repository
		project[".git/"+dir+"/.keep"] = ""
	}
	if err := errors.Join(write(r.home, files), write(r.dir, project)); err != nil {
		return err
	}
	for _, h := range r.Hooks {
		if h.Runs {
			if err := os.Chmod(filepath.Join(r.home, h.Place), 0o700); err != nil {
				return err
			}
		}
	}
	return nil
}

func replaced(list []string, put *strings.Replacer) []string {
	var out []string
	for _, s := range list {
		out = append(out, put.Replace(s))
	}
	return out
}

const (
	// maxSaid bounds what is kept of what a client prints, in bytes: its last words say why it failed.
	maxSaid = 64 << 10
	// afterwards is how long the client may take to end when the model has said its last word.
	afterwards = 3 * time.Second
)

// start runs the client to its end, until a while after over, or until ctx is done. Nothing of it is left.
func (r *run) start(ctx context.Context, over <-chan struct{}, words []string) error {
	p, err := spawn.Start(spawn.Spec{Argv: append([]string{r.Program}, words...), Dir: r.dir, Env: r.env})
	if err != nil {
		return err
	}
	defer p.End(time.Second)
	p.Stdin.Close()
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(p.Stdout, maxSaid)) // what came before an error says more
		_, _ = io.Copy(io.Discard, p.Stdout)
		said <- string(text)
	}()
	select {
	case <-p.Done():
	case <-over:
		select {
		case <-p.Done():
		case <-time.After(afterwards):
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	r.late = ctx.Err() != nil
	p.End(time.Second)
	r.said = <-said
	return nil
}
