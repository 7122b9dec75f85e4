package display

import (
	"fmt"
	"strings"
	"time"

	"helve/agent"
	"helve/cmd/internal/terminal"
	"helve/tool"
)

// liveLines are shown of the output of a command that runs: enough to see that it comes along.
const liveLines = 5

// callView shows a call that runs, with the last lines of what it reported. others run beside it. What the view shows
// is fixed but for the time: it is drawn by another goroutine.
func (d *Display) callView(r running, others int) terminal.View {
	tail := d.tail(r.report.Message)
	note := noteOn(r.report, others)
	return func(sign string) []string {
		after := note + elapsed(d.since(r.began))
		room := d.width() - 1 // in the last cell some terminals wrap
		room -= terminal.Cells(sign + " " + after)
		title := terminal.Fit(r.title, max(room, 1))
		head := sign + " " + title + d.paint.Dim(after)
		return append([]string{head}, tail...)
	}
}

// since is the time from then on.
func (d *Display) since(began time.Time) time.Duration { return d.o.Now().Sub(began) }

// tail are the last lines of a report.
func (d *Display) tail(message string) []string {
	text := strings.TrimRight(message, "\r\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(len(lines)-liveLines, 0):]
	for i, l := range lines {
		l = d.outputLine(l)
		lines[i] = indent + d.paint.Dim(l)
	}
	return lines
}

// noteOn is how far a call has come, where it says so, and what else runs.
func noteOn(p tool.Progress, others int) string {
	note := ""
	if p.Total > 0 { // a tool that does not know how much there is tells no share of it
		percent := 100 * p.Done / p.Total
		note = gap + fmt.Sprintf("%.0f %%", percent)
	}
	if others > 0 {
		note += gap + fmt.Sprintf("and %d more", others)
	}
	return note
}

// modelView shows that the model is waited for, or how long its server still is left alone.
func (d *Display) modelView() terminal.View {
	began, pause := d.asked, d.pause
	return func(sign string) []string {
		line := sign + " " + d.o.Model
		waited := d.since(began)
		if pause == nil || waited >= pause.Wait {
			return []string{line + d.paint.Dim(elapsed(waited))}
		}
		// Less than a second would be a flicker of tenths.
		left := max(pause.Wait-waited, time.Second)
		words := waitingWords(left, pause)
		return []string{line + gap + words}
	}
}

// waitingWords say how long a server is left alone, and which try comes then.
func waitingWords(left time.Duration, a *agent.Again) string {
	return fmt.Sprintf("waiting %s, then try %d of %d", rounded(left), a.Try, a.Of)
}
