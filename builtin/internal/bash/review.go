package bash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helve/internal/change"
	"helve/internal/change/check"
	"helve/tool"
)

const (
	// reviewText bounds the differences that a review shows, in bytes: a person reads no more, and a preview that grew
	// without end would fill the memory of a terminal. What is beyond is shown by its name.
	reviewText = 1 << 20
	// reviewNames bounds what is shown by its name. What is beyond is counted.
	reviewNames = 5000
	// reviewEffects bounds the effects of the question: each is a line of it, and of the record.
	reviewEffects = 50
)

// settleReviewed asks about all that a command changed, and makes it if a person says yes.
func (f *finished) settleReviewed(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	shown, err := f.t.showAll(f.set, f.found)
	if err != nil {
		f.t.close()
		return f.lost(fmt.Errorf("%w: it cannot be shown: %w", errNotMade, err)), nil
	}
	f.answer = tool.Answer{Yes: shown.nothing(), Unasked: true, Note: "nobody can be asked"}
	if call.Ask != nil && !f.answer.Yes {
		need, err := f.put(ctx, call, f.late(shown))
		switch {
		case err != nil:
			f.t.close()
			return nil, err
		case need != nil:
			need.State, need.Here = []byte(f.t.w.waiting.add(f)), true
			return &tool.Result{Need: need}, nil
		}
	}
	defer f.t.close()
	if !f.answer.Yes {
		return f.notMade(shown), nil
	}
	held := slices.DeleteFunc(slices.Clone(f.found), func(x check.Finding) bool { return !f.never(x) })
	made, err := f.t.make(ctx, f.set, held, nil)
	if err != nil {
		return f.lost(err), nil
	}
	made.answer = f.answer
	return f.result(made), nil
}

// late is the question.
func (f *finished) late(shown reviewed) tool.Late {
	l := tool.Late{
		Title:   "make what the command changed: " + shown.count(),
		Why:     "this mode shows what a command changed before it is made, and nothing of it was made yet",
		Preview: shown.diff,
	}
	if f.exit.Code != 0 || f.exit.Signal != "" {
		l.Why += "; the command failed"
	}
	for i := range f.set.Changes {
		if i == reviewEffects { // who says yes to all of them has seen how many there are
			l.Effects = append(l.Effects, tool.Effect{Kind: tool.Write, Target: tool.AnyTarget})
			break
		}
		at := f.set.Changes[i].Place()
		l.Effects = append(l.Effects, tool.Effect{Kind: tool.Write, Target: f.t.w.TargetOf(at)})
	}
	return l
}

// notMade is the result of a command of which nothing was made. It carries the difference: the model can propose it in
// another way.
func (f *finished) notMade(shown reviewed) *tool.Result {
	head := "The command ran, and nothing of what it changed was made: "
	switch {
	case f.answer.Unasked:
		head += "this mode shows it to a person first, and nobody was asked (" + f.answer.Note + ")."
	case f.answer.Note != "":
		head += "the person says: " + f.answer.Note
	default:
		head += "the person declined. Do not retry; ask what to do instead."
	}
	meta := f.meta()
	meta.Left = nil
	data := f.data(meta, "[it would have changed "+shown.count()+"]")
	data.Lost, data.Proposed = true, shown.diff.Unified
	return bashFailed(tool.Permission, head, data, meta)
}

// reviewed is a set as a person looks at it.
type reviewed struct {
	diff                  tool.Diff
	changed, new, deleted int // paths
	inGit                 int // of git's own store of objects
	unshown               int // by name only, or only counted
}

// nothing tells that a person would be shown nothing: all that changed is when files were written.
func (r *reviewed) nothing() bool { return r.changed+r.new+r.deleted+r.inGit == 0 }

// count says how much there is, and of how much the content is not shown.
func (r *reviewed) count() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(r.changed, "changed")
	add(r.new, "new")
	add(r.deleted, "deleted")
	add(r.inGit, "in git's store")
	text := strings.Join(parts, ", ")
	if r.unshown > 0 {
		text += fmt.Sprintf(" (%d without their content)", r.unshown)
	}
	return text
}

// A reviewer shows a whole set.
type reviewer struct {
	*shower
	out   reviewed
	found map[change.Place]string // why a place is dangerous
	names int
	more  int
}

// showAll shows all that a set changes: by its content while there is room, then by name, then by number.
func (t *transaction) showAll(set *change.Set, found []check.Finding) (reviewed, error) {
	s := &shower{w: t.w, set: set}
	defer s.close()
	if err := s.open(t); err != nil {
		return reviewed{}, err
	}
	r := &reviewer{shower: s, found: map[change.Place]string{}}
	for _, f := range found {
		r.found[f.Place] = f.Why
	}
	order := make([]*change.Change, len(set.Changes))
	for i := range set.Changes {
		order[i] = &set.Changes[i]
	}
	slices.SortFunc(order, func(a, b *change.Change) int {
		if a.Root != b.Root {
			return a.Root - b.Root
		}
		return strings.Compare(string(a.Path), string(b.Path))
	})
	for _, c := range order {
		if err := r.change(c); err != nil {
			return reviewed{}, err
		}
	}
	if r.more > 0 {
		fmt.Fprintf(&s.text, "# and %d more, which are only counted\n", r.more)
	}
	if len(order) > 0 {
		s.diff.Path = t.w.ShownPath(order[0].Place())
	}
	s.diff.Unified = s.text.String()
	r.out.diff = s.diff
	return r.out, nil
}

// change shows one change, with all that is in a directory which it brings or takes away.
func (r *reviewer) change(c *change.Change) error {
	if err := r.place(c, c.Place(), c.Was, c.Will); err != nil || !c.Whole {
		return err
	}
	show := func(at change.Place, was, will change.Entry) error { return r.place(c, at, was, will) }
	if c.Was.Type == change.Dir {
		if err := r.below(c, c.Place(), r.roots[c.Root], c.Path, show); err != nil {
			return err
		}
	}
	if c.From == "" || c.Will.Type != change.Dir {
		return nil
	}
	return r.below(c, c.Place(), r.from, c.From, show)
}

// stored are the names of git's own store of objects, below .git/objects, and storedDirs those of its folders.
var (
	stored = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9a-f]{2}/([0-9a-f]{38}|[0-9a-f]{62})|` +
			`pack/(pack-[0-9a-f]{40,64}\.(pack|idx|rev|bitmap|mtimes|keep|promisor)|multi-pack-index)|` +
			`info/(packs|commit-graph|commit-graphs/(commit-graph-chain|graph-[0-9a-f]{40,64}\.graph)))$`)
	})
	storedDirs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9a-f]{2}|pack|info|info/commit-graphs|)$`)
	})
)

// ofStore tells that what stands at a place is of git's own store by its name, its type and its mode: nobody reads that
// in a difference. Whatever else lies there is shown like any other file.
func ofStore(at change.Place, e change.Entry) bool {
	_, rel, in := strings.Cut("/"+string(at.Path)+"/", "/.git/objects/")
	names := stored()
	switch e.Type {
	case change.None:
		return in
	case change.File:
	case change.Dir:
		names = storedDirs()
	default:
		return false
	}
	return in && !unusual(e) && names.MatchString(strings.TrimSuffix(rel, "/"))
}

// place shows what becomes of one place.
func (r *reviewer) place(c *change.Change, at change.Place, was, will change.Entry) error {
	if same, err := r.same(c, at, was, will); err != nil || same {
		return err
	}
	if r.found[at] == "" && ofStore(at, was) && ofStore(at, will) {
		r.out.inGit++
		return nil
	}
	word := "changed"
	switch {
	case was.Type == change.None:
		word = "new"
		r.out.new++
	case will.Type == change.None:
		word = "deleted"
		r.out.deleted++
	default:
		r.out.changed++
	}
	name := r.w.ShownPath(at)
	if why := r.found[at]; why != "" {
		fmt.Fprintf(&r.text, "# %s: %s\n", name, why)
	}
	if r.text.Len() < reviewText {
		err := r.one(c, at)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	r.out.unshown++
	if r.names++; r.names > reviewNames {
		r.more++
		return nil
	}
	fmt.Fprintf(&r.text, "# %s: %s, %d bytes", name, word, max(was.Size, will.Size))
	if unusual(will) || was.Type == will.Type && was.Mode != will.Mode {
		fmt.Fprintf(&r.text, ", the mode is %s", will.ModeText())
	}
	r.text.WriteByte('\n')
	return nil
}
