package refactor

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"helve/engine/code"
)

// fading is a tree whose reader gives up after some files were opened.
type fading struct {
	memory
	left int
	end  context.CancelFunc
}

func (f *fading) Open(path string) (io.ReadCloser, error) {
	if f.left--; f.left == 0 {
		f.end()
	}
	return f.memory.Open(path)
}

// overdue is a context whose time is over when its owner says so, as one of which the deadline passes.
type overdue struct {
	context.Context
	done  chan struct{}
	over  bool
	after []func()
}

func (o *overdue) Done() <-chan struct{} { return o.done }

func (o *overdue) Err() error {
	if o.over {
		return context.DeadlineExceeded
	}
	return nil
}

// AfterFunc has contexts below this one end with it, at once.
func (o *overdue) AfterFunc(f func()) func() bool {
	o.after = append(o.after, f)
	return func() bool { return false }
}

func (o *overdue) end() {
	if o.over {
		return
	}
	o.over = true
	close(o.done)
	for _, f := range o.after {
		f()
	}
}

// A plan is all that it would be, or an error: whenever its time is over, no edit of some files only comes
// back.
func TestAPlanThatEndsEarlyIsNone(t *testing.T) {
	files := map[string]string{
		"go.mod": "module x\n",
		"a/a.go": "package a\n\n// Add adds.\nfunc Add(n int) int { return n + 1 }\n\nvar one = 1\n",
		"b/b.go": "package b\n\nvar two = 2\n",
	}
	for i := range 20 {
		files[fmt.Sprintf("u%d/u.go", i)] = "package u\n\nimport \"x/a\"\n\nvar n = a.Add(1)\n"
	}
	for name, plan := range map[string]func(context.Context, *code.Snapshot) (*Changes, error){
		"move": func(ctx context.Context, s *code.Snapshot) (*Changes, error) {
			return Move(ctx, s, "a/a.go#Add", "b/b.go")
		},
		"near": func(ctx context.Context, s *code.Snapshot) (*Changes, error) {
			return Move(ctx, s, "a/a.go#Add", "a/b.go")
		},
		"rename": func(ctx context.Context, s *code.Snapshot) (*Changes, error) {
			return Rename(ctx, s, "a/a.go#Add", "Sum")
		},
	} {
		whole := func(left int) (*Changes, error, bool) {
			ctx := &overdue{Context: t.Context(), done: make(chan struct{})}
			f := &fading{memory: memory{files: files}, end: ctx.end}
			s := snapshot(t, f, nil)
			f.left = left
			c, err := plan(ctx, s)
			return c, err, ctx.Err() != nil
		}
		want, err, _ := whole(0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ended := 0
		for left := 1; ; left++ {
			got, err, gone := whole(left)
			if !gone {
				break
			}
			ended++
			if err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s: after %d files the plan has edits of %d files, of %d", name, left, len(got.Files), len(want.Files))
			}
			if err != nil && !strings.Contains(err.Error(), "looking at all uses of Add took more than") {
				t.Errorf("%s: after %d files: %v", name, left, err)
			}
		}
		if ended < 2 {
			t.Errorf("%s: it was ended %d times", name, ended)
		}
	}
}
