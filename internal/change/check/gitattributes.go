package check

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"helve/internal/git"
)

// judgeAttributes tells why a list of git's attributes is dangerous: what is new in it has git run one of the drivers
// that the person's or the repository's settings have. In git's own folder any of them counts, which nobody's ordinary
// work writes; elsewhere those that would run what a file holds.
func (c *checker) judgeAttributes(at place, own bool) string {
	if len(c.guard.drivers) == 0 {
		return ""
	}
	text, err := c.read(at, maxText)
	if err != nil {
		return "git's attributes: " + err.Error()
	}
	had := bytes.Split(c.readBefore(at, maxText), []byte("\n"))
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\n")
		if slices.ContainsFunc(had, func(l []byte) bool { return bytes.Equal(l, line) }) {
			continue
		}
		for _, word := range strings.Fields(string(line)) {
			kind, name, _ := strings.Cut(word, "=")
			d, known := c.guard.drivers[kind+"."+name]
			if known && (own || d.loose) {
				return d.why
			}
		}
	}
	return ""
}

// drivers notes what git's attributes can choose by a name.
func (s *survey) drivers(one git.Setting) {
	kind := one.Section + "." + one.Key
	switch kind {
	case "filter.clean", "filter.smudge", "filter.process", "diff.command", "diff.textconv", "merge.driver":
	default:
		return
	}
	program, _, _ := strings.Cut(strings.TrimSpace(one.Value), " ")
	d := driver{
		why:   "git would run a program on what it names: " + one.Name() + " is " + strconv.Quote(shown(one.Value)),
		loose: slices.Contains(gitObeys()["interpreters"], path.Base(program)),
	}
	name := one.Section + "." + one.Sub
	d.loose = d.loose || s.out.drivers[name].loose
	s.out.drivers[name] = d
}
