package history

import (
	"sort"

	"helve/internal/change"
)

// A directory's time follows what comes and goes in it, so it is no change of its own: beside the changes of a call
// stand the times of their directories before and after. An undo gives a directory its time back where nothing else
// happened in it since. git's own directories are left out, as git looks at none of their times.

// before notes the time of the directory that a change is made in. It is called before the change.
func (r *Recording) before(at change.Place) error {
	up := at.Parent()
	if _, known := r.dirs[up]; known || inGit(up) {
		return nil
	}
	now, err := r.Look(up)
	if err == nil {
		r.stoodAt(up, now)
	}
	return err
}

// stoodAt notes the time of a directory as it was.
func (r *Recording) stoodAt(dir change.Place, e change.Entry) {
	if _, known := r.dirs[dir]; !known && e.Type == change.Dir && !inGit(dir) {
		r.dirs[dir] = e.Time
	}
}

func inGit(p change.Place) bool {
	_, in := gitDir(p)
	return in
}

// begun are the directories before the call happened: who finds it unfinished looks what became of them.
func (r *Recording) begun() []Dated {
	var out []Dated
	for dir, was := range r.dirs {
		out = append(out, Dated{Place: dir, Was: was})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Place.Compare(out[j].Place) < 0 })
	return out
}

// finished has directories of an unfinished call have the times that they have now.
func (s *Store) finished(dirs []Dated) []Dated {
	var out []Dated
	for _, d := range dirs {
		now, _, err := s.look(d.Place)
		if err == nil && now.Type == change.Dir {
			d.Now = now.Time
			out = append(out, d)
		}
	}
	return out
}

// dated are the directories whose time is another one now. What cannot be looked at is none.
func (r *Recording) dated() []Dated {
	var out []Dated
	for dir, was := range r.dirs {
		now, err := r.Look(dir)
		if err == nil && now.Type == change.Dir && now.Time != was {
			out = append(out, Dated{dir, was, now.Time})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Place.Compare(out[j].Place) < 0 })
	return out
}

// backInTime goes back through what a call did to the times of directories.
func (p *planner) backInTime(dirs []Dated) {
	for _, d := range dirs {
		if !p.s.known(d.Place) {
			continue
		}
		at, known := p.dates[d.Place]
		if !known {
			now, _, err := p.seen.look(d.Place)
			if err != nil || now.Type != change.Dir {
				continue
			}
			at = now.Time
		}
		if at == d.Now {
			at = d.Was
		}
		p.dates[d.Place] = at
	}
}

// remake notes the time of a directory that comes back, and forgets that of one that goes.
func (p *planner) remake(ch Change) {
	was, now := ch.Was.Type == change.Dir, ch.Now.Type == change.Dir
	switch {
	case was && now && ch.Was.Time != 0 && ch.Now.Time != 0 && !inGit(ch.Place): // over a layer a command may set it
		p.backInTime([]Dated{{ch.Place, ch.Was.Time, ch.Now.Time}})
	case was && !now && ch.Was.Time != 0 && !inGit(ch.Place):
		p.dates[ch.Place] = ch.Was.Time
	case now && !was:
		delete(p.dates, ch.Place)
	}
}

// onlyDates are steps for the times of directories, in a plan that has no others to go along with.
func (p *planner) onlyDates() []Step {
	var out []Step
	for dir, at := range p.dates {
		now, entry, err := p.seen.look(dir)
		if err != nil || now.Type != change.Dir || now.Time == at || dir.Path == "." {
			continue
		}
		st := Step{Place: dir, Now: now, Left: now, Will: now, entry: entry, dated: true}
		st.Will.Time = at
		out = append(out, st)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Place.Compare(out[j].Place) < 0 })
	return out
}

// date gives directories the times that they are to have, but for those in which something was left alone. Times that
// may not be set stay as they are.
func (s *Store) date(times map[change.Place]int64, left []Step) {
	for _, st := range left {
		delete(times, st.Parent())
	}
	trees, err := s.trees()
	defer trees.close()
	if err != nil {
		return
	}
	for dir, at := range times {
		if now, err := trees[dir.Root].Look(dir.Path); err == nil && now.Type == change.Dir {
			trees[dir.Root].Date(dir.Path, at)
		}
	}
}
