package scripttest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Feed is the program feed of scripts:
//
//	feed FILE PROGRAM ARG…
//
// It gives a server on stdio the messages of a file, each a line, and prints what the server says. After a request it
// waits for the answer, and only at the end it closes the server's input: a server may leave what is not answered
// then. A request behind "until TEXT" alone on a line is made again until its answer has the text.
func Feed() {
	err := feed(os.Args[1:])
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "feed:", err)
		os.Exit(1)
	}
}

// feedTime is how long an answer is waited for.
const feedTime = 60 * time.Second

// An eater is a server that is fed.
type eater struct {
	in    io.Writer
	lines chan string // what it says; closed when it says no more
}

func feed(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: feed FILE PROGRAM ARG…")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	e := &eater{in, make(chan string)}
	go e.listen(out) // ends with the server
	err = e.eat(string(text))
	if err != nil {
		_ = cmd.Process.Kill() // it hangs, and err says where
	}
	_ = in.Close() // of a server that has ended it is closed
	for line := range e.lines {
		fmt.Println(line)
	}
	return errors.Join(err, cmd.Wait())
}

func (e *eater) listen(out io.Reader) {
	defer close(e.lines)
	for said := bufio.NewReader(out); ; {
		line, err := said.ReadString('\n')
		if line != "" {
			e.lines <- strings.TrimSuffix(line, "\n")
		}
		if err != nil {
			return
		}
	}
}

// eat gives the server all messages, until it ends.
func (e *eater) eat(messages string) error {
	until := ""
	for line := range strings.Lines(messages) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "until "); ok {
			until = text
			continue
		}
		err := e.sayUntil(line, until)
		if errors.Is(err, io.EOF) {
			return nil // its status says why
		}
		if err != nil {
			return err
		}
		until = ""
	}
	return nil
}

// sayUntil gives the server one message, a request again until the answer has a text.
func (e *eater) sayUntil(line, text string) error {
	const most = 1000
	answer, err := e.say(line)
	for again := 1; err == nil && !strings.Contains(answer, text); again++ {
		if again == most {
			return fmt.Errorf("no answer to %s has %q: %s", line, text, answer)
		}
		time.Sleep(50 * time.Millisecond)
		other := fmt.Sprintf(`"id":%d`, again) // before what stands there: each request has an ID of its own
		answer, err = e.say(strings.Replace(line, `"id":`, other, 1))
	}
	return err
}

// say gives the server one message, and is the answer: "" for a message that wants none. The error is io.EOF where it
// ends.
func (e *eater) say(line string) (string, error) {
	if _, err := fmt.Fprintln(e.in, line); err != nil {
		return "", io.EOF
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal([]byte(line), &m) != nil || m.ID == nil || m.Method == "" {
		return "", nil
	}
	late := time.NewTimer(feedTime)
	defer late.Stop()
	for {
		select {
		case said, ok := <-e.lines:
			if !ok {
				return "", io.EOF
			}
			fmt.Println(said)
			if answers(said, m.ID) {
				return said, nil
			}
		case <-late.C:
			return "", fmt.Errorf("no answer within %v to %s", feedTime, line)
		}
	}
}

// answers tells whether a message answers the request of an ID.
func answers(said string, id json.RawMessage) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	return json.Unmarshal([]byte(said), &m) == nil && m.Method == "" && bytes.Equal(m.ID, id)
}
