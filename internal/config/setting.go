package config

import (
	stdjson "encoding/json"
	"fmt"
	"time"

	"helve/internal/json"
)

// A Setting is what tools says of a tool: on, off, or how it is approved.
type Setting string

const (
	On      Setting = "true"
	Off     Setting = "false"
	Allowed Setting = "allow"
	Asked   Setting = "ask"
	Denied  Setting = "deny"
)

// MarshalJSON writes true, false or the word.
func (s Setting) MarshalJSON() ([]byte, error) {
	if s == On || s == Off {
		return []byte(s), nil
	}
	return stdjson.Marshal(string(s))
}

// UnmarshalJSON reads true, false, allow, ask (or its alias approval) or deny.
func (s *Setting) UnmarshalJSON(b []byte) error {
	set, ok := parseSetting(string(b))
	if !ok {
		return fmt.Errorf(`want true, false, "allow", "ask" or "deny", got %s`, shorten(string(b)))
	}
	*s = set
	return nil
}

// parseSetting reads a JSON literal.
func parseSetting(literal string) (Setting, bool) {
	switch literal {
	case "true":
		return On, true
	case "false":
		return Off, true
	case `"allow"`:
		return Allowed, true
	case `"ask"`, `"approval"`:
		return Asked, true
	case `"deny"`:
		return Denied, true
	}
	return "", false
}

// settingOf is what a value of tools says; false where it says nothing that counts.
func settingOf(n *json.Node) (Setting, bool) {
	if n == nil || n.Kind == json.KindObject || n.Kind == json.KindArray {
		return "", false
	}
	return parseSetting(n.String())
}

// strictness orders settings: the higher, the less is possible.
func (s Setting) strictness() int {
	switch s {
	case Off:
		return 4
	case Denied:
		return 3
	case Asked:
		return 2
	case On:
		return 1
	}
	return 0
}

// A Duration is written as "30s", "1h".
type Duration time.Duration

// MarshalText writes it as Go does.
func (d Duration) MarshalText() ([]byte, error) {
	return []byte(time.Duration(d).String()), nil
}

// UnmarshalText reads a positive duration with its unit.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf(`want a duration like "30s", got %q`, shorten(string(b)))
	}
	*d = Duration(v)
	return nil
}

// shown is how much of a wrong value an error repeats.
const shown = 80

func shorten(s string) string {
	if len(s) > shown {
		return s[:shown] + "…"
	}
	return s
}
