package acp

import (
	"helve/internal/rpc"
	"helve/policy"
)

// modeOption is the option that says the same as the modes: newer editors show options.
const modeOption = "mode"

// state is what an editor shows of a session.
func (s *session) state() sessionOut {
	all, now := s.host.Modes()
	out := sessionOut{Modes: modeState{Current: now.String()}, Options: s.options()}
	for _, m := range all {
		out.Modes.Available = append(out.Modes.Available, mode{m.String(), modeName(m), m.Summary()})
	}
	return out
}

// options are what a person can choose.
func (s *session) options() []configOption {
	all, now := s.host.Modes()
	out := configOption{
		ID:          modeOption,
		Name:        "Mode",
		Description: "How free the agent is",
		Category:    "mode",
		Type:        "select",
		Current:     now.String(),
	}
	for _, m := range all {
		out.Options = append(out.Options, optionValue{m.String(), modeName(m), m.Summary()})
	}
	return []configOption{out}
}

// modeName is what a person reads.
func modeName(m policy.Mode) string {
	name := m.String()
	return string(name[0]-'a'+'A') + name[1:]
}

// choose gives the session a mode.
func (s *session) choose(name string) *rpc.Error {
	m, err := policy.ParseMode(name)
	if err != nil || !s.host.SetMode(m) {
		return wrong("the mode %.40q cannot be chosen here", name)
	}
	return nil
}

// tellMode says that the mode is another one, of itself.
func (s *session) tellMode() {
	_, now := s.host.Modes()
	s.tell(update{Kind: "current_mode_update", Mode: now.String()})
	s.tell(update{Kind: "config_option_update", Options: s.options()})
}
