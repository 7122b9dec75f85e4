// Package waiting has questions wait for a person where the program that is to be let go on can ask nobody: the hook of
// a client without questions of its own leaves one, a person answers at another terminal, and the same call made again
// finds the answer.
//
// Questions are private files in helve's state folder. Who can write there could as well write the grants that stand
// beside them. Functions may be called concurrently, by several processes too.
package waiting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"helve/internal/state"
)

const (
	// Kept is how long a question waits for its answer.
	Kept = time.Hour
	// Valid is how long an answer waits for the call to be made again.
	Valid = 10 * time.Minute
	// most bounds the questions; the oldest go. A client asks about some ten calls at a time.
	most = 100
	// maxBytes bounds one question: a title, a reason, a rule.
	maxBytes = 64 << 10

	// watchWait is how long Watch waits for those who only look whether anybody watches.
	watchWait = time.Second
	watchPoll = 2 * time.Millisecond

	watchedName = "watched.lock" // held while somebody looks at the questions
	lockName    = "questions"
)

// A Question is about one call of a client's.
type Question struct {
	ID           string    `json:"id"`
	Client       string    `json:"client"`
	Conversation string    `json:"conversation,omitempty"`
	Workspace    string    `json:"workspace"` // absolute
	Tool         string    `json:"tool,omitempty"`
	Kind         string    `json:"kind,omitempty"` // what it does, as effects have it: exec, write …
	Title        string    `json:"title"`          // the call in a line
	Text         string    `json:"text"`           // all of what it would do, for whoever decides
	Reason       string    `json:"reason"`         // why it is asked about
	Rule         string    `json:"rule,omitempty"`
	Since        time.Time `json:"since"`

	Answer   string    `json:"answer,omitempty"` // Yes, No; "": it waits
	Answered time.Time `json:"answered,omitzero"`
}

// The answers.
const (
	Yes = "yes"
	No  = "no"
)

// maxID is how many characters of a key name a question.
const maxID = 10

// Key names a call: what it does, in which conversation of which client. The same call has the same key.
func Key(client, conversation, workspace, call string) string {
	sum := sha256.New()
	for _, part := range []string{client, conversation, workspace, call} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

func folder(stateDir string) string { return filepath.Join(stateDir, "waiting") }

func file(stateDir, key string) string { return filepath.Join(folder(stateDir), key+".json") }

// Ask has a question wait, and is that question. One that waits already is asked anew.
func Ask(stateDir, key string, q Question) (Question, error) {
	q.ID, q.Since = key[:maxID], time.Now().UTC()
	q.Answer, q.Answered = "", time.Time{}
	unlock, err := state.Lock(folder(stateDir), lockName)
	if err != nil {
		return q, err
	}
	defer unlock()
	clear(stateDir, most-1)
	return q, write(stateDir, key, q)
}

func write(stateDir, key string, q Question) error {
	text, err := json.Marshal(q)
	if err == nil && len(text) > maxBytes {
		err = fmt.Errorf("waiting: a question of %d bytes, at most %d", len(text), maxBytes)
	}
	if err != nil {
		return err
	}
	return state.Replace(file(stateDir, key), text, 0o600)
}

// Take is the answer to a question, "" where there is none. A yes is given once; a no holds for its time.
func Take(stateDir, key string) string {
	path := file(stateDir, key)
	q, ok := read(path)
	if !ok || q.Answer == "" || time.Since(q.Answered).Abs() > Valid {
		return ""
	}
	if q.Answer == Yes && os.Remove(path) != nil { // whoever removes it has it
		return ""
	}
	return q.Answer
}

// read is a question as it stands in a file.
func read(path string) (q Question, ok bool) {
	text, err := state.Read(path, maxBytes)
	return q, err == nil && len(text) > 0 && json.Unmarshal(text, &q) == nil
}

// List are the questions that wait, the oldest first.
func List(stateDir string) []Question {
	var out []Question
	for _, q := range all(stateDir) {
		if q.Answer == "" && time.Since(q.Since) <= Kept {
			out = append(out, q.Question)
		}
	}
	return out
}

// A kept question is one with its file.
type kept struct {
	Question
	path string
}

func all(stateDir string) []kept {
	list, err := os.ReadDir(folder(stateDir))
	if err != nil {
		return nil
	}
	var out []kept
	for _, e := range list {
		path := filepath.Join(folder(stateDir), e.Name())
		if !strings.HasSuffix(e.Name(), ".json") || !e.Type().IsRegular() {
			continue
		}
		if q, ok := read(path); ok {
			out = append(out, kept{q, path})
		} else {
			os.Remove(path) // nobody can answer it
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Since.Before(out[j].Since) })
	return out
}

// clear removes what is too old, and the oldest beyond so many.
func clear(stateDir string, room int) {
	list := all(stateDir)
	for i, q := range list {
		if len(list)-i > room || time.Since(q.Since) > Kept+Valid {
			os.Remove(q.path) // what cannot be removed is of no use to anybody: it is old
		}
	}
}

// The errors of Say.
var (
	ErrNone = errors.New("no question of that ID waits")
	ErrMany = errors.New("several questions begin so")
)

// Say answers the one question whose ID begins so.
func Say(stateDir, id string, yes bool) (Question, error) {
	unlock, err := state.Lock(folder(stateDir), lockName)
	if err != nil {
		return Question{}, err
	}
	defer unlock()
	var found []kept
	for _, q := range all(stateDir) {
		if id != "" && q.Answer == "" && time.Since(q.Since) <= Kept && strings.HasPrefix(q.ID, id) {
			found = append(found, q)
		}
	}
	switch len(found) {
	case 0:
		return Question{}, ErrNone
	case 1:
	default:
		return Question{}, ErrMany
	}
	q := found[0].Question
	q.Answer, q.Answered = No, time.Now().UTC()
	if yes {
		q.Answer = Yes
	}
	key := strings.TrimSuffix(filepath.Base(found[0].path), ".json")
	return q, write(stateDir, key, q)
}

// Watch says that a person looks at the questions, until stop is called.
func Watch(stateDir string) (stop func(), err error) {
	if err := state.MakeDir(folder(stateDir)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), watchWait)
	defer cancel()
	l := watched(stateDir)
	ok, err := l.TryRLockContext(ctx, watchPoll)
	if err != nil || !ok {
		return nil, errors.Join(errors.New("waiting: the questions cannot be watched"), err)
	}
	return func() { l.Close() }, nil
}

// Watched tells that a person looks at the questions now.
func Watched(stateDir string) bool {
	if _, err := os.Stat(filepath.Join(folder(stateDir), watchedName)); err != nil {
		return false
	}
	l := watched(stateDir)
	ok, err := l.TryLock()
	if ok {
		l.Close()
	}
	return err == nil && !ok
}

func watched(stateDir string) *flock.Flock {
	return flock.New(filepath.Join(folder(stateDir), watchedName), flock.SetPermissions(0o600))
}
