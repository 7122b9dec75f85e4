package builtin

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"helve/engine/search"
	"helve/engine/tree"
	"helve/internal/fsroot"
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
	return toolError(err)
}

// nothing says that nothing was found, and what may be the reason.
func nothing(words string, sum search.Summary) string {
	var b strings.Builder
	b.WriteString(words)
	if sum.Partial {
		fmt.Fprintf(&b, "\n[not searched to the end: time ran out after %d files; narrow it with path or include]",
			sum.Searched)
	}
	// Three reasons are enough to see what is in the way.
	if sum.Searched == 0 && len(sum.Hidden) > 0 {
		b.WriteString("\n[0 files searched;")
		for i, h := range sum.Hidden[:min(3, len(sum.Hidden))] {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s", hiddenFiles(h, sum))
		}
		b.WriteString("]")
	}
	if sum.Searched > 0 {
		b.WriteString(hiddenByRules(sum))
	}
	if sum.Binary > 0 {
		fmt.Fprintf(&b, "\n[%d binary files left out]", sum.Binary)
	}
	return b.String() + failures(sum)
}

// hiddenByRules names the ignore rules because of which a search that found nothing did not look at some files.
func hiddenByRules(sum search.Summary) string {
	var parts []string
	for _, h := range sum.Hidden {
		if h.Rule != nil && len(parts) < 3 {
			parts = append(parts, hiddenFiles(h, sum))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n[not searched: " + strings.Join(parts, ", ") + "]"
}

// hiddenFiles says how many files something hides, as far as they were counted.
func hiddenFiles(h tree.Hidden, sum search.Summary) string {
	least := ""
	if sum.HiddenMore {
		least = "≥ "
	}
	return fmt.Sprintf("%s%d hidden %s", least, h.Files, h.Reason)
}

// notes say plainly where an answer is not the whole one.
func notes(sum search.Summary, shown, narrow string) string {
	var b strings.Builder
	if sum.Capped {
		fmt.Fprintf(&b, "[≥ %s; stopped at the cap: %s]\n", shown, narrow)
	}
	if sum.Partial {
		fmt.Fprintf(&b, "[not searched to the end: time ran out; %s]\n", narrow)
	}
	return b.String() + strings.TrimPrefix(failures(sum), "\n")
}

// failures says what could not be read, with the first reason: it often explains all of them.
func failures(sum search.Summary) string {
	if sum.Failures == 0 {
		return ""
	}
	return fmt.Sprintf("\n[%d files or directories could not be read, the first: %v]", sum.Failures, sum.Failed[0])
}

// shownPath is a path fit for a line of its own: a name with line ends or other controls is quoted, so that no file
// can forge entries.
func shownPath(p string) string { return fsroot.Quote(p) }

// atLeast is a count that is honest about where it stopped.
func atLeast(n int, sum search.Summary) string {
	if sum.Capped || sum.Partial {
		return fmt.Sprintf("≥ %d", n)
	}
	return fmt.Sprint(n)
}
