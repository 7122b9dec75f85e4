package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"helve"
)

// A logLevel is how much of what a library logs is said; "" is warn.
type logLevel string

func (l *logLevel) String() string { return string(*l) }
func (l *logLevel) Type() string   { return "string" }

func (l *logLevel) Set(s string) error {
	switch s {
	case "debug", "info", "warn", "error":
		*l = logLevel(s)
		return nil
	}
	return fmt.Errorf("want debug, info, warn or error")
}

func (l logLevel) level() slog.Level {
	switch l {
	case "error":
		return slog.LevelError
	case "info":
		return slog.LevelInfo
	case "debug":
		return slog.LevelDebug
	}
	return helve.LevelNotice
}

// talk writes what a library logs as lines of the program's own talk.
type talk struct {
	say   func(format string, args ...any)
	level slog.Leveler
	attrs []slog.Attr
}

func (t talk) Enabled(_ context.Context, l slog.Level) bool { return l >= t.level.Level() }

func (t talk) Handle(_ context.Context, r slog.Record) error {
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
	t.say("%s", oneLine(b.String()))
	return nil
}

func (t talk) WithAttrs(attrs []slog.Attr) slog.Handler {
	t.attrs = append(t.attrs[:len(t.attrs):len(t.attrs)], attrs...)
	return t
}

func (t talk) WithGroup(string) slog.Handler { return t }
