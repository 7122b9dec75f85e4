package display

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"helve/agent"
	"helve/cmd/internal/terminal"
	"helve/tool"
)

const (
	// liveLines are shown of the output of a command that runs: enough to see that it comes along.
	liveLines = 5
	// endLines are shown of one that ended, and failedLines of one that failed: there the reason is at the end.
	endLines, failedLines = 5, 15
	// diffLines are shown of a change that nobody was asked about.
	diffLines = 40
	// briefRunes are shown of what is said about a call, in characters.
	briefRunes = 100
	// lineCells bound a line where no terminal does.
	lineCells = 2*briefRunes + 4
)

// indent stands before the lines below a call.
const indent = "  "

// width is how many cells a line has: those of the terminal, or enough for a log.
func (d *Display) width() int {
	if terminal.Is(d.o.Terminal.Out) {
		return d.o.Terminal.Width()
	}
	return lineCells
}

// headline is the line of a call: whether it worked, what it was, what came of it, how long it took.
func (d *Display) headline(e agent.Called, took time.Duration) string {
	mark := "✓"
	if e.Result.Err != nil {
		mark = "✗"
	}
	title := e.Name
	if e.Result.Job != nil {
		title = e.Result.Job.Title
	}
	title = terminal.Text(brief(title))
	note := noteOf(e.Result, title)
	time := elapsed(took)
	room := max(d.width()-terminal.Cells(mark+" "+time), 1)
	forTitle := room
	if e.Result.Err != nil { // what went wrong is never cut for a long title
		forTitle -= min(terminal.Cells(note)+len("  "), room/2)
	}
	title = terminal.Fit(title, forTitle)
	line := d.paint.Bold(title)
	if left := room - terminal.Cells(title) - len("  "); note != "" && left > 1 {
		line += "  " + d.paint.Dim(terminal.Fit(note, left))
	}
	return mark + " " + line + d.paint.Dim(time)
}

// noteOf is what there is to say of a result beside its title.
func noteOf(r *tool.Result, title string) string {
	switch view := r.Display.(type) {
	case tool.Diff:
		return fmt.Sprintf("+%d -%d", view.Added, view.Removed)
	case tool.Todos:
		return Count(len(view.Items), "item")
	}
	first, _, _ := strings.Cut(r.Show(), "\n")
	note := terminal.Text(brief(first))
	if strings.HasSuffix(title, note) { // nothing new
		return ""
	}
	return strings.TrimLeft(strings.TrimPrefix(note, title), " :")
}

// changes are the lines of a change, as many as one reads in passing.
func (d *Display) changes(diff tool.Diff) []string {
	lines := strings.Split(strings.TrimSuffix(diff.Unified, "\n"), "\n")
	var out []string
	for _, l := range lines[:min(len(lines), diffLines)] {
		out = append(out, d.paint.DiffLine(terminal.Text(l)))
	}
	if hidden := len(lines) - diffLines; hidden > 0 {
		out = append(out, d.paint.Dim("… "+Count(hidden, "more line")))
	}
	return out
}

// todos is the whole list: it is what a person goes by.
func todos(list tool.Todos) []string {
	var out []string
	for _, item := range list.Items {
		item.Content = oneLine(item.Content)
		out = append(out, terminal.Text(tool.Todos{Items: []tool.Todo{item}}.String()))
	}
	return out
}

// output are the last lines that a command printed, and how much is above them.
func (d *Display) output(r *tool.Result) []string {
	most := endLines
	if r.Err != nil {
		most = failedLines
	}
	text := r.Text()
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.TrimSuffix(first, ":") == r.Show() {
		text = rest // it stands in the line of the call
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) == 1 && (lines[0] == r.Show() || strings.TrimSpace(lines[0]) == "") {
		return nil
	}
	hidden := lines[:max(len(lines)-most, 0)]
	var out []string
	if len(hidden) > 0 {
		out = append(out, d.paint.Dim(hiddenWords(hidden)))
	}
	for _, l := range lines[len(hidden):] {
		out = append(out, d.paint.Dim(d.outputLine(l)))
	}
	return out
}

// outputLine is a line that a command printed, as far as there is room for it.
func (d *Display) outputLine(l string) string {
	l = strings.TrimSuffix(l, "\r")
	l = l[strings.LastIndexByte(l, '\r')+1:] // a bar of progress is written over and over
	room := max(d.width()-len(indent), 1)
	const most = 4 // bytes of a character
	if len(l) > most*room {
		l = strings.ToValidUTF8(l[:most*room], "") + "…"
	}
	return terminal.Fit(terminal.Text(l), room)
}

// cutWords are what the output of a command has in the place of what it is too long for.
var cutWords = regexp.MustCompile(`^\[… (\d+) bytes of std(?:out|err) cut: `)

// hiddenWords say how much is hidden.
func hiddenWords(hidden []string) string {
	lines, cut := 0, 0
	for _, l := range hidden {
		m := cutWords.FindStringSubmatch(l)
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

// callView shows a call that runs, with the last lines of what it reported.
func (d *Display) callView(r running, others int) terminal.View {
	var tail []string
	if text := strings.TrimRight(r.report.Message, "\r\n"); text != "" {
		tail = strings.Split(text, "\n")
		tail = tail[max(len(tail)-liveLines, 0):]
	}
	for i, l := range tail {
		tail[i] = indent + d.paint.Dim(d.outputLine(l))
	}
	note := ""
	if r.report.Total > 0 {
		note = fmt.Sprintf("  %.0f %%", 100*r.report.Done/r.report.Total)
	}
	if others > 0 {
		note += fmt.Sprintf("  and %d more", others)
	}
	return func(sign string) []string {
		time := note + elapsed(d.o.Now().Sub(r.began))
		room := max(d.width()-1-len("  ")-terminal.Cells(time), 1)
		head := sign + " " + terminal.Fit(r.title, room) + d.paint.Dim(time)
		return append([]string{head}, tail...)
	}
}

// modelView shows that the model is waited for.
func (d *Display) modelView() terminal.View {
	since, pause := d.asked, d.pause
	return func(sign string) []string {
		now := d.o.Now()
		if pause != nil && now.Before(since.Add(pause.Wait)) {
			left := rounded(max(since.Add(pause.Wait).Sub(now), time.Second))
			return []string{fmt.Sprintf("%s %s  waiting %s, then try %d of %d", sign, d.o.Model, left, pause.Try, pause.Of)}
		}
		return []string{sign + " " + d.o.Model + d.paint.Dim(elapsed(now.Sub(since)))}
	}
}

// brief is a text in one line, as far as one reads it in passing.
func brief(s string) string {
	s = oneLine(s)
	if r := []rune(s); len(r) > briefRunes {
		return string(r[:briefRunes]) + "…"
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// elapsed is how long something took, with a gap before it; what took no second is not worth a word.
func elapsed(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return "  " + rounded(d)
}

// rounded is a time as people say it.
func rounded(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// Count is a number of things: 1 turn, 2 turns.
func Count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
