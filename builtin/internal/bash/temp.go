package bash

import (
	"fmt"
	"path/filepath"
	"strings"

	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/internal/fsroot"
)

// A folder that outlives its command is the command's /tmp: what the line names of the machine's is copied into it
// before, and what is new in it to the machine's afterwards.

// tempPlace is where a command finds it.
const tempPlace = "/tmp"

// bringTemp gives the command the temporary folder of its conversation, where it has one and is confined.
func (c *command) bringTemp(w *Commands) {
	level := c.confine.Level
	if w.Attached == nil || w.Attached.Temp == nil || level == sandbox.Off || level == sandbox.Light {
		return
	}
	c.confine.Temp = w.Attached.Temp.Dir()
	if c.reach.Mechanism == sandbox.Landlock { // it reads the machine's
		return
	}
	named, judged := c.namedPaths()
	hidden := func(path string) bool {
		target := w.target(path)
		return w.Denied != nil && w.Denied(target) || w.Secret(target) && !judged[path]
	}
	if err := w.Attached.Temp.Bring(named, hidden); err != nil {
		c.gaps = append(c.gaps, fmt.Sprintf("what the line names in /tmp could not be copied for it: %v", err))
	}
}

// namedPaths are the absolute paths in the words of a command line, and which of them the policy judged.
func (c *command) namedPaths() (named []string, judged map[string]bool) {
	judged = map[string]bool{}
	for _, e := range c.line.Effects {
		if e.Kind == shell.Read || e.Kind == shell.Write {
			path := filepath.Clean(c.target(e.Target))
			named, judged[path] = append(named, path), true
		}
	}
	for _, s := range c.line.Commands {
		for _, word := range s.Words {
			if _, value, ok := strings.Cut(word, "="); ok {
				word = value
			}
			if filepath.IsAbs(word) && len(named) < maxMentions && !strings.ContainsRune(word, 0) {
				named = append(named, filepath.Clean(word))
			}
		}
	}
	return named, judged
}

// leaveTemp copies what is new in the temporary folder of the conversation to the machine's. The note names what could
// not be.
func (c *command) leaveTemp(w *Commands) string {
	if c.confine.Temp == "" || c.reach.Mechanism == sandbox.Landlock {
		return ""
	}
	left, err := w.Attached.Temp.Leave()
	switch {
	case err != nil:
		return fmt.Sprintf("[what is new in /tmp is there for commands alone: %v]", err)
	case len(left) == 0:
		return ""
	}
	var names []string
	for _, name := range left[:min(len(left), shownLeft)] {
		names = append(names, fsroot.Quote(filepath.Join(tempPlace, name)))
	}
	more := ""
	if len(left) > shownLeft {
		more = fmt.Sprintf(" and %d more", len(left)-shownLeft)
	}
	return "[commands of this conversation have files of their own in /tmp, and others see what stands there " +
		"already, or nothing where it is too much: " + strings.Join(names, ", ") + more + "]"
}
