package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/engine/search"
	"helve/internal/fsroot"
	"helve/tool"
)

// grepLineShown is where a found line is cut, in bytes: longer ones are generated code or data.
const grepLineShown = 500

// grepIn are the parameters of grep.
type grepIn struct {
	Pattern    string `json:"pattern" jsonschema:"description=Regular expression,minLength=1"`
	Path       string `json:"path,omitempty" jsonschema:"File or directory; default: the workspace"`
	Include    string `json:"include,omitempty" jsonschema:"Only files like *.ts"`
	Exclude    globs  `json:"exclude,omitempty" jsonschema:"Globs left out"`
	Mode       string `json:"mode,omitempty" jsonschema:"description=What to return,enum=lines,enum=files,enum=count,default=lines"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"Ignore case"`
	Word       bool   `json:"word,omitempty" jsonschema:"Whole words only"`
	Multiline  bool   `json:"multiline,omitempty" jsonschema:"Let a match span lines"`
	Type       string `json:"type,omitempty" jsonschema:"Only files of this type: go py ts"`
	Before     int    `json:"before,omitempty" jsonschema:"description=Lines of context before,minimum=0,maximum=100"`
	After      int    `json:"after,omitempty" jsonschema:"description=Lines of context after,minimum=0,maximum=100"`
	Context    int    `json:"context,omitempty" jsonschema:"description=Lines of context around,minimum=0,maximum=100"`
	HeadLimit  int    `json:"head_limit,omitempty" jsonschema:"description=Most results,default=100,minimum=1,maximum=10000"`
	Offset     int    `json:"offset,omitempty" jsonschema:"description=Results to skip,minimum=0"`
}

func (in grepIn) String() string { return "grep " + in.Pattern }

var _ tool.Stringer = grepIn{}

// grepMeta is the metadata of grep.
type grepMeta struct {
	Pattern string `json:"pattern"`           // as it was asked for
	Count   int    `json:"count"`             // lines found; in mode files their files
	Files   int    `json:"files"`             // that have one
	Capped  bool   `json:"capped,omitempty"`  // there are more
	Partial bool   `json:"partial,omitempty"` // time ran out
}

// Grep finds lines by content, in the newest files first, and leaves out what ignore rules hide and rules deny to read.
// It also searches what the session keeps of a result that was too long.
func Grep(w *Files) tool.Tool {
	s := tool.Spec{
		Name:      "grep",
		Aliases:   []string{"Grep", "search_file_content", "grep_search", "grep_files"},
		Title:     "Content Search",
		Origin:    folders.Origin("grep"),
		Doc:       doc.Of("grep"),
		Kind:      tool.Read,
		Category:  "search",
		Tags:      []string{"search", "grep", "regex"},
		Params:    grepParams(),
		Translate: grepWords(),
		Limits:    []string{"head_limit"},
	}
	return tool.Renders[grepData](tool.Plan(s, func(_ context.Context, c *tool.Call, in grepIn) (*tool.Job, error) {
		if strings.HasPrefix(in.Path, tool.SpillScheme) {
			if err := in.ofSpill(); err != nil {
				return nil, err
			}
			return &tool.Job{Effects: []tool.Effect{}, Run: func(ctx context.Context) (*tool.Result, error) {
				return grepSpill(ctx, c, in)
			}}, nil
		}
		p, err := w.Resolve(c, in.Path)
		if err != nil {
			return nil, err
		}
		return &tool.Job{
			Effects:   []tool.Effect{{Kind: tool.Read, Target: p.Target()}},
			Signature: in.Pattern,
			Run: func(ctx context.Context) (*tool.Result, error) {
				return w.grep(ctx, c, in, p)
			},
		}, nil
	}))
}

// grep searches files. The longest search answers with what it has, and says so.
func (w *Files) grep(ctx context.Context, c *tool.Call, in grepIn, p fsroot.Path) (*tool.Result, error) {
	var left hiddenSecrets
	q, err := w.query(in, p, &left)
	if err != nil {
		return nil, err
	}
	e, err := w.Engine(p.Root())
	if err != nil {
		return nil, err
	}
	if c.Whole > 0 { // a program wants the lines as they are, and may mark what it found in them
		q.MaxText, q.Columns = 0, !in.Multiline
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	out := grepOut{
		prefix: folders.RootPrefix(p.Root()),
		mode:   q.Mode,
		before: q.Before,
		after:  q.After,
		room:   c.Whole,
		call:   c,
		left:   &left,
	}
	out.data.Ignored = in.unused(q.Hidden)
	sum, err := e.Grep(ctx, q, out.add)
	if err != nil {
		return nil, searchError(err)
	}
	return out.result(in, sum)
}

// unused says what of a question means nothing beside the rest of it. named tells that it names a file.
func (in grepIn) unused(named bool) []string {
	var out []string
	if in.Mode != "lines" && in.Before+in.After+in.Context > 0 {
		out = append(out, "before, after and context show lines, which mode "+in.Mode+" does not")
	}
	if named && (in.Include != "" || len(in.Exclude) > 0 || in.Type != "") {
		out = append(out, "include, exclude and type choose files, and path names one")
	}
	slices.Reverse(out) // what is said first is about the files
	return out
}

// grepModes are the modes that do not show lines.
var grepModes = map[string]search.Mode{"files": search.Files, "count": search.Count}

// query is the engine's form of the question.
func (w *Files) query(in grepIn, p fsroot.Path, left *hiddenSecrets) (search.Query, error) {
	q := search.Query{
		Patterns:   []string{in.Pattern},
		IgnoreCase: in.IgnoreCase,
		Word:       in.Word,
		Multiline:  in.Multiline,
		Before:     max(in.Before, in.Context),
		After:      max(in.After, in.Context),
		Mode:       grepModes[in.Mode],
		Sort:       search.Newest,
		Limit:      in.HeadLimit,
		Offset:     in.Offset,
		Skip:       neverSearched,
		MaxText:    grepLineShown,
		Explain:    true,
	}
	if in.Include != "" {
		q.Include = severalGlobs(in.Include)
	}
	without, err := in.Exclude.negated()
	if err != nil {
		return q, tool.Verbatim(tool.Validation, "Parameter validation failed: %w", err)
	}
	q.Include = append(q.Include, without...)
	if in.Type != "" {
		q.Types = []string{in.Type}
	}
	st, err := w.Files.Stat(p)
	switch {
	case folders.IsMissing(err):
		return q, tool.Errorf(tool.Execution, "Path not found: %s", p.Shown())
	case err != nil:
		return q, folders.ToolError(err)
	case st.Mode().IsRegular():
		q.NoIgnore, q.Hidden = true, true // who names a file wants it searched
		q.Paths = []string{p.Rel()}
		left = nil // and who approves of the call has seen its name
	case st.IsDir():
		q.Paths = []string{p.Rel()}
	default:
		return q, tool.Errorf(tool.Validation, "%s is not a regular file", p.Shown())
	}
	q.Without = w.without(p, left)
	return q, nil
}

// chosen says that what chooses files chose none, which no other word of an empty answer does.
func (in grepIn) chosen(sum search.Summary) []string {
	if sum.Searched > 0 || sum.Partial {
		return nil
	}
	var by []string
	if in.Include != "" {
		by = append(by, fmt.Sprintf("the glob %q of include", in.Include))
	}
	if in.Type != "" {
		by = append(by, fmt.Sprintf("the type %q", in.Type))
	}
	if len(by) == 0 {
		return nil
	}
	return []string{"no file that can be searched here matches " + strings.Join(by, " and ")}
}
