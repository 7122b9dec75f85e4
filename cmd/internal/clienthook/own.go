package clienthook

import (
	"os"
	"strings"

	"helve/cmd/internal/setup"
	"helve/internal/workspace"
)

// Own is this program as shells find it; without a path where the system does not say it.
func Own(getenv func(string) string) Program {
	path, named, err := setup.Own(getenv)
	if err != nil {
		return Program{}
	}
	p := Program{Path: path}
	if named {
		p.Name = setup.Name
	}
	return p
}

// OwnGuards are what has clients ask this program, in these folders and in the person's.
func OwnGuards(getenv func(string) string, dirs []string) workspace.Guards {
	own, _ := os.Executable() // where it is not known it is no client's program either
	return Guards(getenv, dirs, Own(getenv).Path, own, os.Args[0])
}

// Names are those of the clients whose hooks are known, for a message.
func Names() string {
	var out []string
	for _, c := range Clients() {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}
