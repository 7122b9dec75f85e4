package child

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// momentModule is datetime. It does not know what time it is: the same script with the same calls gives the same
// result.
func momentModule() *starlarkstruct.Module {
	return &starlarkstruct.Module{Name: "datetime", Members: starlark.StringDict{
		"parse":     starlark.NewBuiltin("datetime.parse", parseMoment),
		"from_unix": starlark.NewBuiltin("datetime.from_unix", unixMoment),
		"delta":     starlark.NewBuiltin("datetime.delta", makeSpan),
	}}
}

// The forms that are read: those of ISO 8601, and those of mails, HTTP and logs.
var momentForms = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04",
	"2006-01-02",
	"2006/01/02 15:04:05",
	"2006/01/02",
	"20060102T150405Z0700",
	time.RFC1123Z,
	time.RFC1123,
	time.RFC850,
	time.ANSIC,
	time.UnixDate,
	"Mon Jan _2 15:04:05 2006 -0700", // of git log
	"02/Jan/2006:15:04:05 -0700",     // of web servers
	"2 Jan 2006",
	"Jan 2, 2006",
}

// parseMoment is datetime.parse(text). What names no zone is UTC.
func parseMoment(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "text", &text); err != nil {
		return nil, err
	}
	for _, form := range momentForms {
		if t, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return moment{t}, nil
		}
	}
	return nil, fmt.Errorf("datetime.parse: %q is no date: what is read looks like 2006-01-02, 2006-01-02T15:04:05Z "+
		"or Mon, 02 Jan 2006 15:04:05 GMT", text)
}

// unixMoment is datetime.from_unix(seconds).
func unixMoment(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var seconds starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "seconds", &seconds); err != nil {
		return nil, err
	}
	d, err := secondsOf(seconds, 1)
	if err != nil {
		return nil, fmt.Errorf("datetime.from_unix: %w", err)
	}
	return moment{time.Unix(0, 0).UTC().Add(d)}, nil
}

// secondsOf is a number of seconds, or of another unit of so many, as a span.
func secondsOf(v starlark.Value, unit float64) (time.Duration, error) {
	f, ok := starlark.AsFloat(v)
	if !ok {
		return 0, fmt.Errorf("want a number, not a %s", v.Type())
	}
	ns := f * unit * float64(time.Second)
	const most = 1 << 62 // nanoseconds: 146 years
	if !(ns > -most && ns < most) {
		return 0, fmt.Errorf("%v is too much", v)
	}
	return time.Duration(ns), nil
}

// makeSpan is datetime.delta(days=, hours=, minutes=, seconds=).
func makeSpan(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var zero starlark.Value = starlark.MakeInt(0)
	days, hours, minutes, seconds, weeks := zero, zero, zero, zero, zero
	err := starlark.UnpackArgs(b.Name(), args, kwargs,
		"days?", &days, "seconds?", &seconds, "minutes?", &minutes, "hours?", &hours, "weeks?", &weeks)
	if err != nil {
		return nil, err
	}
	var total time.Duration
	for _, part := range []struct {
		v    starlark.Value
		unit float64
	}{{weeks, 7 * 86400}, {days, 86400}, {hours, 3600}, {minutes, 60}, {seconds, 1}} {
		d, err := secondsOf(part.v, part.unit)
		if err != nil {
			return nil, fmt.Errorf("datetime.delta: %w", err)
		}
		total += d
	}
	return span(total), nil
}

// A moment is a date with a time.
type moment struct{ at time.Time }

var (
	_ starlark.HasAttrs   = moment{}
	_ starlark.HasBinary  = moment{}
	_ starlark.Comparable = moment{}
)

func (m moment) String() string        { return isoFormat(m.at) }
func (m moment) Type() string          { return "datetime" }
func (m moment) Freeze()               {}
func (m moment) Truth() starlark.Bool  { return true }
func (m moment) Hash() (uint32, error) { return starlark.MakeInt64(m.at.UnixNano()).Hash() }

// isoFormat is a moment as Python's isoformat writes it.
func isoFormat(t time.Time) string {
	form := "2006-01-02T15:04:05"
	if t.Nanosecond() != 0 {
		form += ".000000"
	}
	return t.Format(form + "-07:00")
}

func (m moment) AttrNames() []string {
	return []string{"date", "day", "hour", "isoformat", "minute", "month", "second", "timestamp", "weekday", "year"}
}

func (m moment) Attr(name string) (starlark.Value, error) {
	switch name {
	case "year":
		return starlark.MakeInt(m.at.Year()), nil
	case "month":
		return starlark.MakeInt(int(m.at.Month())), nil
	case "day":
		return starlark.MakeInt(m.at.Day()), nil
	case "hour":
		return starlark.MakeInt(m.at.Hour()), nil
	case "minute":
		return starlark.MakeInt(m.at.Minute()), nil
	case "second":
		return starlark.MakeInt(m.at.Second()), nil
	case "weekday": // Monday is 0
		return method(name, starlark.MakeInt((int(m.at.Weekday())+6)%7)), nil
	case "timestamp":
		return method(name, starlark.Float(float64(m.at.UnixMicro())/1e6)), nil
	case "isoformat":
		return method(name, starlark.String(isoFormat(m.at))), nil
	case "date":
		return method(name, starlark.String(m.at.Format(time.DateOnly))), nil
	}
	return nil, nil
}

// method is a method without parameters, whose value is known.
func method(name string, v starlark.Value) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(
		_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		return v, starlark.UnpackArgs(b.Name(), args, kwargs)
	})
}

// CompareSameType compares two moments, whatever their zones.
func (m moment) CompareSameType(op syntax.Token, other starlark.Value, _ int) (bool, error) {
	return compared(op, m.at.Compare(other.(moment).at)), nil
}

// compared is a comparison of what is less, the same or more.
func compared(op syntax.Token, c int) bool {
	switch op {
	case syntax.EQL:
		return c == 0
	case syntax.NEQ:
		return c != 0
	case syntax.LT:
		return c < 0
	case syntax.LE:
		return c <= 0
	case syntax.GT:
		return c > 0
	}
	return c >= 0
}

// Binary is the difference of two moments, and a moment so much later or earlier.
func (m moment) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	switch y := y.(type) {
	case moment:
		if op == syntax.MINUS {
			return span(m.at.Sub(y.at)), nil
		}
	case span:
		switch {
		case op == syntax.PLUS:
			return moment{m.at.Add(time.Duration(y))}, nil
		case op == syntax.MINUS && side == starlark.Left:
			return moment{m.at.Add(-time.Duration(y))}, nil
		}
	}
	return nil, nil
}

// A span is the time between two moments.
type span time.Duration

var (
	_ starlark.HasAttrs   = span(0)
	_ starlark.HasBinary  = span(0)
	_ starlark.Comparable = span(0)
)

func (s span) String() string        { return time.Duration(s).String() }
func (s span) Type() string          { return "timedelta" }
func (s span) Freeze()               {}
func (s span) Truth() starlark.Bool  { return s != 0 }
func (s span) Hash() (uint32, error) { return starlark.MakeInt64(int64(s)).Hash() }

func (s span) AttrNames() []string { return []string{"days", "seconds", "total_seconds"} }

const aDay = 24 * time.Hour

// Attr has days and seconds as Python has them: the seconds are what is left beside whole days, never less than 0.
func (s span) Attr(name string) (starlark.Value, error) {
	days := int64(time.Duration(s) / aDay)
	rest := time.Duration(s) % aDay
	if rest < 0 {
		days, rest = days-1, rest+aDay
	}
	switch name {
	case "days":
		return starlark.MakeInt64(days), nil
	case "seconds":
		return starlark.MakeInt64(int64(rest / time.Second)), nil
	case "total_seconds":
		return method(name, starlark.Float(time.Duration(s).Seconds())), nil
	}
	return nil, nil
}

func (s span) CompareSameType(op syntax.Token, other starlark.Value, _ int) (bool, error) {
	return compared(op, cmp.Compare(s, other.(span))), nil
}

// Binary adds and takes away spans.
func (s span) Binary(op syntax.Token, y starlark.Value, _ starlark.Side) (starlark.Value, error) {
	other, ok := y.(span)
	switch {
	case ok && op == syntax.PLUS:
		return s + other, nil
	case ok && op == syntax.MINUS:
		return s - other, nil
	}
	return nil, nil
}
