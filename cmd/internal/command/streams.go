package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"helve/cmd/internal/terminal"
	"helve/internal/visible"
	"helve/source"
)

// Streams are what a command reads, prints to and talks on, and what it sees of the system. Data goes to stdout, talk
// to stderr. Commands get them by value: nobody changes those of another.
type Streams struct {
	Environment
	Quiet bool     // --quiet: notes are left out, errors stay
	level logLevel // how much of what the packages log is said
}

// Silent are the same streams without talk, for what is about to be printed as data.
func (s Streams) Silent() Streams {
	s.Stderr = io.Discard
	return s
}

// Say writes talk to stderr, each line with the program's name: a client's log mixes several programs.
func (s Streams) Say(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		fmt.Fprintf(s.Stderr, "helve: %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// Note says what is no error; with --quiet nothing.
func (s Streams) Note(format string, args ...any) {
	if !s.Quiet {
		s.Say(format, args...)
	}
}

// Logger says what packages log, from the level on that --log-level names.
func (s Streams) Logger() *slog.Logger {
	return slog.New(Talk{Say: s.Say, Level: s.LogLevel()})
}

// LogLevel is from where on what packages log is said.
func (s Streams) LogLevel() slog.Level {
	if s.Quiet {
		return slog.LevelError
	}
	return s.level.level()
}

// Path is a path of the command line, which is relative to where helve was started and not to the workspace.
func (s Streams) Path(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(s.Dir, p)
}

// Terminal is where the person of this run may be.
func (s Streams) Terminal() terminal.Terminal {
	return terminal.Terminal{In: s.Stdin, Out: s.Stderr, Environ: s.Environ}
}

// PrintJSON prints one value in one line. Characters of HTML stay as they are: nobody shows this in a page.
func (s Streams) PrintJSON(v any) error {
	e := json.NewEncoder(s.Stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Print prints a text and ends its line.
func (s Streams) Print(text string) error {
	_, err := fmt.Fprintln(s.Stdout, text)
	return err
}

// A table lines up cells that tabs separate, and writes them at once: tabwriter alone writes every cell by itself.
type table struct {
	*tabwriter.Writer
	out *bufio.Writer
}

// tableGap is how many blanks stand between the columns of a table at least.
const tableGap = 2

// Table is printed by Flush; until then it does not know how wide its columns are.
func (s Streams) Table() *table {
	out := bufio.NewWriter(s.Stdout)
	return &table{Writer: tabwriter.NewWriter(out, 0, 0, tableGap, ' ', 0), out: out}
}

// Row writes one line of cells.
func (t *table) Row(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }

// Flush prints the table.
func (t *table) Flush() error {
	if err := t.Writer.Flush(); err != nil {
		return err
	}
	return t.out.Flush()
}

// SayMissing says which sources bring nothing, once each. That costs a line and not the command: the other tools are
// there.
func (s Streams) SayMissing(err error) {
	said := map[string]bool{}
	for _, e := range split(err) {
		missing, ok := errors.AsType[*source.Error](e)
		if !ok || said[missing.Source] {
			continue
		}
		said[missing.Source] = true
		s.Say("%s", OneLine(missing.Err.Error()))
	}
}

// split takes joined errors apart.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, split(e)...)
	}
	return out
}

// OneLine is text of others fit for a message.
func OneLine(s string) string { return Printable(strings.Join(strings.Fields(s), " ")) }

// Printable makes text from outside safe to show: hidden characters are written out, so that what a person approves
// is what they see.
func Printable(s string) string { return visible.Text(s) }

// mostShown bounds a name that is shown for one nobody knows, in runes: a message stays one line or two.
const mostShown = 80

// Brief is the beginning of a text from outside, for a message about it.
func Brief(s string) string {
	if r := []rune(s); len(r) > mostShown {
		s = string(r[:mostShown]) + "…"
	}
	return Printable(s)
}

// Gaps are those of a sandbox, behind its name. It says that there are none, too: silence could mean that nobody
// looked.
func Gaps(gaps []string) string {
	if len(gaps) == 0 {
		return ", no gaps"
	}
	return "; gaps: " + strings.Join(gaps, "; ")
}

// Cause is the error of a file as people say it: the path and what is wrong, without the system call.
func Cause(err error) string {
	at, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err.Error()
	}
	text := strings.Replace(err.Error(), at.Error(), at.Path+": "+at.Err.Error(), 1)
	return Printable(text)
}

// IsTerminal tells whether a stream is a terminal.
func IsTerminal(stream any) bool { return terminal.Is(stream) }

// HomePath is a path of the user's configuration, where ~ is the home.
func (s Streams) HomePath(p string) string {
	if rest, ok := cutHome(p); ok {
		return filepath.Join(s.Getenv("HOME"), rest)
	}
	return p
}

func cutHome(p string) (rest string, ok bool) {
	if len(p) > 1 && p[0] == '~' && (p[1] == '/' || p[1] == filepath.Separator) {
		return p[2:], true
	}
	return p, false
}

// Homely is a path as people write it: ~ for their home.
func (s Streams) Homely(dir string) string {
	rest, ok := strings.CutPrefix(dir, s.Getenv("HOME")+string(filepath.Separator))
	if !ok {
		return dir
	}
	return filepath.Join("~", rest)
}

// ReadAll reads standard input, which may not have more than so many bytes. A read of a terminal or of a pipe that
// nobody writes to is left behind when ctx ends: the program ends before it does.
func ReadAll(ctx context.Context, stdin io.Reader, most int) ([]byte, error) {
	type read struct {
		b   []byte
		err error
	}
	done := make(chan read, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(stdin, int64(most)+1))
		done <- read{b, err}
	}()
	var b []byte
	var err error
	select {
	case r := <-done:
		b, err = r.b, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if len(b) > most {
		return nil, Usage("standard input has more than %d bytes", most)
	}
	return b, nil
}
