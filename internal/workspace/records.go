package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"helve/internal/journal"
	"helve/internal/state"
	"helve/policy"
	"helve/tool"
	"helve/wrap"
)

const (
	// maxGrantFile bounds the file of approvals, in bytes: a thousand of them have some 500 KB.
	maxGrantFile = 4 << 20
	// maxStatsFile bounds the counts, in bytes: some thousand tools.
	maxStatsFile = 1 << 20
)

// Records are what is remembered of all workspaces: approvals, the record of calls, and how often each tool was called.
// They lie in Options.State, and can be looked at without opening a workspace.
type Records struct {
	Dir string // helve's folder for state
}

// Approvals are what was approved for always, in every workspace. log hears of a file that cannot be read; it approves
// nothing. nil: silent.
func (r Records) Approvals(log *slog.Logger) policy.GrantStore {
	return newGrantFile(r.Dir, cmp.Or(log, slog.New(slog.DiscardHandler)))
}

// Calls reads the record of calls, refusals included, one JSON object of [wrap.Record] a line, oldest first, until f
// returns false.
func (r Records) Calls(f func(line []byte) bool) error { return r.journal().Lines(f) }

// Newest finds the records that q chooses, newest first, until f returns false. It reads backwards and no further than
// it must. line is the record as it is kept; it is valid during the call only.
func (r Records) Newest(q wrap.Query, f func(line []byte, r *wrap.Record) bool) error {
	find := q.Finder()
	return r.journal().Newest(func(line []byte) bool {
		found := find.Find(line)
		if found == nil {
			return !find.Past(line)
		}
		return f(line, found)
	})
}

// Briefs finds what charts want of the records from since on, newest first, until f returns false. whole tells that
// they are all that is kept: there is none older.
func (r Records) Briefs(since time.Time, f func(wrap.Brief) bool) (whole bool, err error) {
	var read wrap.BriefReader
	find := wrap.Query{Since: since}.Finder()
	whole = true
	err = r.journal().Newest(func(line []byte) bool {
		b, ok := read.Read(line)
		if ok && !b.Time.Before(since) {
			more := f(b)
			whole = whole && more
			return more
		}
		if ok {
			whole = false
		}
		return !find.Past(line)
	})
	return whole, err
}

// ErrDamaged is of a file of helve's own that cannot be read.
var ErrDamaged = errors.New("cannot be read")

// A RecordProof is what Verify found.
type RecordProof = journal.Proof

// Verify looks whether the record of calls is whole: that each line names the one before it, and that the last is the
// one that was written last. It has no secret: who can write the files can make a record of their own that fits.
// Against that helps a copy of Last in another place.
func (r Records) Verify() (*RecordProof, error) { return r.journal().Verify() }

// Follow is Calls, then kept once, and then f with every record that comes, until f returns false or ctx is done.
func (r Records) Follow(ctx context.Context, f func(line []byte) bool, kept func()) error {
	return r.journal().Follow(ctx, f, kept)
}

// Usage is how often each tool was called in all workspaces, by name. An error that wraps ErrDamaged says that the counts
// cannot be read: they begin anew with the next call.
func (r Records) Usage() (map[string]wrap.Usage, error) {
	b, err := state.Read(r.statsPath(), maxStatsFile)
	if err != nil {
		return nil, err
	}
	all, err := parseUsage(b)
	if err != nil {
		return all, fmt.Errorf("%s: %w: counting begins anew", r.statsPath(), ErrDamaged)
	}
	return all, nil
}

func (r Records) journal() *journal.File {
	return &journal.File{Path: filepath.Join(r.Dir, "audit.jsonl"), Chained: true}
}

func (r Records) statsPath() string { return filepath.Join(r.Dir, "stats.json") }

// count adds a workspace's counts to those of all.
func (r Records) count(c *wrap.Counter) error {
	mine := c.Usage()
	if len(mine) == 0 {
		return nil
	}
	if err := state.MakeDir(r.Dir); err != nil {
		return err
	}
	err := state.Update(r.statsPath(), maxStatsFile, func(old []byte) ([]byte, error) {
		all, err := parseUsage(old)
		if err != nil {
			if _, err := state.KeepDamaged(r.statsPath(), old); err != nil {
				return nil, err
			}
		}
		for _, u := range mine {
			all[u.Tool] = u.Plus(all[u.Tool])
		}
		return json.MarshalIndent(all, "", "  ")
	})
	if err != nil {
		return fmt.Errorf("stats: %w", err)
	}
	return nil
}

// records keep what a workspace's calls were, and how often each tool was called.
type records struct {
	all     Records
	journal *journal.File
	counts  wrap.Counter
	unkept  func(error) // hears why something could not be kept
}

func newRecords(stateDir string, say messages) *records {
	all := Records{stateDir}
	r := &records{all: all, journal: all.journal(), unkept: say.once("the record of calls cannot be kept")}
	r.journal.Fail = r.unkept
	return r
}

// audit is the middleware that records each call.
func (r *records) audit(o *Options, dir string) func(tool.Caller) tool.Caller {
	return wrap.Audit(wrap.AuditOptions{
		Workspace: dir,
		Principal: "local",
		Write:     r.journal.Append,
		Later:     r.journal.Later,
		Args:      o.RecordArgs,
		Fail:      r.unkept,
	})
}

// note puts something on record that is no call.
func (r *records) note(n wrap.Record) error {
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return r.journal.Append(line)
}

// close ends the record and adds the counts to those of all.
func (r *records) close() error {
	err := r.journal.Close()
	if failed := r.all.count(&r.counts); failed != nil { // what the calls did stands all the same
		r.unkept(failed)
	}
	return err
}

// parseUsage is never nil: counts are no reason to fail.
func parseUsage(b []byte) (map[string]wrap.Usage, error) {
	all := map[string]wrap.Usage{}
	if len(b) == 0 {
		return all, nil
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return map[string]wrap.Usage{}, err
	}
	return all, nil
}

// grantFile keeps approvals in the folder for state. What cannot be read approves nothing.
type grantFile struct {
	dir string
	log *slog.Logger
	bad *complaint
}

func newGrantFile(dir string, log *slog.Logger) grantFile { return grantFile{dir, log, &complaint{}} }

// A complaint is told when it begins, and when it becomes another one: approvals are read for each question.
type complaint struct {
	mu   sync.Mutex
	last string
}

// tell warns of it; "" ends it.
func (c *complaint) tell(log *slog.Logger, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text != "" && text != c.last {
		log.Warn(text)
	}
	c.last = text
}

var _ policy.GrantStore = grantFile{}

func (g grantFile) path() string { return filepath.Join(g.dir, "grants.json") }

// Load reads the approvals.
func (g grantFile) Load() ([]policy.Grant, error) {
	b, err := state.Read(g.path(), maxGrantFile)
	if err != nil {
		g.bad.tell(g.log, fmt.Sprintf("approvals: %v: nothing is approved", err))
		return nil, nil
	}
	list, err := parseGrants(b)
	if err != nil {
		g.bad.tell(g.log, fmt.Sprintf("approvals: %s cannot be read: nothing is approved: %v", g.path(), err))
		return list, nil
	}
	g.bad.tell(g.log, "")
	return list, nil
}

// Update changes them under a lock that every process takes.
func (g grantFile) Update(change func([]policy.Grant) ([]policy.Grant, error)) error {
	if err := state.MakeDir(g.dir); err != nil {
		return err
	}
	return state.Update(g.path(), maxGrantFile, func(old []byte) ([]byte, error) {
		list, err := parseGrants(old)
		if err != nil {
			kept, failed := state.KeepDamaged(g.path(), old)
			if failed != nil {
				return nil, failed
			}
			g.log.Warn(fmt.Sprintf("approvals: what could not be read is kept as %s: %v", kept, err))
		}
		if list, err = change(list); err != nil {
			return nil, err
		}
		return json.MarshalIndent(list, "", "  ")
	})
}
