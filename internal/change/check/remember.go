package check

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/later"
)

// A Past is a workspace as it was before a command that nothing holds back: what stood where, and the content of what
// programs run or obey later. It is compared with the workspace as it is, as often as somebody wants to know. It is for
// one goroutine.
type Past struct {
	o       Options
	guard   *guarded
	entries map[place]entry
	texts   map[place][]byte
	room    int64 // for texts
}

// Bounds of a Past.
const (
	// MaxPast bounds the entries of a workspace that are remembered: a walk of so many takes a second or two.
	MaxPast = 300_000
	// maxTexts bounds the contents that are remembered together: git's index of the largest repositories takes 50 MB.
	maxTexts = 64 << 20
)

// ErrMany: the workspace has more entries than are looked at.
var ErrMany = errors.New("it has too many entries to be looked at")

// Remember looks at the roots, which may have MaxPast entries; the error is ErrMany where they have more. Objects of
// git are left out: they are named after their content, and nothing runs them.
func Remember(ctx context.Context, o Options) (*Past, error) {
	p := &Past{
		o:       o,
		entries: map[place]entry{},
		texts:   map[place][]byte{},
		room:    maxTexts,
	}
	o.Folder = ""
	v, err := newView(o, &change.Set{})
	if err != nil {
		return nil, err
	}
	defer v.close()
	p.guard = newGuarded(o.Later)
	before, _ := v.states()
	asked := newSurvey(before, o.Getenv, p.guard)
	if p.entries, err = p.look(ctx, v, MaxPast); err != nil {
		return nil, err
	}
	for at := range p.entries {
		if !later.InDependencies(string(at.Path)) {
			asked.settings(before.path(at))
		}
		if name := at.Base(); fsroot.Fold(name) == ".git" || name == "HEAD" {
			asked.top(before.path(at.Parent()))
		}
	}
	for at, e := range p.entries {
		if e.Type == change.File && p.matters(v, at) {
			p.keep(v, at, e)
		}
	}
	return p, nil
}

// look lists what stands in the roots.
func (p *Past) look(ctx context.Context, v *view, most int) (map[place]entry, error) {
	out := map[place]entry{}
	for i, tree := range v.roots {
		err := tree.Walk(".", func(at change.Name, e entry) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if len(out) >= most {
				return ErrMany
			}
			here := place{Root: i, Path: at}
			out[here] = e
			if e.Type == change.Dir && here.Base() == "objects" && isStore(v, here) {
				return fs.SkipDir
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// isStore reports a directory of git's objects: folders of two hexadecimal digits, pack and info, beside a HEAD.
func isStore(v *view, objects place) bool {
	e, err := v.before(objects.Parent().Child("HEAD"))
	if err != nil || e.Type == change.None {
		return false
	}
	names, err := v.roots[objects.Root].Names(objects.Path)
	strange := func(name string) bool {
		return name != "pack" && name != "info" && (len(name) != 2 || strings.Trim(name, "0123456789abcdef") != "")
	}
	return err == nil && !slices.ContainsFunc(names, strange)
}

// matters reports a file whose content is judged, or that is put back if it changes.
func (p *Past) matters(v *view, at place) bool {
	if p.runsLater(at) || p.o.Asks != nil && p.o.Asks(at) != "" {
		return true
	}
	switch fsroot.Fold(at.Base()) {
	case ".git", ".gitmodules", ".gitattributes":
		return true
	}
	if _, known := settingsAt(string(at.Path)); known {
		return true
	}
	d, in := v.enclosing(at)
	if !in {
		return false
	}
	rel, _ := below(at, d)
	first, _, _ := strings.Cut(rel, "/")
	return first != "objects" && first != "refs" && first != "logs"
}

func (p *Past) runsLater(at place) bool {
	return p.guard.why(at, p.entries[at].Type == change.Dir) != ""
}

// keep remembers a content, if there is room.
func (p *Past) keep(v *view, at place, e entry) {
	limit := int64(maxText)
	if at.Base() == "index" {
		limit = maxTexts
	}
	if e.Size > min(limit, p.room) {
		return
	}
	text, err := v.roots[at.Root].Read(at.Path, limit)
	if err != nil {
		return // nobody who cannot read it is led by it
	}
	p.texts[at] = append([]byte{}, text...) // never nil, also where it is empty
	p.room -= int64(len(text))
}

// Lasting are the places of what programs run or obey later and that is there, and of git's own directories: what a
// command in the background is kept from. Outer ones stand for what is in them. Sorted.
func (p *Past) Lasting() []change.Place {
	var out []change.Place
	for at, e := range p.entries {
		isGit := fsroot.Fold(at.Base()) == ".git"
		if e.Type != change.None && (isGit || p.runsLater(at)) {
			out = append(out, at)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Compare(out[j]) < 0 })
	outer := out[:0]
	for _, at := range out {
		if len(outer) == 0 || !at.Within(outer[len(outer)-1]) {
			outer = append(outer, at)
		}
	}
	return outer
}

// Accept takes a place as it is now for what was there: somebody changed it who may.
func (p *Past) Accept(at change.Place) error {
	v, err := newView(Options{Roots: p.o.Roots}, &change.Set{})
	if err != nil {
		return err
	}
	defer v.close()
	e, err := v.before(at)
	if err != nil {
		return err
	}
	p.room += int64(len(p.texts[at]))
	delete(p.texts, at)
	delete(p.entries, at)
	if e.Type == change.None {
		return nil
	}
	p.entries[at] = e
	for up := at.Parent(); up.Path != "."; up = up.Parent() { // folders that came with it
		if _, known := p.entries[up]; known {
			break
		}
		if p.entries[up], err = v.before(up); err != nil {
			return err
		}
	}
	if e.Type == change.File && p.matters(v, at) {
		p.keep(v, at, e)
	}
	return nil
}

// Dangers finds what is dangerous of what changed since, and what stood at those places before.
func (p *Past) Dangers(ctx context.Context) ([]Finding, []change.Earlier, error) {
	o := p.o
	o.Folder = ""
	set, err := p.changes(ctx, o)
	if err != nil || len(set.Changes) == 0 {
		return nil, nil, err
	}
	found, err := check(ctx, o, set, p)
	if err != nil {
		return nil, nil, err
	}
	found = o.withAsking(set, found, true)
	var was []change.Earlier
	for _, f := range found {
		was = append(was, change.Earlier{
			Place: f.Place,
			Was:   p.entries[f.Place],
			Text:  p.texts[f.Place],
		})
	}
	return found, was, nil
}

// changes are what differs from the workspace as it is now.
func (p *Past) changes(ctx context.Context, o Options) (*change.Set, error) {
	v, err := newView(o, &change.Set{})
	if err != nil {
		return nil, err
	}
	defer v.close()
	now, err := p.look(ctx, v, MaxPast+change.MaxChanges)
	if err != nil {
		return nil, err
	}
	set := &change.Set{}
	add := func(at place, was, will entry) {
		set.Changes = append(set.Changes, change.Change{
			Root: at.Root,
			Path: at.Path,
			Was:  was,
			Will: will,
		})
	}
	for at, will := range now {
		was := p.entries[at]
		if !p.same(v, at, was, will) {
			add(at, was, will)
		}
	}
	for at, was := range p.entries {
		if _, there := now[at]; !there {
			add(at, was, entry{})
		}
	}
	sort.SliceStable(set.Changes, func(i, j int) bool { return set.Changes[i].Path < set.Changes[j].Path })
	return set, nil
}

// same reports that a place is as it was, as far as that is of interest.
func (p *Past) same(v *view, at place, was, will entry) bool {
	if was.Type != will.Type || was.Mode != will.Mode {
		return false
	}
	switch will.Type {
	case change.Dir:
		return true
	case change.Link:
		return was.Target == will.Target
	case change.File:
	default:
		return was.Number == will.Number
	}
	if was.ID == will.ID && was.Size == will.Size && was.Time == will.Time && was.Changed == will.Changed {
		return true
	}
	text, known := p.texts[at]
	if !known || was.Size != will.Size {
		return false
	}
	now, err := v.roots[at.Root].Read(at.Path, int64(len(text)))
	return err == nil && bytes.Equal(now, text)
}
