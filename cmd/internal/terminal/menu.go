package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// headRoom is how many lines the title and the notes take above a question; the rest is in the view of everything.
const headRoom = 8

// A mode is what the terminal shows of a question.
type mode uint8

const (
	choosing mode = iota // title, preview and choices
	reading              // all of the title, the notes and the preview, by pages
	noting               // a line of words that goes with an answer
)

// A menu is a question with its choices. Arrows (or j and k, or a number) move, Enter takes, the letter of a choice
// takes it at once, Esc and Ctrl-C are a no.
type menu struct {
	q             Question
	paint         Painter
	width, height int
	head, body    []row // of this width
	seen          bool  // all of it was on the screen
	mode          mode
	at            int    // the choice with the cursor
	top           int    // the first row of the page
	warning       string // why the last key did nothing
	note          input  // the words that go with the answer
	answer        Answer
	answered      bool
	gone          bool // the terminal
}

// A hangup says that nothing more will be typed.
type hangup struct{}

// askMenu asks with a menu.
func (t Terminal) askMenu(ctx context.Context, in *os.File, q Question) (Answer, error) {
	m := &menu{q: q, paint: t.Painter()}
	m.resize(size(t.Out))
	watched := &watchedFile{File: in, ended: make(chan struct{})}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(watched), tea.WithOutput(t.Out),
		tea.WithEnvironment(t.modest()), tea.WithoutSignalHandler())
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-watched.ended:
			p.Send(hangup{})
		case <-over:
		}
	})
	_, err := p.Run()
	close(over)
	wg.Wait()
	switch {
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	case err != nil:
		return Answer{}, fmt.Errorf("ask on the terminal: %w", err)
	case m.gone:
		return Answer{}, fmt.Errorf("ask on the terminal: %w", io.ErrUnexpectedEOF)
	}
	return m.answer, nil
}

// modest is the environment from which the library learns what the terminal can do. Without TMUX it runs no tmux to
// find out, and with SSH_TTY it asks no terminal for what a menu has no use for: a late reply would be taken for typing
// by the next program.
func (t Terminal) modest() []string {
	out := []string{"SSH_TTY=none"}
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR"} {
		if v := t.getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// A watchedFile tells when reading it has failed: the library takes the end of its input for silence.
type watchedFile struct {
	*os.File
	once  sync.Once
	ended chan struct{}
}

func (f *watchedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		f.once.Do(func() { close(f.ended) })
	}
	return n, err
}

// resize lays the question out for a size.
func (m *menu) resize(width, height int) {
	if width != m.width {
		room := max(width-1, 1) // in the last cell some terminals wrap
		m.head = folded(m.q.Title, room)
		for i := range m.head {
			m.head[i].line = titleRow
		}
		for _, n := range m.q.Notes {
			m.head = append(m.head, folded(n, room)...)
		}
		m.body = wrapped(m.q.Preview, room)
	}
	m.width, m.height = width, height
	m.look()
}

func (m *menu) Init() tea.Cmd { return nil }

func (m *menu) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case hangup:
		m.gone, m.answered = true, true
	case tea.KeyPressMsg:
		m.press(msg)
	case tea.PasteMsg:
		if m.mode == noting {
			m.note.insert(msg.Content)
		}
	}
	m.look()
	if m.answered {
		return m, tea.Quit
	}
	return m, nil
}

// press answers a key.
func (m *menu) press(key tea.KeyPressMsg) {
	m.warning = ""
	switch {
	case key.String() == "ctrl+c":
		m.say(Answer{Interrupted: true})
	case m.mode == reading:
		m.turn(key.String())
	case m.mode == noting:
		m.write(key)
	default:
		m.choose(key.String())
	}
}

func (m *menu) say(a Answer) { m.answer, m.answered, m.mode = a, true, choosing }

// choose moves among the choices, or takes one.
func (m *menu) choose(key string) {
	switch key {
	case "esc", "ctrl+d", "q":
		m.say(Answer{})
	case "enter":
		m.take(m.at)
	case "up", "k", "ctrl+p":
		m.at = max(m.at-1, 0)
	case "down", "j", "ctrl+n":
		m.at = min(m.at+1, len(m.q.Choices)-1)
	case "v":
		m.mode, m.top = reading, 0
	default:
		letter := func(c Choice) bool { return c.Letter != "" && strings.EqualFold(c.Letter, key) }
		if i := slices.IndexFunc(m.q.Choices, letter); i >= 0 {
			m.take(i)
			return
		}
		if n := int(key[0]) - '1'; len(key) == 1 && n >= 0 && n < len(m.q.Choices) {
			m.at = n
		}
	}
}

// take takes a choice, unless it wants more to be seen or said first.
func (m *menu) take(i int) {
	m.at = i
	c := m.q.Choices[i]
	switch {
	case c.Whole && !m.seen:
		m.warning = "not all of it was shown yet: v shows it"
	case c.Note != "":
		m.mode = noting
	default:
		m.say(Answer{Value: c.Value})
	}
}

// write edits the words that go with an answer.
func (m *menu) write(key tea.KeyPressMsg) {
	switch key.String() {
	case "esc":
		m.say(Answer{})
	case "enter":
		m.say(Answer{Value: m.q.Choices[m.at].Value, Note: strings.TrimSpace(m.note.text())})
	default:
		m.note.press(key)
	}
}

// turn moves in the view of everything.
func (m *menu) turn(key string) {
	page := m.page()
	switch key {
	case "q", "esc", "enter", "v":
		m.mode = choosing
		return
	case "up", "k":
		m.top--
	case "down", "j":
		m.top++
	case "pgup", "b", "ctrl+b":
		m.top -= page
	case "pgdown", "space", "f", "ctrl+f":
		m.top += page
	case "home", "g":
		m.top = 0
	case "end", "G":
		m.top = m.rows()
	}
	m.top = max(min(m.top, m.rows()-page), 0)
}

// page is how many rows of a page there are above its last line, which tells where it is.
func (m *menu) page() int { return max(m.height-1, 1) }

// rows is how many there are in the view of everything: a blank one parts head and body.
func (m *menu) rows() int { return len(m.head) + 1 + len(m.body) }

// look notes when everything has been on the screen.
func (m *menu) look() {
	switch m.mode {
	case reading:
		m.top = max(min(m.top, m.rows()-m.page()), 0)
		m.seen = m.seen || m.top+m.page() >= m.rows()
	default:
		head, body, fits := m.room()
		m.seen = m.seen || fits && head == len(m.head) && body == len(m.body)
	}
}
