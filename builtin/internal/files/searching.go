package files

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"helve/builtin/internal/folders"
	"helve/builtin/internal/render"
	"helve/engine/search"
	"helve/engine/tree"
	"helve/tool"
)

// searchTime is when a search answers with what it has: a model waits for nothing longer, and can narrow the question.
const searchTime = 20 * time.Second

// searchError gives an engine's error its code: a bad pattern, glob or type is the model's to mend.
func searchError(err error) error {
	if odd, ok := errors.AsType[*tree.FilterError](err); ok {
		return tool.Errorf(tool.Validation, "%s", odd.Reason)
	}
	bad, ok := errors.AsType[*search.PatternError](err)
	if ok {
		e := tool.Errorf(tool.Validation, "%v", bad)
		if bad.Hint != "" && !strings.Contains(bad.Error(), bad.Hint) {
			e.Hint = bad.Hint
		}
		return e
	}
	return folders.ToolError(err)
}

// searched is what every search says of itself.
type searched struct {
	render.Extent
	Capped     bool       `json:"capped,omitempty" jsonschema:"There may be more than the limit"`
	Partial    bool       `json:"partial,omitempty" jsonschema:"Time ran out"`
	Searched   int        `json:"files_searched" jsonschema:"Files looked at, or ruled out by an index"`
	Binary     int        `json:"binary_files,omitempty" jsonschema:"Files left out because they are no text"`
	Secrets    int        `json:"secrets,omitempty" jsonschema:"Files left out because they may hold secrets, at most 1000"`
	Failures   int        `json:"failures,omitempty" jsonschema:"Files and directories that could not be read"`
	Failed     []string   `json:"failed,omitempty" jsonschema:"The first of them"`
	Hidden     []hiddenBy `json:"hidden,omitempty" jsonschema:"What hides files, where nothing was found"`
	HiddenMore bool       `json:"hidden_more,omitempty" jsonschema:"There are more hidden files than were counted"`
}

// hiddenBy is how many files something hides.
type hiddenBy struct {
	Files  int    `json:"files"`
	Reason string `json:"reason" jsonschema:"Goes on behind: 3 hidden …"`
	Rule   bool   `json:"rule,omitempty" jsonschema:"An ignore rule does"`
}

// searchedOf is a summary as data, with the secrets that were left out. cut is what of the lines is missing, in words.
func searchedOf(sum search.Summary, left *hiddenSecrets, cut string) searched {
	out := searched{
		Capped:     sum.Capped,
		Partial:    sum.Partial,
		Searched:   sum.Searched,
		Binary:     sum.Binary,
		Secrets:    left.count(),
		Failures:   sum.Failures,
		HiddenMore: sum.HiddenMore,
	}
	for _, err := range sum.Failed {
		out.Failed = append(out.Failed, err.Error())
	}
	for _, h := range sum.Hidden {
		out.Hidden = append(out.Hidden, hiddenBy{Files: h.Files, Reason: h.Reason, Rule: h.Rule != nil})
	}
	limit, late, unread := "", "", ""
	if sum.Capped {
		limit = "stopped at the limit"
	}
	if sum.Partial {
		late = "time ran out"
	}
	if sum.Failures > 0 {
		unread = fmt.Sprintf("%d files or directories could not be read", sum.Failures)
	}
	out.Extent = render.ExtentOf(limit, late, unread, secretsLeftOut(out.Secrets), cut)
	return out
}

// searchedWhole refuses to give a program a part: it would take it for the whole.
func searchedWhole(c *tool.Call, sum search.Summary) error {
	if c.Whole == 0 || !sum.Partial {
		return nil
	}
	return tool.Errorf(tool.TimedOut, "not searched to the end: time ran out after %d files", sum.Searched).
		WithHint("Narrow it: name a path, or a glob of files.")
}

// nothing says that nothing was found, and what may be the reason.
func (s *searched) nothing(words string) string {
	var b strings.Builder
	b.WriteString(words)
	if s.Partial {
		fmt.Fprintf(&b, "\n[not searched to the end: time ran out after %d files; narrow it with path or include]",
			s.Searched)
	}
	// Three reasons are enough to see what is in the way.
	if s.Searched == 0 && len(s.Hidden) > 0 {
		b.WriteString("\n[0 files searched;")
		for i, h := range s.Hidden[:min(3, len(s.Hidden))] {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s", s.hiddenFiles(h))
		}
		b.WriteString("]")
	}
	if s.Searched > 0 {
		b.WriteString(s.hiddenByRules())
	}
	if s.Binary > 0 {
		fmt.Fprintf(&b, "\n[%d binary files left out]", s.Binary)
	}
	return b.String() + s.failures()
}

// hiddenByRules names the ignore rules because of which a search that found nothing did not look at some files.
func (s *searched) hiddenByRules() string {
	var parts []string
	for _, h := range s.Hidden {
		if h.Rule && len(parts) < 3 {
			parts = append(parts, s.hiddenFiles(h))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n[not searched: " + strings.Join(parts, ", ") + "]"
}

// hiddenFiles says how many files something hides, as far as they were counted.
func (s *searched) hiddenFiles(h hiddenBy) string {
	least := ""
	if s.HiddenMore {
		least = "≥ "
	}
	return fmt.Sprintf("%s%d hidden %s", least, h.Files, h.Reason)
}

// notes say plainly where an answer is not the whole one.
func (s *searched) notes(shown, narrow string) string {
	var b strings.Builder
	if s.Capped {
		fmt.Fprintf(&b, "[≥ %s; stopped at the cap: %s]\n", shown, narrow)
	}
	if s.Partial {
		fmt.Fprintf(&b, "[not searched to the end: time ran out; %s]\n", narrow)
	}
	return b.String() + strings.TrimPrefix(s.failures(), "\n")
}

// failures says what could not be read, with the first reason: it often explains all of them.
func (s *searched) failures() string {
	if s.Failures == 0 {
		return ""
	}
	return fmt.Sprintf("\n[%d files or directories could not be read, the first: %s]", s.Failures, s.Failed[0])
}

// atLeast is a count that is honest about where it stopped.
func (s *searched) atLeast(n int) string {
	if s.Capped || s.Partial {
		return fmt.Sprintf("≥ %d", n)
	}
	return fmt.Sprint(n)
}
