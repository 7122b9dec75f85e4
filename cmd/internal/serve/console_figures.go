package serve

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"helve/server/console"
	"helve/wrap"
)

const (
	// maxFigured bounds the records that a chart is made of, ten times what is usually kept; figureTime how long it
	// is read.
	maxFigured = 1_000_000
	figureTime = 15 * time.Second
	// maxNames bounds the tools that are told apart: a model may call what it likes. Others are one.
	maxNames = 2000
	// otherName stands for them.
	otherName = "_other"
)

// Figures are what the record says of a time, in parts of equal length.
func (d *consoleData) Figures(ctx context.Context, of console.FigureQuery) (console.Figures, error) {
	f := newFigured(of)
	late := time.Now().Add(figureTime)
	looked := 0
	whole, err := d.s.Records().Briefs(of.Since, func(r wrap.Brief) bool {
		looked++
		f.partial = f.records == maxFigured || looked%1000 == 0 && time.Now().After(late)
		f.oldest = r.Time
		if !f.partial && r.Time.Before(of.Until) {
			f.add(&r)
		}
		return !f.partial && ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	out := f.figures()
	if whole || f.partial {
		out.From = f.oldest
	}
	d.saved(&out.Saved)
	return out, err
}

// tokenBytes is about how many bytes of text a token has.
const tokenBytes = 4

// saved adds what lists cost now.
func (d *consoleData) saved(out *console.FigureSaved) {
	ws := d.w.workspace()
	if ws == nil {
		return
	}
	v := ws.Kit().View()
	for _, s := range v.Specs() {
		out.Listed += d.cost(s, v.Name(s))
	}
	for _, s := range v.Unlisted() {
		out.Deferred += d.cost(s, v.Name(s))
	}
	for _, w := range v.Withheld() {
		out.Off += d.cost(w.Spec, w.Name)
	}
}

// figured is what is added up of records.
type figured struct {
	of      console.FigureQuery
	since   time.Time
	chosen  int
	cut     int64
	step    time.Duration
	parts   []tally
	tools   map[[2]string]*tally
	errors  map[[2]string]int
	records int
	partial bool
	oldest  time.Time // of the records that were looked at
}

// A tally is some calls: their counts, and the time of each for the percentiles.
type tally struct {
	console.FigurePart
	bytes int64
	cut   int64
	took  []float32
}

func newFigured(of console.FigureQuery) *figured {
	return &figured{
		of:     of,
		since:  of.Since,
		step:   max(of.Until.Sub(of.Since)/time.Duration(of.Parts), time.Millisecond),
		parts:  make([]tally, of.Parts),
		tools:  map[[2]string]*tally{},
		errors: map[[2]string]int{},
	}
}

func (f *figured) add(r *wrap.Brief) {
	if r.Outcome == "need" || r.Run { // it came again with the answer, or its gateway has it as well
		return
	}
	f.records++
	key := [2]string{r.Name, r.Source}
	t := f.tools[key]
	if t == nil && len(f.tools) >= maxNames {
		key = [2]string{otherName, ""}
		t = f.tools[key]
	}
	if t == nil {
		t = &tally{}
		f.tools[key] = t
	}
	t.add(r)
	if (f.of.Tool == "" || f.of.Tool == r.Name) && (f.of.Source == "" || f.of.Source == r.Source) {
		i := int(r.Time.Sub(f.since) / f.step)
		f.parts[min(max(i, 0), len(f.parts)-1)].add(r)
		f.chosen++
		f.cut += int64(r.Cut)
	}
	if r.Outcome != "ok" {
		f.fail([2]string{key[0], r.Outcome})
	}
}

// fail counts what went wrong with a tool.
func (f *figured) fail(what [2]string) {
	if _, known := f.errors[what]; !known && len(f.errors) >= maxNames {
		what = [2]string{otherName, otherName}
	}
	f.errors[what]++
}

func (t *tally) add(r *wrap.Brief) {
	t.Calls++
	t.Asked += r.Asked
	t.bytes += int64(r.Out)
	t.cut += int64(r.Cut)
	t.took = append(t.took, float32(r.Duration))
	switch r.Outcome {
	case "ok", "stopped":
	case "permission_error":
		t.Refused++
	default:
		t.Failed++
	}
}

// part is the tally with its percentiles.
func (t *tally) part() console.FigurePart {
	slices.Sort(t.took)
	p := t.FigurePart
	p.P50, p.P90, p.P99 = percentile(t.took, 50), percentile(t.took, 90), percentile(t.took, 99)
	return p
}

// percentile is the value that so many of a hundred do not exceed; 0 of none.
func percentile(sorted []float32, n int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := (len(sorted)*n + 99) / 100
	return float64(sorted[max(i, 1)-1])
}

const (
	// mostTools and mostErrors bound the rows below the charts: the first ones matter.
	mostTools, mostErrors = 200, 100
)

func (f *figured) figures() console.Figures {
	out := console.Figures{
		Since:   f.since,
		Step:    f.step.Seconds(),
		Parts:   make([]console.FigurePart, 0, len(f.parts)),
		Tools:   []console.FigureTool{},
		Errors:  []console.FigureError{},
		Records: f.records,
		Chosen:  f.chosen,
		Saved:   console.FigureSaved{Cut: f.cut / tokenBytes},
		Partial: f.partial,
	}
	for i := range f.parts {
		out.Parts = append(out.Parts, f.parts[i].part())
	}
	for key, t := range f.tools {
		out.Tools = append(out.Tools, console.FigureTool{
			Tool:       key[0],
			Source:     key[1],
			Bytes:      t.bytes,
			Cut:        t.cut,
			FigurePart: t.part(),
		})
	}
	slices.SortStableFunc(out.Tools, func(a, b console.FigureTool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Tool, b.Tool),
			strings.Compare(a.Source, b.Source))
	})
	for _, key := range slices.Collect(maps.Keys(f.errors)) {
		out.Errors = append(out.Errors, console.FigureError{Tool: key[0], Code: key[1], N: f.errors[key]})
	}
	slices.SortStableFunc(out.Errors, func(a, b console.FigureError) int {
		return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Tool, b.Tool), strings.Compare(a.Code, b.Code))
	})
	out.Tools = out.Tools[:min(len(out.Tools), mostTools)]
	out.Errors = out.Errors[:min(len(out.Errors), mostErrors)]
	return out
}
