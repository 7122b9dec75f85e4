package command

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"helve/internal/workspace"
)

// A logLevel is how much of what a library logs is said; "" is warn.
type logLevel string

func (l *logLevel) String() string { return string(*l) }
func (l *logLevel) Type() string   { return "string" }

// Set takes the value of the flag. A level that does not exist is a mistake, where slog would take a number for one.
func (l *logLevel) Set(s string) error {
	switch s {
	case "debug", "info", "warn", "error":
		*l = logLevel(s)
		return nil
	}
	return fmt.Errorf("want debug, info, warn or error")
}

// level is the lowest that is said. Without the flag that is what package helve thinks worth a person's notice, which
// is less than all warnings of libraries.
func (l logLevel) level() slog.Level {
	switch l {
	case "error":
		return slog.LevelError
	case "info":
		return slog.LevelInfo
	case "debug":
		return slog.LevelDebug
	}
	return workspace.LevelNotice
}

// Talk writes what a library logs as lines of the program's own talk: a person reads sentences, not key=value.
type Talk struct {
	Say   func(format string, args ...any)
	Level slog.Leveler
	attrs []slog.Attr
}

func (t Talk) Enabled(_ context.Context, l slog.Level) bool { return l >= t.Level.Level() }

// Handle says a record in one line: a warning is marked as one, an error is what the line is about anyway.
func (t Talk) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	if r.Level >= slog.LevelWarn && r.Level < slog.LevelError {
		b.WriteString("warning: ")
	}
	add := func(at slog.Attr) bool {
		b.WriteString(at.Key + " " + at.Value.String() + ": ")
		return true
	}
	for _, at := range t.attrs {
		add(at)
	}
	r.Attrs(add)
	b.WriteString(r.Message)
	t.Say("%s", OneLine(b.String()))
	return nil
}

func (t Talk) WithAttrs(attrs []slog.Attr) slog.Handler {
	t.attrs = slices.Concat(t.attrs, attrs) // several loggers share what came before
	return t
}

// WithGroup leaves the group out: the attributes are read in a sentence.
func (t Talk) WithGroup(string) slog.Handler { return t }
