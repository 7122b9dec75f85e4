package display

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"helve/agent"
	"helve/cmd/internal/terminal"
	"helve/tool"
)

const (
	// endLines are shown of one that ended, and failedLines of one that failed: there the reason is at the end.
	endLines, failedLines = 5, 15
	// diffLines are shown of a change that nobody was asked about.
	diffLines = 40
	// briefRunes are shown of what is said about a call, in characters.
	briefRunes = 100
	// lineCells bound a line where no terminal does: two such texts, and what stands around them.
	lineCells = 2*briefRunes + 4
)

const (
	indent = "  " // before the lines below a call
	gap    = "  " // between the parts of a line
)

// width is how many cells a line has: those of the terminal, or enough for a log.
func (d *Display) width() int {
	if terminal.Is(d.o.Terminal.Out) {
		return d.o.Terminal.Width()
	}
	return lineCells
}

// headline is the line of a call: whether it worked, what it was, what came of it, how long it took.
func (d *Display) headline(e agent.Called, took time.Duration) string {
	mark, title := "✓", e.Name
	if e.Result.Err != nil {
		mark = "✗"
	}
	if e.Result.Job != nil {
		title = e.Result.Job.Title
	}
	title = terminal.Text(brief(title))
	note := noteOf(e.Result, title)
	after := elapsed(took)
	room := max(d.width()-terminal.Cells(mark+" "+after), 1)
	forTitle := room
	if e.Result.Err != nil {
		// What went wrong is not given up for a long title.
		forTitle -= min(terminal.Cells(gap+note), room/2)
	}
	title = terminal.Fit(title, forTitle)
	line := mark + " " + d.paint.Bold(title)
	left := room - terminal.Cells(title+gap)
	if note != "" && left > 1 {
		note = terminal.Fit(note, left)
		line += gap + d.paint.Dim(note)
	}
	return line + d.paint.Dim(after)
}

// noteOf is what there is to say of a result beside its title, in one line.
func noteOf(r *tool.Result, title string) string {
	switch view := r.Display.(type) {
	case tool.Diff:
		return fmt.Sprintf("+%d -%d", view.Added, view.Removed)
	case tool.Todos:
		return Count(len(view.Items), "item")
	}
	first, _, _ := strings.Cut(r.Show(), "\n")
	note := terminal.Text(brief(first))
	// Many results only repeat what was called.
	if strings.HasSuffix(title, note) {
		return ""
	}
	note = strings.TrimPrefix(note, title)
	return strings.TrimLeft(note, " :")
}

// changes are the lines of a change, as many as one reads in passing.
func (d *Display) changes(diff tool.Diff) []string {
	lines := linesOf(diff.Unified)
	shown := lines[:min(len(lines), diffLines)]
	var out []string
	for _, l := range shown {
		l = terminal.Text(l)
		out = append(out, d.paint.DiffLine(l))
	}
	if hidden := len(lines) - len(shown); hidden > 0 {
		words := "… " + Count(hidden, "more line")
		out = append(out, d.paint.Dim(words))
	}
	return out
}

// todos is the whole list: it is what a person goes by.
func todos(list tool.Todos) []string {
	var out []string
	for _, item := range list.Items {
		item.Content = oneLine(item.Content)
		one := tool.Todos{Items: []tool.Todo{item}}
		out = append(out, terminal.Text(one.String()))
	}
	return out
}

// output are the last lines that a command printed, and how much is above them.
func (d *Display) output(r *tool.Result) []string {
	most := endLines
	if r.Err != nil {
		most = failedLines
	}
	lines := printed(r)
	hidden := lines[:max(len(lines)-most, 0)]
	shown := lines[len(hidden):]
	var out []string
	if len(hidden) > 0 {
		words := hiddenWords(hidden)
		out = append(out, d.paint.Dim(words))
	}
	for _, l := range shown {
		l = d.outputLine(l)
		out = append(out, d.paint.Dim(l))
	}
	return out
}

// printed are the lines of a result, without what stands in the line of the call already.
func printed(r *tool.Result) []string {
	said := r.Show()
	text := strings.TrimRight(r.Text(), "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimSuffix(first, ":") == said {
		text = rest
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return linesOf(text)
}

// outputLine is a line that a command printed, as far as there is room for it.
func (d *Display) outputLine(l string) string {
	l = strings.TrimSuffix(l, "\r")
	bar := strings.LastIndexByte(l, '\r') // a bar of progress is written over and over: its end counts
	l = l[bar+1:]
	room := max(d.width()-len(indent), 1)
	const widest = 4 // bytes of a character; a line may have megabytes
	if len(l) > widest*room {
		l = strings.ToValidUTF8(l[:widest*room], "") + "…"
	}
	l = terminal.Text(l)
	return terminal.Fit(l, room)
}

// cutWords are what the output of a command has in the place of what it is too long for.
var cutWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[… (\d+) bytes of std(?:out|err) cut: `)
})

// hiddenWords say how much is hidden.
func hiddenWords(hidden []string) string {
	lines, cut := 0, 0
	for _, l := range hidden {
		m := cutWords().FindStringSubmatch(l)
		if m == nil {
			lines++
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err == nil {
			cut += n
		}
	}
	words := "… " + Count(lines, "more line")
	if cut > 0 {
		words += " and " + Count(cut, "byte")
	}
	return words + " above"
}

// linesOf are the lines of a text; a line end closes the last one.
func linesOf(text string) []string {
	text = strings.TrimSuffix(text, "\n")
	return strings.Split(text, "\n")
}

// brief is a text in one line, as far as one reads it in passing.
func brief(s string) string {
	s = oneLine(s)
	r := []rune(s)
	if len(r) <= briefRunes {
		return s
	}
	return string(r[:briefRunes]) + "…"
}

// oneLine is a text whose lines stand behind one another.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// elapsed is how long something took, with a gap before it; what took no second is not worth a word.
func elapsed(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return gap + rounded(d)
}

// rounded is a time as people say it: the longer it is, the less its parts matter.
func rounded(d time.Duration) string {
	const short = 10 * time.Second
	switch {
	case d < short:
		d = d.Round(100 * time.Millisecond)
	case d < time.Hour:
		d = d.Round(time.Second)
	default:
		d = d.Round(time.Minute)
		return strings.TrimSuffix(d.String(), "0s")
	}
	return d.String()
}

// Count is a number of things in words: 1 turn, 2 turns.
func Count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
