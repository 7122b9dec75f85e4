package telemetry

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"helve/tool"
)

// Calls have the calls of a kit told to a provider, which is not nil.
type Calls struct{ To Provider }

// spanKey is the context key of a call's span, workKey that of the span of its work.
type (
	spanKey struct{}
	workKey struct{}
)

// Around is the middleware of whole calls. It should be the outermost but for a console, so that refusals are told,
// too.
func (c Calls) Around(next tool.Caller) tool.Caller {
	return func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
		began := time.Now()
		ctx, span := c.To.Start(ctx, Start{
			Name:   executeTool, // what it is called by may be anything: the tool's own name comes when it is known
			Parent: TraceOf(call.Meta),
			Attrs:  []Attr{{Key: operationName, Text: executeTool}, {Key: toolType, Text: functionType}},
		})
		ended := false
		defer func() {
			if !ended { // a panic, which goes on
				span.End(string(tool.Unknown))
			}
		}()
		res, err := next(context.WithValue(ctx, spanKey{}, span), call)
		ended = true
		failed := failureOf(res, err)
		name, _ := nameOf(res)
		span.Rename(executeTool + " " + name)
		span.Set(resultAttrs(call, res)...)
		span.End(failed)
		if call.Gateway == "" { // else that one counts it: both may tell one collector, where its parts are added up
			c.count(ctx, res, failed, time.Since(began))
		}
		return res, err
	}
}

// nameOf is the name of the tool that a call meant, and its source.
func nameOf(res *tool.Result) (name, source string) {
	if res == nil || res.Spec == nil {
		return Other, Other
	}
	return res.Spec.Origin.Name, res.Spec.Origin.Source()
}

// failureOf is what kind of failure a call came to; "": none.
func failureOf(res *tool.Result, err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return string(tool.TimedOut)
	case err != nil || res == nil:
		return string(tool.Cancelled)
	case res.Err == nil:
		return ""
	case res.Err.Code == tool.Execution && res.Spec != nil && res.Spec.Origin.Kind == tool.MCP:
		return toolError
	}
	return string(res.Err.Code)
}

// resultAttrs are what is known of a call when it is over.
func resultAttrs(call *tool.Call, res *tool.Result) []Attr {
	name, source := nameOf(res)
	out := []Attr{{Key: toolName, Text: name}, {Key: sourceKey, Text: source}}
	if call.ID != "" {
		out = append(out, Attr{Key: toolCallID, Text: call.ID})
	}
	if res == nil {
		return out
	}
	v := res.Verdict
	if res.Job != nil || v.Reason != "" {
		out = append(out, Attr{Key: verdictKey, Text: v.Decision.String()})
		out = appendText(out, ruleKey, v.Rule)
		out = appendText(out, layerKey, v.Layer)
	}
	out = appendText(out, approverKey, string(res.Approver.Kind))
	if res.Job != nil {
		out = appendText(out, effectsKey, kindsOf(res.Job))
	}
	if n := len(res.Repairs); n > 0 {
		out = append(out, Attr{Key: repairsKey, Number: int64(n)})
	}
	if res.Cut > 0 {
		out = append(out, Attr{Key: cutKey, Number: int64(res.Cut)})
	}
	return out
}

func appendText(to []Attr, key, text string) []Attr {
	if text == "" {
		return to
	}
	return append(to, Attr{Key: key, Text: text})
}

// kindsOf are the kinds of a job's effects, each once.
func kindsOf(j *tool.Job) string {
	var kinds []string
	for _, e := range j.Judged() {
		if k := e.Kind.String(); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	return strings.Join(kinds, ",")
}

// count measures a call that is over. One that waits for its client comes again.
func (c Calls) count(ctx context.Context, res *tool.Result, failed string, took time.Duration) {
	if res != nil && res.Need != nil {
		return
	}
	name, source := nameOf(res)
	of := []Attr{{Key: toolName, Text: name}, {Key: sourceKey, Text: source}}
	ended := append(slices.Clone(of), Attr{Key: outcomeKey, Text: cmp.Or(failed, "ok")})
	if res != nil && res.Job != nil {
		ended = appendText(ended, verdictKey, res.Verdict.Decision.String())
	}
	waited := time.Duration(0)
	if res != nil {
		waited = res.Asked
	}
	timed := appendText(slices.Clone(of), ErrorType, failed)
	c.measure(ctx, toolDuration, Duration, max(0, took-waited).Seconds(), timed)
	c.measure(ctx, callsCount, Counter, 1, ended)
	if res == nil {
		return
	}
	if asked := res.Asked + res.Took; asked > 0 {
		by := appendText(slices.Clone(of), approverKey, string(res.Approver.Kind))
		c.measure(ctx, askedDuration, Duration, asked.Seconds(), by)
	}
	if n := len(res.Repairs); n > 0 {
		c.measure(ctx, repairsCount, Counter, float64(n), of)
	}
	if res.Cut > 0 {
		c.measure(ctx, cutBytes, Counter, float64(res.Cut), of)
	}
}

func (c Calls) measure(ctx context.Context, name string, m Meter, value float64, attrs []Attr) {
	measure(ctx, c.To, name, m, value, attrs)
}

func measure(ctx context.Context, to Provider, name string, m Meter, value float64, attrs []Attr) {
	to.Measure(ctx, Measurement{Name: name, Unit: unitOf(name), Meter: m, Value: value, Attrs: attrs})
}

// Watch is for tool.KitOptions.Watch: that somebody is asked, and what they said, are events of the call's span.
func (c Calls) Watch(ctx context.Context, e tool.Event) {
	span, _ := ctx.Value(spanKey{}).(Span)
	if span == nil { // a call that did not pass Around
		return
	}
	switch e.Step {
	case tool.Asked:
		span.Event(askedEvent)
	case tool.Answered:
		span.Event(answeredEvent, Attr{Key: approverKey, Text: string(e.Answer.By.Kind)})
	}
}

// Wrap is the middleware of what works, innermost: its span is below the call's, so that waiting for a turn and working
// are apart.
func (c Calls) Wrap(next tool.Runner) tool.Runner {
	return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
		ctx, span := c.To.Start(ctx, Start{Name: runSpan, Attrs: []Attr{{Key: toolName, Text: j.Spec.Origin.Name}}})
		ended := false
		defer func() {
			if !ended {
				span.End(string(tool.Unknown))
			}
		}()
		res, err := next(context.WithValue(ctx, workKey{}, span), j)
		ended = true
		span.End(runFailure(res, err, j))
		return res, err
	}
}

// Going is what another program goes on with that does the work of a call. The zero value: nobody keeps it.
func Going(ctx context.Context) Trace {
	span, _ := ctx.Value(workKey{}).(Span)
	if span == nil {
		return Trace{}
	}
	return span.Trace()
}

func runFailure(res *tool.Result, err error, j *tool.Job) string {
	if res != nil && res.Spec == nil { // the door sets it, later
		own := *res
		own.Spec = j.Spec
		res = &own
	}
	return failureOf(res, err)
}
