package check

import (
	"strconv"
	"strings"

	"helve/internal/change"
)

// The ranks of a git directory's files: what is referred to comes before what refers to it, and goes after it. Files
// of the workspace have rank 0.
const (
	rankObjects = 1 + iota
	rankIndexes // of packs: an index is read only if its pack is there
	rankOther
	rankRefs
	rankHead
	rankIndex
	rankGone // refs that went, when packed-refs has them
	rankGoneObjects
)

// Arrange has every git directory in a set be changed as one, in an order in which it is whole at every moment: its
// files, but for objects, become a unit that holds git's own lock and is refused if HEAD or the index changed
// meanwhile. Objects that others made meanwhile are the same ones, whoever made them.
//
// A kill between two renames leaves a repository that git can read: whatever a ref, HEAD or the index names is there
// before it. Whether the whole set is there is the journal's business.
func Arrange(o Options, set *change.Set) error {
	v, err := newView(o, set)
	if err != nil {
		return err
	}
	defer v.close()
	for i := range set.Changes {
		c := &set.Changes[i]
		p := c.Place()
		d, in := v.enclosing(p)
		if !in {
			continue
		}
		rel, _ := below(p, d)
		c.Rank = rank(rel, c.Will.Type == change.None)
		if isObject(rel) {
			shareObject(c)
			continue
		}
		if v.state(d).before != gitDir {
			continue // a new repository: nobody else is at work in it
		}
		name := "git " + strconv.Itoa(d.Root) + " " + string(d.Path)
		c.Unit = name
		if err := v.unit(set, name, d); err != nil {
			return err
		}
	}
	return nil
}

// unit adds what a git directory wants beside its changes.
func (v *view) unit(set *change.Set, name string, d place) error {
	if _, known := set.Units[name]; known {
		return nil
	}
	lock := d.Child("index.lock")
	u := change.Unit{Lock: &lock}
	if i, changed := v.at[d]; changed && set.Changes[i].Will.Type == change.None {
		u.Lock = nil // the directory goes, and could not with a lock in it
	}
	for _, file := range []string{"HEAD", "index"} {
		at := d.Child(file)
		if _, changed := v.at[at]; changed {
			continue // compared by its own change
		}
		now, err := v.before(at)
		if err != nil {
			return err
		}
		u.Still = append(u.Still, change.Expected{Place: at, Was: now})
	}
	if set.Units == nil {
		set.Units = map[string]change.Unit{}
	}
	set.Units[name] = u
	return nil
}

// rank is the rank of a file in a git directory.
func rank(rel string, goes bool) int {
	first, _, _ := strings.Cut(rel, "/")
	switch {
	case first == "objects" && goes:
		return rankGoneObjects
	case first == "objects" && strings.HasSuffix(rel, ".pack"):
		return rankObjects
	case first == "objects" && strings.HasPrefix(rel, "objects/pack/"):
		return rankIndexes
	case first == "objects":
		return rankObjects
	case goes:
		return rankGone
	case first == "refs" || rel == "packed-refs" || first == "logs" || first == "reftable":
		return rankRefs
	case rel == "HEAD":
		return rankHead
	case rel == "index":
		return rankIndex
	}
	return rankOther
}

// isObject reports a file that is named after its content, or a folder of such files. Two programs that make the same
// object make the same file, so it does not matter whose is kept. Lists of packs and the like are rewritten: no
// objects.
func isObject(rel string) bool {
	rest, ok := strings.CutPrefix(rel, "objects/")
	if !ok {
		return false
	}
	folder, name, nested := strings.Cut(rest, "/")
	if folder == "pack" && nested {
		return strings.HasSuffix(name, ".pack") || strings.HasSuffix(name, ".idx")
	}
	return len(folder) == 2 && strings.Trim(folder, "0123456789abcdef") == ""
}

// shareObject has an object be the one that is there already.
func shareObject(c *change.Change) {
	if c.Will.Type == change.None || c.Alters() {
		return // git dates an object that it finds again
	}
	c.Was, c.Stale, c.Shared = entry{}, false, true
}
