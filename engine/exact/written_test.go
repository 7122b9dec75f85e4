package exact

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"helve/engine/code"
	"helve/engine/exact/internal/scip/sciptest"
)

const (
	ofGate = "scip-python python gates 1 `gate`/Gate#unlock()."
	ofSafe = "scip-python python gates 1 `safe`/Safe#unlock()."
)

// gateIndex is what an indexer writes of gates, where the caller has a gate.
func gateIndex(called string) []byte {
	return sciptest.Index(
		sciptest.Doc{Path: "gate.py", Names: []sciptest.Name{{Line: 1, Start: 8, End: 14, Symbol: ofGate, Defines: true}}},
		sciptest.Doc{Path: "safe.py", Names: []sciptest.Name{{Line: 1, Start: 8, End: 14, Symbol: ofSafe, Defines: true}}},
		sciptest.Doc{Path: "use.py", Names: []sciptest.Name{
			{Line: 0, Start: 7, End: 8, Symbol: "local 0", Defines: true},
			{Line: 1, Start: 4, End: 5, Symbol: "local 0"},
			{Line: 1, Start: 6, End: 12, Symbol: called},
		}},
	)
}

// notices keeps what a checker tells.
type notices struct {
	mu  sync.Mutex
	all []string
}

func (n *notices) add(program string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, program+": "+err.Error())
}

func (n *notices) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.all, "\n")
}

// written is a workspace without servers, with an index.
func writtenWorkspace(t *testing.T, data []byte) (dir string, x *code.Index, told *notices) {
	t.Helper()
	told = &notices{}
	dir, _, x = workspace(t, Options{list: []server{}, Notice: told.add}, gates)
	if data != nil {
		put(t, dir, data)
	}
	return dir, x, told
}

// put writes an index.
func put(t *testing.T, dir string, data []byte) {
	t.Helper()
	write(t, dir, "index.scip", string(data))
}

func TestAnIndexOfTheWorkspaceSettlesWhatNamesLeaveOpen(t *testing.T) {
	_, x, told := writtenWorkspace(t, gateIndex(ofGate))
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	eventually(t, x, "Safe.unlock", "")
	if told.text() != "" {
		t.Errorf("told %s", told.text())
	}
}

func TestAnIndexThatIsWrittenAnewIsReadAnew(t *testing.T) {
	dir, x, _ := writtenWorkspace(t, nil)
	if got := users(t, x, "Gate.unlock"); got != bothGates {
		t.Fatalf("without an index: %s", got)
	}
	put(t, dir, gateIndex(ofGate))
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	put(t, dir, append(gateIndex(ofSafe), sciptest.Bytes(nil, 3, []byte("more"))...)) // of another size
	eventually(t, x, "Safe.unlock", "use.py#go checked")
	if err := os.Remove(filepath.Join(dir, "index.scip")); err != nil {
		t.Fatal(err)
	}
	eventually(t, x, "Gate.unlock", bothGates)
}

// TestAnIndexOfAnotherCommitIsNoticed: what it says of files that are others now is not believed, nor what it says of
// those that use them. How many they are is told once.
func TestAnIndexOfAnotherCommitIsNoticed(t *testing.T) {
	for name, change := range map[string]struct{ path, text, told string }{
		"the caller moved":            {"use.py", "import os\n" + gates["use.py"], "1 of the 1 files"},
		"the caller is another":       {"use.py", "def go(bb):\n    bb.unlock()\n", "1 of the 1 files"},
		"the definition moved":        {"gate.py", "import os\n" + gates["gate.py"], "1 of the 2 files"},
		"the definition has gone":     {"gate.py", "class Gate:\n    def unload(self): pass\n    unlock = unload\n", "1 of the 2 files"},
		"the definition has no file":  {"gate.py", "", "1 of the 2 files"},
		"a file that it does not use": {"safe.py", "import os\n" + gates["safe.py"], ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, x, told := writtenWorkspace(t, gateIndex(ofGate))
			eventually(t, x, "Gate.unlock", "use.py#go checked")
			write(t, dir, change.path, change.text)
			want := "use.py#go ambiguous"
			if change.told == "" {
				want = "use.py#go checked"
			}
			for range 2 {
				for _, of := range []string{"Gate.unlock", "Safe.unlock"} {
					if got := usersOrNone(t, x, of); got != "" && !strings.HasPrefix(got, want) && !strings.HasSuffix(got, "unique name") {
						t.Errorf("users of %s: %s", of, got)
					}
				}
			}
			if got := told.text(); !strings.Contains(got, change.told) || (got == "") != (change.told == "") || strings.Contains(got, "\n") {
				t.Errorf("told %q, want %q", got, change.told)
			}
		})
	}
}

// usersOrNone are the users of a definition that may be gone.
func usersOrNone(t *testing.T, x *code.Index, name string) string {
	t.Helper()
	s, err := x.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Dependents(t.Context(), name, code.Page{}); err != nil {
		return ""
	}
	return users(t, x, name)
}

func TestAServerIsAskedOnlyWhatTheIndexDoesNotKnow(t *testing.T) {
	asked := &atomic.Int32{}
	f := &fake{behave: func(c *fakeConn, m *message) {
		asked.Add(1)
		c.defined(m, c.root+"/safe.py", 1, 8)
	}}
	o := Options{start: f.start, list: []server{{program: "fake", languages: []code.Language{code.Python}, settings: `{}`}}}
	dir, _, x := workspace(t, o, gates)
	put(t, dir, gateIndex(ofGate))
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	if asked.Load() != 0 || f.starts.Load() != 0 {
		t.Errorf("asked %d times, started %d times", asked.Load(), f.starts.Load())
	}
	write(t, dir, "use.py", "\n"+gates["use.py"])
	eventually(t, x, "Safe.unlock", "use.py#go checked")
}

func TestWhatIsNoIndexChangesNoAnswerAndIsToldOnce(t *testing.T) {
	dir, x, told := writtenWorkspace(t, []byte("no index"))
	for range 3 {
		if got := users(t, x, "Gate.unlock"); got != bothGates {
			t.Errorf("users %s", got)
		}
	}
	if got := told.text(); !strings.Contains(got, "no SCIP index") || strings.Contains(got, "\n") {
		t.Errorf("told %q", got)
	}
	put(t, dir, gateIndex(ofGate))
	eventually(t, x, "Gate.unlock", "use.py#go checked")
}

// TestAnIndexThatLiesIsNotBelieved: it is held against the texts.
func TestAnIndexThatLiesIsNotBelieved(t *testing.T) {
	for name, lie := range map[string]sciptest.Doc{
		"another name":       {Path: "gate.py", Names: []sciptest.Name{{Line: 0, Start: 6, End: 10, Symbol: ofGate, Defines: true}}},
		"behind the end":     {Path: "gate.py", Names: []sciptest.Name{{Line: 900, Start: 8, End: 14, Symbol: ofGate, Defines: true}}},
		"a part of a word":   {Path: "gate.py", Names: []sciptest.Name{{Line: 1, Start: 9, End: 14, Symbol: ofGate, Defines: true}}},
		"no such file":       {Path: "gone.py", Names: []sciptest.Name{{Line: 1, Start: 8, End: 14, Symbol: ofGate, Defines: true}}},
		"a file elsewhere":   {Path: "../gate.py", Names: []sciptest.Name{{Line: 1, Start: 8, End: 14, Symbol: ofGate, Defines: true}}},
		"defined nowhere":    {Path: "gate.py", Names: []sciptest.Name{{Line: 1, Start: 8, End: 14, Symbol: ofGate}}},
		"the network's file": {Path: "http://localhost/gate.py", Names: []sciptest.Name{{Line: 1, Start: 8, End: 14, Symbol: ofGate}}},
	} {
		t.Run(name, func(t *testing.T) {
			use := sciptest.Doc{Path: "use.py", Names: []sciptest.Name{{Line: 1, Start: 6, End: 12, Symbol: ofGate}}}
			_, x, _ := writtenWorkspace(t, sciptest.Index(lie, use))
			for range 2 {
				if got := users(t, x, "Gate.unlock"); got != bothGates {
					t.Errorf("users %s", got)
				}
			}
		})
	}
}

func TestACheckerThatIsClosedReadsNoIndex(t *testing.T) {
	told := &notices{}
	dir, c, x := workspace(t, Options{list: []server{}, Notice: told.add}, gates)
	put(t, dir, gateIndex(ofGate))
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	c.Close()
	if got := users(t, x, "Gate.unlock"); got != bothGates {
		t.Errorf("after Close: %s", got)
	}
	c.Close()
}
