package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"helve/engine/search"
	"helve/internal/fsroot"
	"helve/tool"
)

// neverSearched are directories whose content is nobody's question.
var neverSearched = []string{"node_modules", ".git"}

// globIn are the parameters of glob.
type globIn struct {
	Pattern string `json:"pattern" jsonschema:"description=Glob such as *.go or src/**/*.{ts\\,tsx}; matches at any depth,minLength=1"`
	Path    string `json:"path,omitempty" jsonschema:"description=Directory to look in; default: the workspace"`
	Exclude globs  `json:"exclude,omitempty" jsonschema:"description=Globs left out"`
	Limit   int    `json:"limit,omitempty" jsonschema:"description=Most paths,default=100,minimum=1,maximum=10000"`
}

func (in globIn) String() string { return "glob " + in.Pattern }

var _ tool.Stringer = globIn{}

// globMeta is the metadata of glob.
type globMeta struct {
	Pattern string `json:"pattern"`           // as it was asked for
	Count   int    `json:"count"`             // paths in the result
	Dir     string `json:"cwd"`               // where it looked, absolute
	Capped  bool   `json:"capped,omitempty"`  // there are more
	Partial bool   `json:"partial,omitempty"` // time ran out
}

// Glob finds files by name, the newest first, and leaves out what ignore rules hide. Where it finds nothing it says
// what is hidden.
func Glob(w *Workspace) tool.Tool {
	s := tool.Spec{
		Name:      "glob",
		Aliases:   []string{"Glob", "find_files", "file_search"},
		Title:     "File Search",
		Origin:    origin("glob"),
		Doc:       doc("glob"),
		Kind:      tool.Read,
		Category:  "search",
		Tags:      []string{"search", "file", "glob"},
		Params:    globParams(),
		Translate: globWords(),
	}
	return tool.Plan(s, func(_ context.Context, c *tool.Call, in globIn) (*tool.Job, error) {
		dir, err := w.resolve(c, in.Path)
		if err != nil {
			return nil, err
		}
		if _, err := in.Exclude.negated(); err != nil {
			return nil, tool.Verbatim(tool.Validation, "Parameter validation failed: %w", err)
		}
		pattern, err := relativePatterns(in.Pattern, dir)
		if err != nil {
			return nil, err
		}
		return &tool.Job{
			Effects:   []tool.Effect{{Kind: tool.Read, Target: dir.Target()}},
			Signature: in.Pattern,
			Run: func(ctx context.Context) (*tool.Result, error) {
				return w.glob(ctx, in, pattern, dir)
			},
		}, nil
	})
}

// relativePatterns is relativePattern for each of several, *.go,*.txt, as one pattern for all.
func relativePatterns(text string, dir fsroot.Path) (string, error) {
	all := severalGlobs(text)
	for i, p := range all {
		relative, err := relativePattern(p, dir)
		if err != nil {
			return "", err
		}
		all[i] = relative
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return "{" + strings.Join(all, ",") + "}", nil
}

// relativePattern makes the pattern one below dir that matches at any depth. An absolute one must point below dir.
func relativePattern(pattern string, dir fsroot.Path) (string, error) {
	p := filepath.ToSlash(pattern)
	if filepath.IsAbs(pattern) {
		base := strings.TrimSuffix(filepath.ToSlash(dir.Abs()), "/") + "/" // the file system's root has a slash already
		rest, ok := strings.CutPrefix(p, base)
		if !ok {
			return "", tool.Errorf(tool.Permission, "%s: outside %s", pattern, dir.Abs()).
				WithHint("Give the pattern relative to the workspace.")
		}
		return rest, nil
	}
	if strings.Contains("/"+p+"/", "/../") {
		return "", tool.Errorf(tool.Permission, "%s: a pattern cannot lead out of its directory", pattern).
			WithHint("Name the directory as path.")
	}
	p = strings.TrimPrefix(p, "./")
	if strings.HasPrefix(p, "**/") { // it matches at any depth already
		return p, nil
	}
	return "**/" + p, nil
}

// glob lists what the engine finds. The longest search answers with what it has, and says so.
func (w *Workspace) glob(ctx context.Context, in globIn, pattern string, dir fsroot.Path) (*tool.Result, error) {
	asked := in.Pattern
	if err := w.mustBeDir(dir); err != nil {
		return nil, err
	}
	e, err := w.engine(dir.Root())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	without, err := in.Exclude.negated()
	if err != nil {
		return nil, err // it was sound when the call was understood
	}
	q := search.GlobQuery{
		Pattern: pattern,
		Path:    dir.Rel(),
		Exclude: without,
		Skip:    neverSearched,
		Sort:    search.Newest,
		Limit:   in.Limit,
	}
	found, sum, err := e.Glob(ctx, q)
	if err != nil {
		return nil, globError(err, asked, pattern)
	}
	meta := globMeta{asked, len(found), dir.Abs(), sum.Capped, sum.Partial}
	if len(found) == 0 {
		res := tool.NewResult(tool.Text(nothing("No files found matching pattern: "+asked, sum))).WithMeta(meta)
		return res.WithSummary("no files match %s", asked), nil
	}
	var b strings.Builder
	for _, f := range found {
		b.WriteString(shownPath(rootPrefix(dir.Root())+f.Path) + "\n")
	}
	shown := fmt.Sprintf("%d files, the newest", len(found))
	b.WriteString(notes(sum, shown, "narrow the pattern, name a path, or raise limit"))
	res := tool.NewResult(tool.Text(strings.TrimSuffix(b.String(), "\n"))).WithMeta(meta)
	return res.WithSummary("%s files match %s", atLeast(len(found), sum), asked), nil
}

// globError shows the pattern as it was asked for, where that is not the one that the engine was given.
func globError(err error, asked, given string) error {
	failed := searchError(err)
	if e, ok := errors.AsType[*tool.Error](failed); ok && asked != given {
		told := strings.Replace(e.Err.Error(), strconv.Quote(given), strconv.Quote(asked), 1)
		e.Err = errors.New(told)
	}
	return failed
}

// mustBeDir refuses what is no directory, or is not there, when the call runs: at the time of the approval it may
// have been another.
func (w *Workspace) mustBeDir(p fsroot.Path) error {
	st, err := w.files.Stat(p)
	if isMissing(err) {
		return tool.Errorf(tool.Execution, "Directory not found: %s", p.Shown())
	}
	if err != nil {
		return toolError(err)
	}
	if !st.IsDir() {
		return tool.Errorf(tool.Validation, "Path is a file, not a directory: %s", p.Shown())
	}
	return nil
}
