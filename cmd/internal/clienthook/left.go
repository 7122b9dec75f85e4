package clienthook

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"helve/cmd/internal/setup"
	"helve/engine/shell"
	"helve/internal/state"
	"helve/internal/workspace"
	"helve/tool"
)

// What helve exec could not run as the client does is left as it is: a line that is not run is better than one that
// does something else. It is asked about, unless it only looks or is a command of the person's own: who can have a line
// left unconfined by what stands in it would do that with every line.

const (
	// maxSnapshot bounds what is read of the person's shell, in bytes: completions make them long.
	maxSnapshot = 2 << 20
	// maxSnapshots bounds the snapshots of which the newest is looked for; the client keeps one for each session.
	maxSnapshots = 1000
)

// saysReplacement tells that the replacement character itself stands in a JSON text, as it is or as an escape.
func saysReplacement(input []byte) bool {
	if bytes.Contains(input, []byte("\uFFFD")) {
		return true
	}
	return bytes.Contains(bytes.ToLower(input), []byte(`\ufffd`))
}

// unread tells why nobody can read a line; "" for one that can be judged. What is no text in the event has become
// something else in the line.
func (r *run) unread(line string) string {
	if len(line) > shell.MaxLength {
		const long = "it has %d bytes, and at most %d are read: put the script into a file and run that"
		return fmt.Sprintf(long, len(line), shell.MaxLength)
	}
	if strings.ContainsRune(line, utf8.RuneError) && !saysReplacement(r.event.Input) {
		return "it is no text in UTF-8"
	}
	return ""
}

// leave is the verdict on a line that nobody can read.
func leave(why string) workspace.ForeignVerdict {
	v := tool.Verdict{Decision: tool.Ask, Reason: "helve cannot confine it: " + why, Layer: "default"}
	return workspace.ForeignVerdict{Verdict: v}
}

// own tells which commands of a call only the person's shell knows, and whether all else in it only looks.
func (r *run) own(j *judged) (names []string, alone bool) {
	if r.Client.Name != "claude-code" {
		return nil, false
	}
	var known []string
	alone = j.verdict.Whole
	for i, c := range j.verdict.Commands {
		if c.Program == "" || c.Wrapped || setup.Look(r.Getenv("PATH"), c.Program) != "" {
			alone = alone && c.ReadOnly
			continue
		}
		if i == 0 || known == nil {
			known = append(r.snapshot(), "") // "": it was looked for
		}
		if c.Program == filepath.Base(c.Words[0]) && slices.Contains(known, c.Words[0]) {
			names = append(names, c.Program)
		} else {
			alone = alone && c.ReadOnly
		}
	}
	return names, alone
}

// snapshot are the aliases and functions that Claude Code has its shells know, from its newest copy of the person's.
func (r *run) snapshot() []string {
	dir := r.Getenv("CLAUDE_CONFIG_DIR")
	if !filepath.IsAbs(dir) {
		dir = r.home(".claude")
	}
	dir = filepath.Join(dir, "shell-snapshots")
	newest, at := "", int64(0)
	for _, e := range entries(dir, maxSnapshots) {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().UnixNano() > at {
			newest, at = e.Name(), info.ModTime().UnixNano()
		}
	}
	if newest == "" {
		return nil
	}
	text, err := state.Read(filepath.Join(dir, newest), maxSnapshot)
	if err != nil {
		return nil
	}
	return defined(string(text))
}

// lazy is an expression that is compiled when it is asked for: few calls do.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	anAlias    = lazy(`(?m)^\s*alias (?:-- )?'?([^\s='"]+)=`)
	aFunction  = lazy(`(?m)^\s*(?:function\s+)?([A-Za-z_][\w.:-]*)\s*\(\)`)
	anEncoding = lazy(`(?m)echo '([A-Za-z0-9+/=\s]+)' \| base64 -d`)
)

// defined are the names that a shell knows from a text. Functions stand in it as they are, or in base64.
func defined(text string) []string {
	var out []string
	for _, m := range anEncoding().FindAllStringSubmatch(text, -1) {
		if plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(m[1]), "")); err == nil {
			text += "\n" + string(plain)
		}
	}
	for _, form := range []*regexp.Regexp{anAlias(), aFunction()} {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	return out
}
