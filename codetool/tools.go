package codetool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"helve/engine/code"
	"helve/engine/schema"
	"helve/internal/fsroot"
	"helve/tool"
)

// All are the code tools of an index, in the order in which a model is shown them: the questions, then those of profile
// codebase-index, from the whole project to its parts, then what connects them. The tools share the index; none of them
// reads anything before it is called.
func All(x *Index) []tool.Tool {
	return append(questions(x), structure(x)...)
}

// structure are the eighteen tools that profile codebase-index lists.
func structure(x *Index) []tool.Tool {
	return []tool.Tool{
		build(x, getProjectSummary(x)),
		build(x, listFiles(x)),
		build(x, getStructureSummary(x)),
		build(x, getFunctions(x)),
		build(x, getClasses(x)),
		build(x, getImports(x)),
		build(x, getFunctionSource(x)),
		build(x, getClassSource(x)),
		build(x, findSymbol(x)),
		build(x, getDependencies(x)),
		build(x, getDependents(x)),
		build(x, getChangeImpact(x)),
		build(x, getCallChain(x)),
		build(x, getFileDependencies(x)),
		build(x, getFileDependents(x)),
		build(x, searchCodebase(x)),
		build(x, reindex(x)),
		build(x, getUsageStats(x)),
	}
}

// Core tells whether a tool is one that lists show by default; the others answer to their names all the same.
func Core(name string) bool {
	switch name {
	case "explore", "find", "outline", "source", "uses", "used_by", "impact", "path":
		return true
	}
	return false
}

// A spec is what tells one tool from the others. The type of its arguments gives the schema, and its String method
// what the call is called in approvals and records.
type spec[In any] struct {
	name, title, short string

	// file is the path among the arguments; nil: there is none. run gets it relative to the root.
	file   func(*In) *string
	input  *schema.Schema // nil: that of In
	limits []string       // the arguments that spare a model's context
	run    runner[In]

	// renders makes the tool one whose text is made of data of the type that run returns.
	renders func(tool.Tool) tool.Tool
}

// A runner makes the answer to one call.
type runner[In any] func(context.Context, *sheet, In) (tool.Rendered, error)

// asking is a runner that needs the state of the tree: most of them.
func asking[In any](x *Index, ask func(context.Context, *code.Snapshot, *sheet, In) (tool.Rendered, error)) runner[In] {
	return func(ctx context.Context, s *sheet, in In) (tool.Rendered, error) {
		snap, err := x.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return ask(ctx, snap, s, in)
	}
}

// searchTime bounds the search of one call, however many names it asks for: the answer is there within 5 s. What was
// found until then is the answer, which says that there may be more.
const searchTime = 4500 * time.Millisecond

// build makes the tool of a spec: paths resolved, effects said, usage counted. All but the arguments is made once for
// all tools: what stands here is compiled for each of their types.
func build[In any](x *Index, d spec[In]) tool.Tool {
	h := head{x: x, name: d.name, question: d.input != nil}
	file, run := d.file, d.run
	plan := func(_ context.Context, c *tool.Call, in In) (*tool.Job, error) {
		var path *string
		if file != nil {
			path = file(&in)
		}
		answer := func(ctx context.Context, s *sheet) (tool.Rendered, error) { return run(ctx, s, in) }
		return h.job(c, path, &in, answer)
	}
	return d.renders(tool.Plan(h.spec(d.title, d.short, d.limits, d.input), plan))
}

// A head is what of a tool does not depend on its arguments.
type head struct {
	x        *Index
	name     string
	question bool // one of the eight
}

func (h head) spec(title, short string, limits []string, input *schema.Schema) tool.Spec {
	return tool.Spec{
		Name:     h.name,
		Title:    title,
		Origin:   tool.Origin{Kind: tool.Builtin, Name: h.name},
		Doc:      tool.Doc{Short: short},
		Kind:     tool.Read,
		Category: "code",
		Tags:     []string{"code", "structure"},
		Params:   spellings(),
		Limits:   limits,
		Input:    input,
	}
}

// job is what a call does. path is the path among its arguments, nil for none.
func (h head) job(
	c *tool.Call, path *string, in any, ask func(context.Context, *sheet) (tool.Rendered, error),
) (*tool.Job, error) {
	p, err := h.x.place(c, path)
	if err != nil {
		return nil, err
	}
	job := &tool.Job{}
	if h.question {
		job.Title = h.name + " " + fmt.Sprint(in)
	}
	if h.question && !h.x.there(p.Rel()) { // the name of a module, wherever that is
		p, err = h.x.place(c, nil)
		if err != nil {
			return nil, err
		}
	}
	job.Effects = []tool.Effect{{Kind: tool.Read, Target: p.Target()}}
	job.Run = func(ctx context.Context) (*tool.Result, error) { return h.x.answer(ctx, h.name, c, ask) }
	return job, nil
}

// spellings are what models call these arguments when they do not look at the schema.
func spellings() map[string]string {
	return map[string]string{
		"path":          "file_path",
		"file":          "file_path",
		"folder":        "file_path",
		"module":        "file_path",
		"symbol":        "name",
		"symbol_name":   "name",
		"function_name": "name",
		"class_name":    "name",
		"regex":         "pattern",
		"from":          "from_name",
		"to":            "to_name",
	}
}

// place resolves a path of a call in place: what runs, and what is approved, is the path relative to the root. None is
// the root itself.
func (x *Index) place(c *tool.Call, path *string) (fsroot.Path, error) {
	if path == nil || *path == "" {
		return x.roots.Resolve("", ".")
	}
	p, err := x.roots.Resolve(c.Dir, *path)
	if err != nil {
		code := tool.Validation
		if errors.Is(err, fsroot.ErrOutside) {
			code = tool.Permission
		}
		return p, &tool.Error{Code: code, Err: err}
	}
	*path = p.Rel()
	return p, nil
}

// answer runs a question and counts what it gave: the bytes of the answer, and of the files that it speaks of. What
// failed is not counted.
func (x *Index) answer(
	ctx context.Context, name string, c *tool.Call, ask func(context.Context, *sheet) (tool.Rendered, error),
) (*tool.Result, error) {
	s := &sheet{
		x:      x,
		call:   c,
		budget: answerTokens - reservedTokens,
		state:  func() string { return x.state(ctx) },
	}
	data, err := ask(ctx, s)
	if err != nil {
		return nil, failure(err)
	}
	res := tool.Render(data)
	text := res.Text()
	x.usage.add(name, int64(len(text)), x.sizes(s.files))
	return res.WithSummary("%s: %d lines", name, strings.Count(text, "\n")+1), nil
}

// failure gives an error its code: that a name is unknown is the caller's mistake, and the error has suggestions.
func failure(err error) error {
	if _, ok := errors.AsType[*code.UnknownError](err); ok {
		return &tool.Error{Code: tool.Validation, Err: unknown{err}}
	}
	return err
}

// unknown is an error of the engine without the engine's name: a model knows the tool alone.
type unknown struct{ error }

func (u unknown) Error() string { return strings.TrimPrefix(u.error.Error(), "code: ") }
func (u unknown) Unwrap() error { return u.error }

// state names what the tree holds now; "" while nothing is known of it.
func (x *Index) state(ctx context.Context) string {
	o := x.working()
	if o == nil {
		return ""
	}
	return o.source.state(ctx)
}

// sizes are the bytes of files: what a model would have read without the tool.
func (x *Index) sizes(files map[string]bool) int64 {
	o := x.working()
	if o == nil {
		return 0
	}
	var n int64
	for f := range files {
		n += o.source.size(f)
	}
	return n
}
