// Package policy decides what an agent may see and do. It does no I/O.
package policy

import (
	"fmt"
	"strings"

	"helve/tool"
)

// A Mode is how free an agent is. The zero value is the most careful one.
type Mode uint8

const (
	Plan     Mode = iota // read-only tools are listed and callable, others are neither
	AskFirst             // reading is free, everything else is asked about
	Auto                 // what AskFirst would ask about is allowed inside the workspace; net and tools of others are still asked about
)

var modeNames = [...]string{"plan", "ask", "auto"}

func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", m)
}

// ParseMode turns plan, ask or auto into a Mode.
func ParseMode(s string) (Mode, error) {
	for i, n := range modeNames {
		if strings.EqualFold(s, n) {
			return Mode(i), nil
		}
	}
	return Plan, fmt.Errorf("mode %q: want plan, ask or auto", s)
}

var _ tool.Policy = Mode(0)

// Lists offers every tool, in plan mode those that change nothing.
func (m Mode) Lists(s *tool.Spec) tool.Verdict {
	if m != AskFirst && m != Auto && !s.ReadOnly {
		return tool.Verdict{Reason: "plan mode offers read-only tools only", Rule: "mode:plan", Layer: "mode"}
	}
	return tool.Verdict{Decision: tool.Allow}
}

// Judge allows reading inside the workspace and asks about the rest, as the mode says. What is outside is refused: no mode opens it.
func (m Mode) Judge(j *tool.Job) tool.Verdict {
	worst := tool.Verdict{Decision: tool.Allow, Reason: "it only reads"}
	for _, e := range j.Judged() {
		if v := m.effect(j.Spec, e); v.Decision < worst.Decision {
			worst = v
		}
	}
	return worst
}

func (m Mode) effect(s *tool.Spec, e tool.Effect) tool.Verdict {
	rule := "mode:" + m.String()
	switch {
	case m != AskFirst && m != Auto && !s.ReadOnly:
		return tool.Verdict{Reason: "plan mode allows read-only tools only", Rule: rule, Layer: "mode"}
	case e.Kind == tool.Read && (s.Origin.Kind == tool.Builtin || s.Origin.Kind == tool.Go):
		return tool.Verdict{Decision: tool.Allow}
	case m == Auto && e.Kind != tool.Net && s.Origin.Kind != tool.MCP:
		return tool.Verdict{Decision: tool.Allow, Reason: "auto mode", Rule: rule, Layer: "mode"}
	}
	return tool.Verdict{Decision: tool.Ask, Reason: fmt.Sprintf("%s is asked about in %s mode", e.Kind, m), Rule: rule, Layer: "mode"}
}
