package configure

import (
	"context"
	"strings"

	"helve/agent/memory"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/internal/config"
)

// instructing are the files of a workspace that would instruct models, as they would be read once it is trusted.
func (o trustOptions) instructing(ctx context.Context, s command.Streams, dir string) (memory.Memory, error) {
	all, err := o.LoadAs(s, dir, func(string, string) bool { return true })
	if err != nil {
		return memory.Memory{}, err
	}
	return asking.FindMemory(ctx, s, dir, all.Memory)
}

// acceptsAll is what trust would have count: what the configuration would loosen or run, and what models would be told.
// What changed since it was trusted is shown; all of what was not, to a person.
func (o trustOptions) acceptsAll(s command.Streams, dir string, c *config.Config, files memory.Memory) string {
	var parts []string
	if c.Project {
		parts = append(parts, o.accepts(s, dir, c))
	}
	if names := asking.MemoryNames(s, files); len(names) > 0 {
		parts = append(parts, "models would be told what stands in "+strings.Join(names, ", "))
		trusted, _ := asking.MemoryStore(s).Trusted(dir) // one that cannot be read trusts nothing
		if len(trusted) > 0 || s.Terminal().Present() {
			parts = append(parts, asking.MemoryText(files, trusted))
		}
	}
	return strings.TrimRight(strings.Join(parts, "\n"), "\n")
}
