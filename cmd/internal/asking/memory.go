package asking

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/agent/memory"
	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
	"helve/internal/config"
	"helve/internal/visible"
)

// MemoryOptions say which files instruct a model, and who is asked about them.
type MemoryOptions struct {
	Dir     string         // the workspace
	Values  *config.Memory // nil: the defaults
	Trusted bool           // they count as they stand, for this run
	Ask     bool           // the person at the terminal is asked about what they have not trusted
}

// A Memory is what people wrote for models, as far as it counts.
type Memory struct {
	memory.Memory
	Told  []Told
	Notes []string // what a person should know of it, a line each

	Question *MemoryQuestion // that nobody was asked; nil: there is none
}

// A MemoryQuestion is about all files of a workspace that are not trusted as they stand.
type MemoryQuestion struct {
	Title, Ask string
	Preview    string // what stands in them, or what changed since they were trusted

	dir   string
	found memory.Memory
}

// Trust is the answer yes: the files count until they change.
func (q *MemoryQuestion) Trust(s command.Streams) (out Memory) {
	if err := MemoryStore(s).Trust(q.dir, q.found, time.Now()); err != nil { // they count for this run
		out.Notes = append(out.Notes, err.Error())
	}
	trusted := q.found.Theirs()
	out.Memory, _ = q.found.Using(trusted)
	out.tell(s, q.found, trusted)
	return out
}

// A Told file is one that was found.
type Told struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Trusted bool   `json:"trusted"` // it counts as it stands; else as it was when it was trusted, or not at all
}

// MemoryStore is where it stands which of these files a person trusts.
func MemoryStore(s command.Streams) memory.Store {
	return memory.Store{Dir: filepath.Join(s.Places().StateDir, "memory")}
}

// FindMemory reads the files without asking anybody.
func FindMemory(ctx context.Context, s command.Streams, dir string, c *config.Memory) (memory.Memory, error) {
	o := memory.Options{Dir: dir}
	if c != nil {
		o.MaxBytes = c.MaxBytes
		if c.Files != nil && !*c.Files {
			return memory.Memory{}, nil
		}
	}
	if home := s.Places().ConfigHome; home != "" {
		o.Own = filepath.Join(home, "helve")
	}
	return memory.Read(ctx, o)
}

// ReadMemory reads the files, has the person decide about those that they have not trusted, and tells which count.
func ReadMemory(ctx context.Context, s command.Streams, o MemoryOptions) (out Memory, err error) {
	found, err := FindMemory(ctx, s, o.Dir, o.Values)
	if err != nil {
		return out, err
	}
	store := MemoryStore(s)
	trusted, err := store.Trusted(o.Dir)
	if err != nil { // nothing is trusted then
		out.Notes = append(out.Notes, err.Error())
	}
	_, same := found.Using(trusted)
	switch {
	case same:
	case o.Trusted:
		trusted = found.Theirs()
	case o.Ask:
		yes, err := Confirm(ctx, s.Terminal(), memoryQuestion(found, trusted), "Yes, until they change")
		if err != nil {
			return out, err
		}
		if yes {
			trusted = found.Theirs()
			err = store.Trust(o.Dir, found, time.Now())
		}
		if err != nil { // they count for this run
			out.Notes = append(out.Notes, err.Error())
		}
	}
	out.Memory, same = found.Using(trusted)
	out.tell(s, found, trusted)
	if !same && !o.Ask {
		q := memoryQuestion(found, trusted)
		out.Question = &MemoryQuestion{Title: q.Title, Ask: q.Ask, Preview: q.Preview, dir: o.Dir, found: found}
	}
	return out, nil
}

// tell says what was found, and what of it counts.
func (m *Memory) tell(s command.Streams, found memory.Memory, trusted []memory.File) {
	var named, fresh, changed []string
	for _, f := range found.Files {
		sized := sizedName(s, f)
		was := slices.IndexFunc(trusted, func(t memory.File) bool { return t.Path == f.Path })
		good := f.Own || was >= 0 && trusted[was].Text == f.Text
		m.Told = append(m.Told, Told{f.Path, len(f.Text), good})
		switch {
		case good:
			named = append(named, sized)
		case was >= 0:
			changed = append(changed, sized)
		default:
			fresh = append(fresh, sized)
		}
	}
	add := func(list []string, format string) {
		if len(list) > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf(format, strings.Join(list, ", ")))
		}
	}
	add(named, "the model is told what stands in %s")
	add(changed, "changed since a person trusted it, so the model is told what stood there then: %s; "+
		"helve trust shows the difference and trusts it")
	add(fresh, "not trusted, so the model is not told of it: %s; helve trust trusts it")
	for _, line := range found.Left {
		m.Notes = append(m.Notes, "memory: "+line)
	}
}

// sizedName is a file with its size.
func sizedName(s command.Streams, f memory.File) string {
	name := f.Path
	if f.Own {
		name = s.Homely(name)
	}
	return fmt.Sprintf("%s (%d bytes)", visible.Line(name), len(f.Text))
}

// MemoryNames are the files of the workspace with their sizes.
func MemoryNames(s command.Streams, m memory.Memory) []string {
	var out []string
	for _, f := range m.Theirs() {
		out = append(out, sizedName(s, f))
	}
	return out
}

// memoryQuestion asks about all files that are not trusted as they stand, at once. Of what was trusted before it shows
// what changed.
func memoryQuestion(m memory.Memory, trusted []memory.File) terminal.Question {
	q := terminal.Question{
		Title:   "Files of this workspace that would instruct the model",
		Preview: MemoryText(m, trusted),
		Diff:    len(trusted) > 0,
		Ask:     "Have the model read them?",
	}
	if q.Diff {
		q.Title = "What changed in the files of this workspace that instruct the model"
		q.Ask = "Have the model read them as they stand now?"
		return q
	}
	for _, f := range m.Theirs() {
		q.Notes = append(q.Notes, fmt.Sprintf("%s, %d bytes", visible.Line(f.Path), len(f.Text)))
	}
	return q
}

// MemoryText is what a person looks at before they trust it: what changed since they did, or all of it.
func MemoryText(m memory.Memory, trusted []memory.File) string {
	if len(trusted) > 0 {
		return m.Difference(trusted)
	}
	var texts []string
	for _, f := range m.Theirs() {
		texts = append(texts, "--- "+visible.Line(f.Path)+" ---\n"+strings.TrimRight(f.Text, "\n"))
	}
	return strings.Join(texts, "\n\n")
}
