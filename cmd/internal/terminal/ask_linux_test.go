package terminal_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"helve/cmd/internal/terminal"
	"helve/internal/testing/ptytest"
)

// questionVar names the file with the question that the test binary is to ask, instead of running tests.
const questionVar = "HELVE_TEST_QUESTION"

func TestMain(m *testing.M) {
	if file := os.Getenv(questionVar); file != "" {
		os.Exit(askIt(file))
	}
	if os.Getenv(secretVar) != "" {
		os.Exit(askSecret())
	}
	// These tests wait for terminals to fall silent, and leave the processors idle meanwhile.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// askIt asks the question of a file and prints the answer.
func askIt(file string) int {
	var q terminal.Question
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &q)
	}
	if err != nil {
		fmt.Println(err)
		return 2
	}
	ctx := context.Background()
	if os.Getenv("HELVE_TEST_NOHUP") != "" { // the signal that comes with it ends most programs
		signal.Ignore(syscall.SIGHUP)
	}
	if os.Getenv("HELVE_TEST_SHORT") != "" {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, 300*time.Millisecond)
		defer stop()
	}
	t := terminal.Terminal{In: os.Stdin, Out: os.Stderr, Environ: os.Environ()}
	a, err := t.Ask(ctx, q)
	said := fmt.Sprintf("answer %q note %q error %v", a.Value, a.Note, err)
	if a.Interrupted {
		said = "interrupted " + said
	}
	if out := os.Getenv("HELVE_TEST_OUT"); out != "" {
		os.WriteFile(out, []byte(said), 0o600)
	}
	fmt.Println(said)
	return 0
}

// A talk is a question that stands on a terminal.
type talk struct {
	*ptytest.Terminal
	t   *testing.T
	out string
}

// question is an approval, whose preview is what matters.
func question(preview string) terminal.Question {
	return terminal.Question{
		Title:   "write file.txt",
		Notes:   []string{"asked because: files are asked about"},
		Preview: preview,
		Ask:     "Allow this?",
		Choices: []terminal.Choice{
			{Label: "No", Value: "no", Letter: "n"},
			{Label: "Yes, once", Value: "yes", Letter: "y", Whole: true},
			{Label: "No, do this instead …", Value: "instead", Letter: "d", Note: "What instead?"},
		},
	}
}

func asking(t *testing.T, q terminal.Question, columns, height int, env ...string) talk {
	t.Helper()
	dir := t.TempDir()
	b, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	file, out := filepath.Join(dir, "question.json"), filepath.Join(dir, "answer")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append([]string{"TERM=xterm-256color", questionVar + "=" + file, "HELVE_TEST_OUT=" + out}, env...)
	return talk{ptytest.StartSize(t, cmd, columns, height), t, out}
}

// answered checks what the question came to.
func (k talk) answered(want string) {
	k.t.Helper()
	k.Ended()
	got, err := os.ReadFile(k.out)
	if err != nil || string(got) != want {
		k.t.Errorf("%s, %v; want %s\n%s", got, err, want, k.Screen())
	}
}

const (
	saidNo      = `answer "" note "" error <nil>`
	chosenNo    = `answer "no" note "" error <nil>`
	stopped     = "interrupted " + saidNo
	saidYes     = `answer "yes" note "" error <nil>`
	ready       = "Esc means no"
	longPreview = 300
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestEachKeyOfAQuestion(t *testing.T) {
	for _, columns := range []int{60, 80, 200} {
		for keys, want := range map[string]string{
			"n": chosenNo, "N": chosenNo, "\r": chosenNo, "y": saidYes, "Y": saidYes, "j\r": saidYes, "2\r": saidYes, "\x1b[B\r": saidYes,
			"\x1bOB\r": saidYes, "\x0e\r": saidYes, "\x1b[B\x1b[A\r": chosenNo, "jk\r": chosenNo, "xyz"[:1] + "\x1b": saidNo,
			"\x1b": saidNo, "\x03": stopped, "\x04": saidNo, "q": saidNo, "dgo left\r": `answer "instead" note "go left" error <nil>`,
			"d\x1b": saidNo, "d\x03": stopped, "dx\x1b": saidNo, "d\r": `answer "instead" note "" error <nil>`,
			"dab\x7fc\r":                        `answer "instead" note "ac" error <nil>`,
			"d日本\r":                             `answer "instead" note "日本" error <nil>`,
			"\x1b[200~y\x1b[201~n":              chosenNo, // what is pasted is no key
			"\x1b[200~y\r\x1b[201~\x1b":         saidNo,
			"d\x1b[200~pasted words\x1b[201~\r": `answer "instead" note "pasted words" error <nil>`,
			"99jjjjjjjkkkkkkk\r":                chosenNo,
			"\x1b[Z\x1b[5~\x1b[H\x00\x01\x7f\x1b[<0;1;1M" + "n": chosenNo,
		} {
			t.Run(fmt.Sprintf("%d/%q", columns, keys), func(t *testing.T) {
				t.Parallel()
				k := asking(t, question("-one\n+two\n"), columns, 24)
				k.See(ready)
				k.Press(keys)
				k.answered(want)
			})
		}
	}
}

// Every line of what is approved was on the screen; title and reason stand beside the choices all the time.
func TestNothingHiddenIsApprovedUnseen(t *testing.T) {
	for _, columns := range []int{40, 80, 200} {
		k := asking(t, question(numbered(longPreview)), columns, 24)
		first := k.See(ready)
		for _, want := range []string{"write file.txt", "asked because", "line 1\n", "lines are"} {
			if !strings.Contains(first, want) {
				t.Errorf("%d columns: no %q in\n%s", columns, want, first)
			}
		}
		if strings.Contains(first, "line 200") {
			t.Errorf("%d columns: the preview fills the terminal\n%s", columns, first)
		}
		k.Press("y")
		k.See("not all of it was")
		k.Press("\r2\r")
		k.Press("v")
		k.See("lines 1–23 of")
		for range longPreview / 10 {
			k.Press(" ")
		}
		k.See("line 300\n")
		k.Press("q")
		k.See("which you have")
		k.Press("y")
		k.answered(saidYes)
	}
}

func TestWhatFitsNeedsNoSecondLook(t *testing.T) {
	k := asking(t, question(numbered(8)), 80, 24)
	if screen := k.See(ready); !strings.Contains(screen, "line 8") || strings.Contains(screen, "hidden") {
		t.Error(screen)
	}
	k.Press("y")
	k.answered(saidYes)
}

// A window that is made smaller hides nothing that was not seen before, one that is made larger shows more.
func TestAWindowIsResized(t *testing.T) {
	k := asking(t, question(numbered(20)), 80, 24)
	k.See("more lines are hidden")
	k.Resize(100, 60)
	k.See("line 20")
	k.Press("y")
	k.answered(saidYes)
}

// A terminal of six lines shows what it is about and the keys, is still when nothing happens, and takes an answer; a yes
// only when all was seen.
func TestATerminalOfSixLinesTakesAnAnswer(t *testing.T) {
	for answer, want := range map[string]string{"n": chosenNo, "y": saidYes} {
		k := asking(t, question(numbered(9)), 20, 6)
		k.See("v ↑↓")
		if want == saidYes {
			k.Press("y")
			k.See("not all of it was")
			k.Press("vG")
			k.See("line 9")
			k.Press("q")
			k.See("v ↑↓")
		}
		k.Press(answer)
		k.answered(want)
	}
}

func TestHugePreviews(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 50 MB to a file and draws them")
	}
	for name, preview := range map[string]string{
		"50 MB":         strings.Repeat("0123456789 the same words in every line\n", 50<<20/40),
		"one long line": strings.Repeat("x", 1<<20) + "END",
		"wide signs":    strings.Repeat("日本語", 1<<17),
		"controls":      strings.Repeat("\x00\x1b[2J\x07\r\u202e\U000e0041", 1<<15),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := asking(t, question(preview), 80, 24)
			if screen := k.See(ready); !strings.Contains(screen, "write file.txt") || !strings.Contains(screen, "lines are hidden") {
				t.Errorf("%s", screen)
			}
			k.Press("y")
			k.See("not all of it was shown yet")
			k.Press("vG")
			k.See(", the end")
			k.Press("q")
			k.See("which you have seen")
			k.Press("y")
			k.answered(saidYes)
			for _, never := range []string{"\x1b]0", "\u202e", "\U000e0041", "\x07", "\x00"} {
				if strings.Contains(k.Raw(), never) {
					t.Errorf("the terminal got %q", never)
				}
			}
		})
	}
}

// A long title hides the rest of what there is as little as a long preview.
func TestALongTitleIsCutAndShownWhole(t *testing.T) {
	q := question("")
	q.Title = strings.Repeat("rm -rf somewhere; ", 100) + "THE END"
	k := asking(t, q, 80, 24)
	if screen := k.See(ready); strings.Contains(screen, "THE END") || !strings.Contains(screen, "lines are hidden") {
		t.Error(screen)
	}
	k.Press("y")
	k.See("not all of it was shown yet")
	k.Press("vG")
	k.See("THE END")
	k.Press("\x1b")
	k.See("which you have seen")
	k.Press("y")
	k.answered(saidYes)
}

func TestHiddenCharactersAreWrittenOut(t *testing.T) {
	q := question("+a\u202eb\u200bc\x1b[2J\U000e0041\ttab\n")
	q.Title, q.Notes, q.Diff = "write \u202etxt", []string{"because \x1b]0;x\x07"}, true
	q.Choices[1].Label = "Yes \u2066once"
	screen := asking(t, q, 100, 24).See(ready)
	for _, want := range []string{`+a\u202eb\u200bc\u001b[2J\U000e0041    tab`, `write \u202etxt`, `because \u001b]0;x\u0007`, `Yes \u2066once`} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q in\n%s", want, screen)
		}
	}
}

// A paste that is still arriving when the question comes is dropped to its end, in menus and in lines.
func TestAPasteBeforeAQuestionIsNoAnswer(t *testing.T) {
	for _, env := range []string{"TERM=xterm", "ACCESSIBLE=1"} {
		k := asking(t, question("x"), 80, 24, env)
		k.Press(strings.Repeat("y\r2\r", 8<<10)) // a terminal holds 4 KB: the rest comes as these are taken
		if env == "ACCESSIBLE=1" {
			k.See("Number (Enter means 1):")
			k.Press("1\r")
			k.answered(chosenNo)
			continue
		}
		k.See(ready)
		k.Press("\x1b")
		k.answered(saidNo)
	}
}

func TestATerminalThatClosesIsAnError(t *testing.T) {
	for env, want := range map[string]string{
		"TERM=xterm":   `answer "" note "" error ask on the terminal: `,
		"ACCESSIBLE=1": saidNo,
	} {
		k := asking(t, question("x"), 80, 24, env, "HELVE_TEST_NOHUP=1")
		k.See("Allow this?")
		k.HangUp()
		k.Ended()
		if got, err := os.ReadFile(k.out); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: %s, %v", env, got, err)
		}
	}
}

func TestAQuestionEndsWithItsContext(t *testing.T) {
	for _, env := range []string{"TERM=xterm", "ACCESSIBLE=1"} {
		k := asking(t, question("x"), 80, 24, env, "HELVE_TEST_SHORT=1")
		k.answered(`answer "" note "" error context deadline exceeded`)
	}
}

func TestAQuestionInLines(t *testing.T) {
	for keys, want := range map[string]string{
		"\r": chosenNo, "1\r": chosenNo, "2\r": saidYes, "\x04": saidNo, "x\ry\rn\r": saidNo, "9\r2\r": saidYes,
		"3\rgo left\r": `answer "instead" note "go left" error <nil>`, "3\r\x04": saidNo,
	} {
		t.Run(fmt.Sprintf("%q", keys), func(t *testing.T) {
			t.Parallel()
			k := asking(t, question("-one\n+two\n"), 60, 24, "TERM=dumb")
			screen := k.See("Number (Enter means 1):")
			for _, w := range []string{"write file.txt", "asked because", "+two", "2. Yes, once", "3. No, do this instead"} {
				if !strings.Contains(screen, w) {
					t.Errorf("no %q in\n%s", w, screen)
				}
			}
			k.Press(keys)
			k.answered(want)
			if strings.Contains(k.Raw(), "\x1b") {
				t.Errorf("a dumb terminal got %q", k.Raw())
			}
		})
	}
}

func TestInLinesTooNothingHiddenIsApproved(t *testing.T) {
	for _, preview := range []string{numbered(longPreview), strings.Repeat("x", 10_000) + "line 300"} {
		k := asking(t, question(preview), 60, 24, "ACCESSIBLE=1")
		screen := k.See("Number (Enter means 1):")
		if strings.Contains(screen, "line 300") || !strings.Contains(screen, "4. Show all of it") {
			t.Error(screen)
		}
		k.Press("2\r")
		k.See("Not all of it was shown yet: 4 shows it.")
		k.Press("4\r")
		k.See("line 300")
		k.Press("2\r")
		k.answered(saidYes)
	}
}
