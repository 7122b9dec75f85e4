package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// escapes are what colours text on a terminal.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// shown are the lines that a command shows on a terminal, without colours.
func (d desk) shown(t *testing.T, columns int, args ...string) []string {
	t.Helper()
	x := d.sit(columns, args...)
	if status := x.Ended(); status != 0 {
		t.Fatalf("%q: status %d\n%s", args, status, x.Raw())
	}
	text := escapes.ReplaceAllString(x.Raw(), "")
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// On a terminal the list stands below its topics, sorted, and breaks between words.
func TestTheListFitsTheTerminal(t *testing.T) {
	d := newDesk(t)
	for _, columns := range []int{60, 80, 200} {
		lines := d.shown(t, columns, "list")
		var names, groups []string
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%d columns: %d in %q", columns, n, line)
			}
			switch {
			case line == "":
			case !strings.HasPrefix(line, " "):
				groups, names = append(groups, line), nil
			case !strings.HasPrefix(line, "   "): // a tool, and no text that goes on
				names = append(names, strings.Fields(line)[0])
			}
			if !slices.IsSorted(names) {
				t.Errorf("%d columns: not sorted: %q", columns, names)
			}
		}
		want := []string{"code", "file", "search", "shell", "task", "web"}
		if !slices.Equal(groups, want) {
			t.Errorf("%d columns: groups %q, want %q", columns, groups, want)
		}
		if text := strings.Join(lines, "\n"); !strings.Contains(text, "\n  read ") {
			t.Errorf("%d columns: no tool read in\n%s", columns, text)
		}
	}
}

// On a terminal what is found stands below the name of its file, and no file steers the terminal.
func TestGrepShowsPeopleHeadings(t *testing.T) {
	d := newDesk(t)
	d.write("b.txt", "one\ntwo \x1b[2Jtwo\n")
	got := d.sit(80, "grep", "--sort", "path", "two")
	if status := got.Ended(); status != 0 {
		t.Fatalf("status %d\n%s", status, got.Raw())
	}
	const mark, plain = "\x1b[1;31m", "\x1b[0m"
	want := "\x1b[35ma.txt" + plain + "\r\n" +
		"\x1b[32m2" + plain + ":" + mark + "two" + plain + "\r\n\r\n" +
		"\x1b[35mb.txt" + plain + "\r\n" +
		"\x1b[32m2" + plain + ":" + mark + "two" + plain + ` \u001b[2J` + mark + "two" + plain + "\r\n"
	if got.Raw() != want {
		t.Errorf("got %q\nwant %q", got.Raw(), want)
	}
	lines := d.shown(t, 80, "grep", "-C1", "--sort", "path", "two")
	context := []string{"a.txt", "1-one", "2:two", "", "b.txt", "1-one", `2:two \u001b[2Jtwo`, ""}
	if !slices.Equal(lines, context) {
		t.Errorf("with context: got %q, want %q", lines, context)
	}
	if lines := d.shown(t, 80, "grep", "-c", "two", "a.txt"); !slices.Equal(lines, []string{"a.txt:1", ""}) {
		t.Errorf("counts: got %q", lines)
	}
}
