// Command witness asks a helve questions about pinned projects, and for refactorings of them, and compares the answers
// with digests that were written down. Work that moves code and changes no answer is seen to do so.
// scripts/witness/run.sh fetches the projects and runs it.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// mostTime is that of one answer: the slowest takes two seconds on a busy machine, with an index to build.
const mostTime = 2 * time.Minute

// mostShown is how many answers are shown that differ; the others are named.
const mostShown = 20

// A witness is a program and where it works.
type witness struct {
	helve    string // the program that answers
	before   string // one that answered before; "" for none
	projects string // a folder with the projects
	home     string // a folder for their homes
	update   bool
}

func run(args []string, stdout, stderr io.Writer) int {
	var w witness
	flags := flag.NewFlagSet("witness", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&w.helve, "helve", "", "the program that is asked")
	flags.StringVar(&w.before, "before", "", "another, whose answers are shown beside those that differ")
	flags.StringVar(&w.projects, "projects", "", "the folder of the projects")
	flags.StringVar(&w.home, "home", "", "an empty folder for the homes of these programs")
	flags.BoolVar(&w.update, "update", false, "write down the answers that are given now")
	file := flags.String("questions", "testdata/questions.tsv", "the questions with the digests of their answers")
	if flags.Parse(args) != nil {
		return 2
	}
	if err := w.all(*file, stdout); err != nil {
		fmt.Fprintf(stderr, "witness: %v\n", err)
		return 1
	}
	return 0
}

// all asks everything and reports what differs.
func (w *witness) all(file string, out io.Writer) error {
	questions, err := readQuestions(file)
	if err != nil {
		return err
	}
	answers, err := w.answers(w.helve, questions)
	if err != nil {
		return err
	}
	differ := 0
	for i := range questions {
		q := &questions[i]
		now := digest(answers[i])
		if now == q.digest {
			continue
		}
		differ++
		if w.update {
			q.digest = now
			continue
		}
		if err := w.show(out, q, answers[i], differ); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%d questions and refactorings, %d answers differ\n", len(questions), differ)
	switch {
	case w.update:
		return writeQuestions(file, questions)
	case differ > 0:
		return errors.New("answers are not what they were")
	}
	return nil
}

// answers asks as many questions at once as there are processors. Each project is asked once alone first, so that its
// index is there for the others.
func (w *witness) answers(helve string, questions []question) ([]string, error) {
	out := make([]string, len(questions))
	errs := make([]error, len(questions))
	indexed := map[string]bool{}
	for i, q := range questions {
		if !indexed[q.project] {
			indexed[q.project] = true
			if _, err := w.ask(helve, &questions[i]); err != nil {
				return nil, err
			}
		}
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				out[i], errs[i] = w.ask(helve, &questions[i])
			}
		})
	}
	for i := range questions {
		next <- i
	}
	close(next)
	group.Wait()
	return out, errors.Join(errs...)
}

// ask is what a program answers: all that it prints for programs. A refusal is an answer, too.
func (w *witness) ask(helve string, q *question) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	dir := filepath.Join(w.projects, q.project)
	cmd := exec.CommandContext(ctx, helve, "call", "-C", dir, "--no-history", "--whole", "--json", q.tool, q.arguments)
	// Each program has a home of its own: it keeps its index there, as it writes them.
	home := filepath.Join(w.home, filepath.Base(helve))
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", err
	}
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	answer, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) || ctx.Err() != nil || len(answer) == 0 {
		return "", fmt.Errorf("%s: %w: %s", q, errors.Join(err, ctx.Err()), stderr.Bytes())
	}
	return strings.ReplaceAll(string(answer), dir, q.project), nil
}

// show prints an answer that differs: beside the one before where there is a program that gives it.
func (w *witness) show(out io.Writer, q *question, now string, n int) error {
	fmt.Fprintf(out, "\n%s\n", q)
	if w.before == "" || n > mostShown {
		return nil
	}
	was, err := w.ask(w.before, q)
	if err != nil {
		return err
	}
	if digest(was) != q.digest {
		fmt.Fprintln(out, "(the program before does not answer what was written down, either)")
	}
	fmt.Fprint(out, difference(readable(was), readable(now)))
	return nil
}

func digest(answer string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(answer)))[:16]
}
