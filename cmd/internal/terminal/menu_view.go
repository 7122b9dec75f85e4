package terminal

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

func (m *menu) View() tea.View {
	if m.mode == reading {
		v := tea.NewView(strings.Join(m.pageLines(), "\n"))
		v.AltScreen = true
		return v
	}
	_, _, fits := m.room()
	var lines []string
	switch {
	case m.answered && fits:
		lines = append(m.above(), m.said()...)
	case m.answered:
		lines = m.said()
	case fits:
		lines = append(m.above(), m.below()...)
	default:
		lines = m.small()
	}
	return tea.NewView(strings.Join(lines, "\n"))
}

// small is the question where its choices have no room: a line of what it is about, the choice with the cursor, what is
// hidden, and the keys. From the top what has no room is left out: more lines than a terminal has are drawn for ever.
func (m *menu) small() []string {
	width := max(m.width-1, 1)
	if m.mode == noting {
		lines := m.below()
		return lines[max(len(lines)-max(m.height, 1), 0):]
	}
	title := ""
	if len(m.head) > 0 {
		title = m.head[0].text
	}
	last := m.warning
	if last == "" {
		last = fmt.Sprintf("%d lines: v shows all", m.rows())
	}
	lines := []string{
		m.paint.Bold(Fit(title, width)),
		m.paint.warn(Fit(last, width)),
		m.paint.Dim(Fit("v ↑↓ Enter Esc:no", width)),
		m.paint.Bold(Fit("> "+m.q.Choices[m.at].text(), width)),
	}
	return lines[max(len(lines)-max(m.height, 1), 0):]
}

// room is how many rows of the head and of the preview there is room for above the choices. The last value tells
// whether the choices themselves fit.
func (m *menu) room() (head, body int, fits bool) {
	// A blank line above, one behind the head, one behind the preview, the line that tells what is hidden.
	const around = 4
	free := m.height - around - len(m.below())
	head = min(len(m.head), headRoom, max(free, 0))
	body = min(len(m.body), max(free-head, 0))
	return head, body, free >= 0
}

// above is what stands over the choices: the title, the notes, and as much of the preview as there is room for.
func (m *menu) above() []string {
	head, body, _ := m.room()
	lines := []string{""}
	for _, r := range m.head[:head] {
		lines = append(lines, m.headLine(r))
	}
	if len(m.body) > 0 {
		lines = append(lines, "")
	}
	for _, r := range m.body[:body] {
		lines = append(lines, m.bodyLine(r))
	}
	if hidden := len(m.head) - head + len(m.body) - body; hidden > 0 {
		lines = append(lines, m.paint.warn(Fit(m.hidden(hidden), m.width-1)))
	}
	if len(lines) == 1 {
		return lines
	}
	return append(lines, "")
}

func (m *menu) hidden(rows int) string {
	if m.seen {
		return fmt.Sprintf("… %d more lines, which you have seen: v shows them again", rows)
	}
	return fmt.Sprintf("… %d more lines are hidden: v shows all of it", rows)
}

// below is the question with its choices, each of them whole, however narrow the terminal is; or the words that go with
// the answer.
func (m *menu) below() []string {
	if m.mode == noting {
		return []string{
			m.paint.Bold(Fit(Text(m.q.Choices[m.at].Note), m.width-1)),
			m.note.view(m.width - 1),
			m.paint.Dim(Fit("Enter sends · Esc means no", m.width-1)),
		}
	}
	var lines []string
	for _, r := range folded(m.q.Ask, m.width-1) {
		lines = append(lines, m.paint.Bold(r.text))
	}
	for i, c := range m.q.Choices {
		lines = append(lines, m.choiceLines(c, i == m.at)...)
	}
	last := m.paint.Dim
	words := "↑↓ move · Enter takes · Esc means no"
	if m.warning != "" {
		last, words = m.paint.warn, m.warning
	}
	for _, r := range folded(words, m.width-1) {
		lines = append(lines, last(r.text))
	}
	return lines
}

func (m *menu) choiceLines(c Choice, here bool) []string {
	mark, paint := "  ", func(s string) string { return s }
	if here {
		mark, paint = "> ", m.paint.Bold
	}
	var lines []string
	for _, r := range folded(c.text(), m.width-3) { // two cells for the mark
		lines = append(lines, paint(mark+r.text))
		mark = "  "
	}
	return lines
}

// said is the question with its answer, as they stay on the screen. The last line is that of what comes next.
func (m *menu) said() []string {
	word := "no"
	for _, c := range m.q.Choices {
		if c.Value == m.answer.Value {
			word = strings.TrimSuffix(c.Label, " …")
		}
	}
	if m.answer.Note != "" {
		word += ": " + m.answer.Note
	}
	var lines []string
	for _, r := range folded(m.q.Ask+" "+oneLine(word), m.width-1) {
		lines = append(lines, m.paint.Bold(r.text))
	}
	return append(lines, "")
}

// pageLines are a page of everything, and where it is.
func (m *menu) pageLines() []string {
	var lines []string
	for i := m.top; i < min(m.top+m.page(), m.rows()); i++ {
		switch at := i - len(m.head) - 1; {
		case i < len(m.head):
			lines = append(lines, m.headLine(m.head[i]))
		case at < 0:
			lines = append(lines, "")
		default:
			lines = append(lines, m.bodyLine(m.body[at]))
		}
	}
	for len(lines) < m.page() {
		lines = append(lines, "")
	}
	last := min(m.top+m.page(), m.rows())
	keys := " · Space: next page · G: the end · q: back to the question"
	if last == m.rows() {
		keys = ", the end · g: the beginning · q: back to the question"
	}
	where := fmt.Sprintf("lines %d–%d of %d", m.top+1, last, m.rows())
	return append(lines, m.paint.Bold(Fit(where+keys, m.width-1)))
}

func (m *menu) headLine(r row) string {
	if r.line == titleRow {
		return m.paint.Bold(r.text)
	}
	return m.paint.Dim(r.text)
}

func (m *menu) bodyLine(r row) string {
	if !m.q.Diff {
		return r.text
	}
	return m.paint.diff(r.line, r.text)
}
