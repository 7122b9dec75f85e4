package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"helve/tool"
	"helve/wrap"
)

// called runs a call through the middlewares that keep count and record of it.
func called(t *testing.T, r *records, o *Options, dir, name string) {
	t.Helper()
	c := &tool.Call{Name: name, Dir: dir}
	spec := &tool.Spec{Name: name, Origin: tool.Origin{Kind: tool.Go, Name: name}}
	done := func(context.Context, *tool.Call) (*tool.Result, error) {
		return &tool.Result{Spec: spec, Job: &tool.Job{Call: c, Spec: spec}}, nil
	}
	if _, err := r.counts.Count(r.audit(o, dir)(done))(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// What was called is on record when it is over, beside what is no call, and counted with what other workspaces counted.
func TestRecordsOutliveTheWorkspace(t *testing.T) {
	s := stands(t)
	for range 2 { // two workspaces, one after the other
		r := newRecords(s.o.State, s.say())
		called(t, r, &s.o, s.dir, "echo")
		if err := r.note(wrap.Record{Name: "switch", Outcome: "ok"}); err != nil {
			t.Fatal(err)
		}
		if err := r.close(); err != nil {
			t.Fatal(err)
		}
	}
	kept := Records{s.o.State}
	n := 0
	if err := kept.Calls(func([]byte) bool { n++; return true }); err != nil || n != 4 {
		t.Errorf("%d records, want 4: %v", n, err)
	}
	if used, err := kept.Usage(); err != nil || used["echo"].Calls != 2 || len(used) != 1 {
		t.Errorf("counted %+v: %v", used, err)
	}
	if _, err := kept.Verify(); err != nil {
		t.Errorf("the record is not whole: %v", err)
	}
}

// Counts that cannot be read begin anew, and what stood there is kept.
func TestCountsBeginAnewWhereTheyCannotBeRead(t *testing.T) {
	s := stands(t)
	if err := os.MkdirAll(s.o.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.o.State, "stats.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRecords(s.o.State, s.say())
	called(t, r, &s.o, s.dir, "echo")
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	if used, err := (Records{s.o.State}).Usage(); err != nil || used["echo"].Calls != 1 {
		t.Errorf("counted %+v: %v", used, err)
	}
	damaged, _ := filepath.Glob(filepath.Join(s.o.State, "stats.json?*"))
	if len(damaged) == 0 {
		t.Error("what could not be read is gone")
	}
}

// A record that cannot be kept is told once: a call is done all the same.
func TestRecordsThatCannotBeKeptAreToldOnce(t *testing.T) {
	s := stands(t)
	if err := os.WriteFile(s.o.State, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	r := newRecords(s.o.State, s.say())
	called(t, r, &s.o, s.dir, "echo")
	_ = r.close()
	if !s.told("the record of calls cannot be kept") {
		t.Errorf("said %q", s.said.String())
	}
}
