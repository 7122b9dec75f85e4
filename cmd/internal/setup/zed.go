package setup

// zedSettings are Zed's settings: helve stands there twice, as a server of tools for every agent, and as an agent
// (helve acp).
type zedSettings struct{ tools, agent jsonFile }

func zedForm() form {
	return zedSettings{jsonFile{"context_servers", plain}, jsonFile{"agent_servers", zedAgent}}
}

// zedAgent is helve as an agent. Zed names the folder in which it works.
func zedAgent(l Line) []member {
	return []member{{"type", "custom"}, {"command", l.Command}, {"args", []string{"acp"}}}
}

func (z zedSettings) set(text []byte, l Line) ([]byte, error) {
	text, err := z.tools.set(text, l)
	if err != nil {
		return nil, err
	}
	return z.agent.set(text, l)
}

func (z zedSettings) unset(text []byte) ([]byte, error) {
	text, err := z.tools.unset(text)
	if err != nil {
		return nil, err
	}
	return z.agent.unset(text)
}

func (z zedSettings) snippet(l Line) string {
	text, err := z.agent.set([]byte(z.tools.snippet(l)), l)
	if err != nil {
		panic("setup: " + err.Error()) // a text of ours can be changed
	}
	return string(text)
}

func (z zedSettings) words(text []byte) []string { return z.tools.words(text) }
