package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Supervisor is a process between this one and the command. It prepares the ground (a sandbox, say), starts the command,
// adopts what the command leaves behind, and ends it all when it is told to or when this process is gone.
// The program that it names must call [Supervise].
type Supervisor struct {
	Argv []string
	Env  []string
	// Config is handed to the setup function in the supervisor.
	Config json.RawMessage
	// Attr starts the supervisor, in namespaces for example. Nil: as a plain process.
	Attr *syscall.SysProcAttr
	// Dir in which the supervisor starts; the command's own directory is entered after the setup.
	Dir string
}

// order is what the supervisor is told, once.
type order struct {
	Argv   []string        `json:"argv"`
	Dir    string          `json:"dir"`
	Env    []string        `json:"env"`
	Leave  bool            `json:"leave"`
	Config json.RawMessage `json:"config"`
}

// news is what the supervisor tells: first that the command runs or why not, later how it ended.
type news struct {
	Error  string `json:"error,omitempty"`
	Ready  bool   `json:"ready,omitempty"`
	Exited bool   `json:"exited,omitempty"`
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
}

// maxOrder bounds an order: arguments and environment of one command.
const maxOrder = 4 << 20

// The bytes on the line to the supervisor after the order. The end of the line, when this process is gone, is lineKill.
const (
	lineTerm = 'T'
	lineKill = 'K'
)

// link is the two pipes between a process and the supervisor it started.
type link struct {
	line *os.File // to the supervisor: the order, then single bytes
	back *json.Decoder
	file *os.File // under back
}

// newLink returns the link and the supervisor's ends of it, which become its descriptors 3 and 4.
func newLink() (*link, []*os.File, error) {
	lineR, lineW, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	backR, backW, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, lineR.Close(), lineW.Close())
	}
	return &link{line: lineW, back: json.NewDecoder(backR), file: backR}, []*os.File{lineR, backW}, nil
}

func (l *link) close() {
	l.line.Close()
	l.file.Close()
}

// begin sends the order and waits until the command runs. Writing stands in a goroutine of its own because a pipe holds less
// than an order may have; it ends with the link.
func (l *link) begin(o order) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if len(text) > maxOrder {
		return fmt.Errorf("arguments and environment are too large (%d bytes, at most %d)", len(text), maxOrder)
	}
	written := make(chan error, 1)
	go func() {
		_, err := l.line.Write(append(text, '\n'))
		written <- err
	}()
	var n news
	if err := l.back.Decode(&n); err != nil {
		return fmt.Errorf("the supervisor ended before the command started: %w", err)
	}
	if n.Error != "" {
		return errors.New(n.Error)
	}
	return <-written
}

// exit waits for the news of the command's end. Without it the supervisor was killed.
func (l *link) exit() (Exit, bool) {
	var n news
	if err := l.back.Decode(&n); err != nil || !n.Exited {
		return Exit{}, false
	}
	return Exit{Code: n.Code, Signal: n.Signal}, true
}

func (l *link) say(b byte) { l.line.Write([]byte{b}) } // a supervisor that is gone needs no words

// readOrder reads the order byte by byte up to the newline: what follows it is read by others.
func readOrder(r io.Reader) (order, error) {
	var text []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		text = append(text, buf[:n]...)
		if n > 0 && text[len(text)-1] == '\n' {
			break
		}
		if err != nil {
			return order{}, err
		}
		if len(text) > maxOrder+1 {
			return order{}, errors.New("the order is too large")
		}
	}
	var o order
	return o, json.Unmarshal(text, &o)
}
