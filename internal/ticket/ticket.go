// Package ticket hands a verdict from the hook of a client, which judged a command line, to the command that runs it
// moments later in another process. A ticket speaks for one line in one folder, once and for ten minutes.
//
// Tickets are private files in the state folder. Who can write there could as well write the grants that stand beside
// them. Functions may be called concurrently, by several processes too.
package ticket

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"helve/internal/state"
)

const (
	// Valid is how long a ticket is good: clients ask the person after their hooks, and people leave the room.
	Valid = 10 * time.Minute
	// Most bounds the tickets that wait, used or not: a client makes some ten calls at a time. Beyond it the oldest go.
	Most = 256
	// maxBytes of one ticket: paths are short, and the line itself is not in it.
	maxBytes = 64 << 10
)

// A Ticket is a verdict about one command line.
type Ticket struct {
	Client       string   `json:"client"`                 // the name of helve init
	Folder       string   `json:"folder"`                 // in which the line runs, absolute
	Digest       string   `json:"digest"`                 // of the line, see Digest
	Workspace    string   `json:"workspace"`              // of the conversation, absolute
	Dirs         []string `json:"dirs,omitempty"`         // its further folders
	Conversation string   `json:"conversation,omitempty"` // by the client's own name
	Mode         string   `json:"mode,omitempty"`         // under which it was judged; "": the configuration's
	Verdict      string   `json:"verdict"`                // allow: it was let run unasked; ask: the client asks
	Reason       string   `json:"reason,omitempty"`       // why, for the record
	Network      bool     `json:"network,omitempty"`      // it may use the network

	Said     bool   `json:"said,omitempty"`     // a person said yes to helve itself
	Tool     string `json:"tool,omitempty"`     // the client's own name of the tool that was to run the line
	Call     string `json:"call,omitempty"`     // the client's own ID of that call
	Title    string `json:"title,omitempty"`    // of the call, for the record
	Recorded bool   `json:"recorded,omitempty"` // the call is on record already: who runs the line records nothing

	// Look is a file on which whoever runs the line in a sandbox of the client holds a lock, and End by which it says
	// how the line ended. "": the hook does not look after the line.
	Look string `json:"look,omitempty"`
	End  string `json:"end,omitempty"`

	// Kept says that the ticket could not be taken away, since the state folder is read-only here: the process stands in
	// a sandbox of the client. Take sets it.
	Kept bool `json:"-"`
}

// Digest is the digest of a line, by which a ticket knows it.
func Digest(line string) string {
	sum := sha256.Sum256([]byte(line))
	return hex.EncodeToString(sum[:])
}

// Key is what a ticket is found by: one line of one client in one folder.
func Key(client, folder, line string) string { return key(client, folder, Digest(line)) }

func key(client, folder, digest string) string {
	sum := sha256.Sum256([]byte(client + "\x00" + folder + "\x00" + digest))
	return hex.EncodeToString(sum[:16])
}

// Key is the key of this ticket.
func (t Ticket) Key() string { return key(t.Client, t.Folder, t.Digest) }

// folder is where tickets lie in the state folder; "" where there is none.
func folder(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "tickets")
}

// newPrefix begins the name of a ticket that is being written.
const newPrefix = ".new-"

// Leave leaves a ticket in the state folder dir. The same may be left several times, for as many runs.
func Leave(dir string, t Ticket) error {
	text, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("ticket: %w", err)
	}
	if len(text) > maxBytes {
		return fmt.Errorf("ticket: it has %d bytes, at most %d", len(text), maxBytes)
	}
	in := folder(dir)
	if err := state.MakeDir(in); err != nil {
		return fmt.Errorf("ticket: %w", err)
	}
	clearOld(in, Most-1)
	f, err := os.CreateTemp(in, newPrefix+"*") // for its user alone
	if err != nil {
		return fmt.Errorf("ticket: %w", err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		own := strings.TrimPrefix(filepath.Base(f.Name()), newPrefix)
		err = os.Rename(f.Name(), filepath.Join(in, t.Key()+"-"+own))
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("ticket: %w", err)
	}
	return nil
}

// Take takes the oldest valid ticket of a key from the state folder dir, if there is one. Of several who try, one gets
// it.
func Take(dir, key string) (Ticket, bool) {
	for _, e := range tickets(folder(dir)) {
		if !strings.HasPrefix(e.name, key+"-") || !e.valid(time.Now()) {
			continue
		}
		path := filepath.Join(folder(dir), e.name)
		text, err := state.Read(path, maxBytes)
		if err != nil || len(text) == 0 {
			continue
		}
		err = os.Remove(path) // whoever removes it has it
		readOnly := errors.Is(err, fs.ErrPermission) || isReadOnly(err)
		if err != nil && !readOnly {
			continue
		}
		t := Ticket{}
		if json.Unmarshal(text, &t) != nil || t.Key() != key {
			continue
		}
		t.Kept = readOnly
		return t, true
	}
	return Ticket{}, false
}

// Lapsed takes those tickets from the state folder dir that nobody took in time, of calls that are not on record and
// that the hook does not look after. Of several who try, one gets each.
func Lapsed(dir string) []Ticket {
	var out []Ticket
	now := time.Now()
	for _, e := range tickets(folder(dir)) {
		if e.valid(now) || strings.HasPrefix(e.name, newPrefix) {
			continue
		}
		path := filepath.Join(folder(dir), e.name)
		text, err := state.Read(path, maxBytes)
		t := Ticket{}
		if err == nil && json.Unmarshal(text, &t) == nil && os.Remove(path) == nil && !t.Recorded && t.Look == "" {
			out = append(out, t)
		}
	}
	return out
}

// Clear removes what is no longer valid from the state folder dir.
func Clear(dir string) { clearOld(folder(dir), Most) }

// An entry is a file among the tickets.
type entry struct {
	name string
	left time.Time
}

// valid says that a ticket was left in the last minutes, also where somebody sets the clock meanwhile.
func (e entry) valid(now time.Time) bool {
	age := now.Sub(e.left)
	return age <= Valid && age >= -time.Minute
}

// tickets are the files of a folder, oldest first, those that are being written too.
func tickets(in string) []entry {
	list, err := os.ReadDir(in)
	if err != nil {
		return nil
	}
	var out []entry
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			out = append(out, entry{e.Name(), info.ModTime()})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].left.Before(out[j].left) })
	return out
}

// clearOld removes what is not valid, and the oldest beyond most.
func clearOld(in string, most int) {
	now := time.Now()
	list := tickets(in)
	for i, e := range list {
		if !e.valid(now) || len(list)-i > most {
			os.Remove(filepath.Join(in, e.name)) // what cannot be removed is of no use to anybody: it is old
		}
	}
}
