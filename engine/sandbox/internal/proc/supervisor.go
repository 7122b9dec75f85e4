package proc

import (
	"encoding/json"
	"errors"
	"io"
	"syscall"
)

// Supervisor is a process between this one and the command. It prepares the ground (a sandbox, say), starts the
// command, adopts what the command leaves behind, and ends it all when it is told to or when this process is gone.
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
	// InSession keeps it, and the command, in the session of this process.
	InSession bool
	// Ready is a supervisor that was started before, with the same Argv, Env, Attr, Dir and InSession. Nil: one is
	// started.
	Ready *Prepared
}

// order is what the supervisor is told, once.
type order struct {
	Argv   []string        `json:"argv"`
	Dir    string          `json:"dir"`
	Env    []string        `json:"env"`
	Leave  bool            `json:"leave"`
	Small  bool            `json:"small"` // the supervisor need not stay what it is
	TTY    bool            `json:"tty"`   // its stdout becomes its terminal
	Bounds Bounds          `json:"bounds"`
	Config json.RawMessage `json:"config"`
}

// news is what the supervisor tells: first that the command runs or why not, then perhaps that it has ended and
// something takes time yet, last how it ended.
type news struct {
	Error  string   `json:"error,omitempty"`
	Ready  bool     `json:"ready,omitempty"`
	Small  bool     `json:"small,omitempty"` // what follows is the wait status, four bytes as the machine has them
	Exited bool     `json:"exited,omitempty"`
	Code   int      `json:"code"`
	Signal string   `json:"signal,omitempty"`
	Left   []string `json:"left,omitempty"`
	Lost   string   `json:"lost,omitempty"`
	Over   string   `json:"over,omitempty"`
	Saves  bool     `json:"saves,omitempty"`
}

// Ending is what a setup has done when the command has ended. Nil functions are not called.
type Ending struct {
	// Save brings to safety what ends with the supervisor. All processes of the command are gone by then, and it may
	// take its time. Its error becomes Exit.Lost. Not with Spec.Leave.
	Save func() error
	// Left tells what the command left where it is lost, for Exit.Left. Not with Spec.Leave.
	Left func() []string
	// Stays says that something goes on in the supervisor while the command runs.
	Stays bool
}

// maxOrder bounds an order: arguments and environment of one command.
const maxOrder = 4 << 20

// The bytes on the line to the supervisor after the order. The end of the line, when this process is gone, is lineKill.
const (
	lineFiles  = 'F' // before the order: comes with descriptors 0, 1, 2 and perhaps 3 of the command
	lineTerm   = 'T'
	lineKill   = 'K'
	lineSignal = 'S' // followed by the number of the signal
)

// readOrder reads the order up to the newline. Nothing follows it until the supervisor has answered, so nothing that
// is meant for listen is read here.
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
