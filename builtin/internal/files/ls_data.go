package files

import (
	"fmt"
	"strings"

	"helve/builtin/internal/render"
	"helve/engine/tree"
	"helve/internal/fsroot"
)

// lsData is a directory with what is in it.
type lsData struct {
	Path     string     `json:"path" jsonschema:"From the workspace"`
	Entries  []lsItem   `json:"entries" jsonschema:"Each below the directory that it is in; directories first, by name"`
	More     int        `json:"more,omitempty" jsonschema:"Entries of the directory itself that are not here"`
	Depth    int        `json:"depth" jsonschema:"Levels asked for"`
	Deeper   bool       `json:"deeper,omitempty" jsonschema:"There are deeper levels, which are only counted"`
	Capped   bool       `json:"capped,omitempty" jsonschema:"There are more entries"`
	Partial  bool       `json:"partial,omitempty" jsonschema:"Time ran out"`
	Hidden   []hiddenBy `json:"hidden,omitempty" jsonschema:"Files that ignore rules hide"`
	Failures int        `json:"failures,omitempty" jsonschema:"Directories that could not be read"`
	Failed   []string   `json:"failed,omitempty" jsonschema:"The first of them"`
	lsSums
	render.Extent
}

// lsItem is a name in a directory.
type lsItem struct {
	Path  string `json:"path" jsonschema:"From the directory that was asked for"`
	Name  string `json:"name"`
	Level int    `json:"level" jsonschema:"From 1"`
	Type  string `json:"type" jsonschema:"file, directory, link, named pipe, socket or device"`
	Size  int64  `json:"size,omitempty" jsonschema:"Bytes of a file"`
	More  int    `json:"more,omitempty" jsonschema:"Entries of a directory that are not here"`
	lsSums
}

// lsSums are what is below a directory at any depth, hidden files left out.
type lsSums struct {
	Files int   `json:"files,omitempty" jsonschema:"Below it, at any depth"`
	Dirs  int   `json:"directories,omitempty" jsonschema:"Likewise"`
	Bytes int64 `json:"bytes,omitempty" jsonschema:"Of these files"`
}

const (
	typeFile = "file"
	typeDir  = "directory"
)

// lsAround is how much an entry takes in JSON beside its names, in bytes, at least.
const lsAround = 40

// String is what is below a directory, in words.
func (s lsSums) String() string {
	if s.Files+s.Dirs == 0 {
		return "empty"
	}
	text := render.Quantity(s.Files, "file")
	if s.Dirs > 0 {
		text += ", " + directories(s.Dirs)
	}
	return text + ", " + render.Size(s.Bytes)
}

// Text is the tree, two blanks a level, and what it does not show.
func (d lsData) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)", strings.TrimSuffix(d.Path, "/")+"/", d.lsSums)
	w := treeWriter{Builder: &b, more: []int{d.More}}
	for _, e := range d.Entries {
		w.entry(e)
	}
	w.closeTo(0)
	b.WriteString(d.notes())
	return b.String()
}

// A treeWriter writes entries. more are those that are not shown of the directories in which it is, from the top.
type treeWriter struct {
	*strings.Builder
	more []int
}

func (w *treeWriter) entry(e lsItem) {
	w.closeTo(e.Level)
	w.indent(e.Level)
	switch e.Type {
	case typeDir:
		fmt.Fprintf(w, "%s/ (%s)", e.Name, e.lsSums)
		w.more = append(w.more, e.More)
	case typeFile:
		fmt.Fprintf(w, "%s %s", e.Name, render.Size(e.Size))
	default:
		fmt.Fprintf(w, "%s (%s)", e.Name, e.Type)
	}
}

// closeTo ends the directories below a level.
func (w *treeWriter) closeTo(level int) {
	for len(w.more) > level {
		last := len(w.more) - 1
		if w.more[last] > 0 {
			w.indent(last + 1)
			fmt.Fprintf(w, "… %d more", w.more[last])
		}
		w.more = w.more[:last]
	}
}

func (w *treeWriter) indent(level int) { w.WriteString("\n" + strings.Repeat("  ", level)) }

// notes say what the tree does not show.
func (d lsData) notes() string {
	var b strings.Builder
	if d.Capped {
		fmt.Fprintf(&b, "\n[%d entries shown, the most: name a directory to see more of it]", len(d.Entries))
	}
	if d.Deeper {
		fmt.Fprintf(&b, "\n[%s shown; what is deeper is only counted]", render.Quantity(d.Depth, "level"))
	}
	if d.Partial {
		b.WriteString("\n[not listed to the end: time ran out; name a directory]")
	}
	for i, h := range d.Hidden {
		if i == 5 {
			fmt.Fprintf(&b, "\n[… and by %d more rules]", len(d.Hidden)-i)
			break
		}
		fmt.Fprintf(&b, "\n[%s hidden %s]", render.Quantity(h.Files, "file"), h.Reason)
	}
	if d.Failures > 0 {
		fmt.Fprintf(&b, "\n[%s could not be read, the first: %s]", directories(d.Failures), d.Failed[0])
	}
	return b.String()
}

// data is the listing as it was chosen.
func (l *listing) data(stats tree.Stats, partial bool) lsData {
	d := lsData{
		Path:     l.dir.String(),
		Entries:  []lsItem{},
		More:     l.top.more,
		Depth:    l.depth,
		Deeper:   l.deeper,
		Capped:   l.capped,
		Partial:  partial,
		Failures: stats.Failures,
		lsSums:   l.top.lsSums(),
	}
	d.add(l.top, "", 1)
	for _, h := range stats.Hidden {
		d.Hidden = append(d.Hidden, hiddenBy{Files: h.Files, Reason: h.Reason, Rule: h.Rule != nil})
	}
	for _, err := range stats.Failed {
		d.Failed = append(d.Failed, err.Error())
	}
	capped, deeper, late, unread := "", "", "", ""
	if l.capped {
		capped = "stopped at the limit"
	}
	if l.deeper {
		deeper = "deeper levels are only counted"
	}
	if partial {
		late = "time ran out"
	}
	if stats.Failures > 0 {
		unread = directories(stats.Failures) + " could not be read"
	}
	d.Extent = render.ExtentOf(capped, deeper, late, unread)
	return d
}

// add takes the entries of a directory, each with what is below it.
func (d *lsData) add(dir *lsDir, path string, level int) {
	for _, e := range dir.entries {
		item := lsItem{Level: level, Type: e.file.kind, Size: e.file.size}
		name := e.file.name
		switch {
		case e.dir != nil:
			name = e.dir.name
			item.Type, item.More, item.lsSums = typeDir, e.dir.more, e.dir.lsSums()
		case item.Type == "":
			item.Type = typeFile
		}
		item.Name, item.Path = shownName(name), fsroot.Quote(path+name)
		d.Entries = append(d.Entries, item)
		if e.dir != nil {
			d.add(e.dir, path+name+"/", level+1)
		}
	}
}

// lsSums are the counts of a directory.
func (d *lsDir) lsSums() lsSums { return lsSums{Files: d.files, Dirs: d.dirs, Bytes: d.bytes} }
