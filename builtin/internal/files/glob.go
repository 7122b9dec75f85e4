package files

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/engine/search"
	"helve/internal/fsroot"
	"helve/tool"
)

// neverSearched are directories whose content is nobody's question.
var neverSearched = []string{"node_modules", ".git"}

// globIn are the parameters of glob.
type globIn struct {
	Pattern string `json:"pattern" jsonschema:"description=Glob such as *.go or src/**/*.{ts\\,tsx}; matches at any depth,minLength=1"`
	Path    string `json:"path,omitempty" jsonschema:"Directory to look in; default: the workspace"`
	Exclude globs  `json:"exclude,omitempty" jsonschema:"Globs left out"`
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
func Glob(w *Files) tool.Tool {
	s := tool.Spec{
		Name:      "glob",
		Aliases:   []string{"Glob", "find_files", "file_search"},
		Title:     "File Search",
		Origin:    folders.Origin("glob"),
		Doc:       doc.Of("glob"),
		Kind:      tool.Read,
		Category:  "search",
		Tags:      []string{"search", "file", "glob"},
		Params:    globParams(),
		Translate: globWords(),
		Limits:    []string{"limit"},
	}
	return tool.Renders[globData](tool.Plan(s, func(_ context.Context, c *tool.Call, in globIn) (*tool.Job, error) {
		dir, err := w.Resolve(c, in.Path)
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
				return w.glob(ctx, c, globbing{in, pattern, dir})
			},
		}, nil
	}))
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

// globData is what glob found.
type globData struct {
	Pattern string     `json:"pattern" jsonschema:"As it was asked for"`
	Files   []globFile `json:"files" jsonschema:"The newest first"`
	searched
}

// globFile is a file that was found.
type globFile struct {
	Path     string    `json:"path" jsonschema:"Relative to the workspace"`
	Size     int64     `json:"size" jsonschema:"Bytes"`
	Modified time.Time `json:"modified"`
}

// globAround is how much a file takes in JSON beside its path, in bytes, at least.
const globAround = 48

// Text is the answer for a model: the paths, and where it stopped.
func (d globData) Text() string {
	if len(d.Files) == 0 {
		return d.nothing("No files found matching pattern: "+d.Pattern) + secretsNote(d.Secrets, globSecrets)
	}
	var b strings.Builder
	for _, f := range d.Files {
		b.WriteString(f.Path + "\n")
	}
	shown := fmt.Sprintf("%d files, the newest", len(d.Files))
	b.WriteString(d.notes(shown, "narrow the pattern, name a path, or raise limit"))
	return strings.TrimSuffix(b.String(), "\n") + secretsNote(d.Secrets, globSecrets)
}

// A globbing is one call of glob, understood.
type globbing struct {
	in      globIn
	pattern string // relative to dir
	dir     fsroot.Path
}

// glob lists what the engine finds. The longest search answers with what it has, and says so.
func (w *Files) glob(ctx context.Context, c *tool.Call, g globbing) (*tool.Result, error) {
	in, dir, asked := g.in, g.dir, g.in.Pattern
	if err := w.MustBeDir(dir); err != nil {
		return nil, err
	}
	e, err := w.Engine(dir.Root())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	without, err := in.Exclude.negated()
	if err != nil {
		return nil, err // it was sound when the call was understood
	}
	limit := in.Limit
	if limit == 0 { // a program: no more are held than it can take
		limit = c.Room(0)/globAround + 1
	}
	var left hiddenSecrets
	found, sum, err := e.Glob(ctx, search.GlobQuery{
		Pattern: g.pattern,
		Path:    dir.Rel(),
		Exclude: without,
		Skip:    neverSearched,
		Sort:    search.Newest,
		Limit:   limit,
		Without: w.secretsOut(dir, &left),
	})
	if err != nil {
		return nil, globError(err, asked, g.pattern)
	}
	if err := searchedWhole(c, sum); err != nil {
		return nil, err
	}
	if sum.Capped && in.Limit == 0 {
		return nil, c.TooLarge()
	}
	data := globData{Pattern: asked, Files: []globFile{}, searched: searchedOf(sum, &left, "")}
	for _, f := range found {
		data.Files = append(data.Files, globFile{
			Path:     fsroot.Quote(folders.RootPrefix(dir.Root()) + f.Path),
			Size:     f.Stat.Size,
			Modified: time.Unix(0, f.Stat.MTime).UTC(),
		})
	}
	res := tool.Render(data).WithMeta(globMeta{asked, len(found), dir.Abs(), sum.Capped, sum.Partial})
	if len(found) == 0 {
		return res.WithSummary("no files match %s", asked), nil
	}
	return res.WithSummary("%s files match %s", data.atLeast(len(found)), asked), nil
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
