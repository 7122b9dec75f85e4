package policy

import (
	"fmt"
	"strings"

	"helve/tool"
)

// A Mode is how free an agent is. The zero value is the most careful one.
type Mode uint8

const (
	// Plan lists and calls read-only tools, and no others.
	Plan Mode = iota
	// AskFirst lets everything inside the workspace be read, and asks about everything else.
	AskFirst
	// Review is AskFirst, but that commands whose changes can be held back run unasked: a person sees all that one
	// changed before any of it is made.
	Review
	// Auto allows inside the workspace what AskFirst would ask about. It asks about the network and about tools of
	// others.
	Auto
)

var modeNames = [...]string{"plan", "ask", "review", "auto"}

func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", m)
}

// ParseMode turns plan, ask, review or auto, in any case, into a Mode. The error names the four.
func ParseMode(s string) (Mode, error) {
	for i, n := range modeNames {
		if strings.EqualFold(s, n) {
			return Mode(i), nil
		}
	}
	return Plan, fmt.Errorf("mode %q: want plan, ask, review or auto", s)
}

var _ tool.Policy = Mode(0)

// Lists is that of Rules without a layer.
func (m Mode) Lists(s *tool.Spec) tool.Verdict {
	return m.rules().Lists(s)
}

// Judge is that of Rules without a layer.
func (m Mode) Judge(j *tool.Job) tool.Verdict {
	return m.rules().Judge(j)
}

func (m Mode) rules() *Rules {
	return &Rules{o: Options{Mode: m}}
}

// plans tells that only reading is possible. A mode that does not exist is the careful one.
func (m Mode) plans() bool {
	return m != AskFirst && m != Review && m != Auto
}
