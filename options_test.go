package helve

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// What a program says in Options is what the workspace is opened with: no field is left behind.
func TestEachOptionReachesTheWorkspace(t *testing.T) {
	said := Options{
		Dirs:      []string{"a"},
		Config:    []byte("{}"),
		Rules:     []policy.Rule{policy.Allow("ls")},
		Parts:     []Part{nil},
		Profile:   "small",
		Mode:      "plan",
		Trust:     true,
		AllowHome: true,
		Strict:    true,
		Ask:       func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{}, nil },
		Tools:     []tool.Tool{nil},
		Resident:  true,
		Around:    []func(tool.Caller) tool.Caller{nil},
		Wrap:      []func(tool.Runner) tool.Runner{nil},
		Watch:     func(context.Context, tool.Event) {},
		Environ:   []string{"A=b"},
		Log:       slog.New(slog.DiscardHandler),
		Places:    Places{User: "user", Managed: "managed", State: "state", Cache: "cache"},
	}
	got := said.inside()
	v, to := reflect.ValueOf(said), reflect.ValueOf(got)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).IsZero() {
			t.Errorf("the test says nothing of %s", name)
		}
		if name == "Places" {
			continue
		}
		there := to.FieldByName(name)
		if !there.IsValid() || there.IsZero() {
			t.Errorf("%s does not reach the workspace", name)
		} else if there.Kind() != reflect.Func && !reflect.DeepEqual(there.Interface(), v.Field(i).Interface()) {
			if there.Kind() != reflect.Slice { // of functions: no two of them are equal
				t.Errorf("%s: %v", name, there)
			}
		}
	}
	if where := (Places{got.Layers.User, got.Layers.Managed, got.State, got.Cache}); where != said.Places {
		t.Errorf("places: %+v", where)
	}
}

// The root is a front: few words, and what assembles stands in internal/workspace.
func TestTheRootIsAFront(t *testing.T) {
	if n := reflect.TypeFor[Options]().NumField(); n > 18 {
		t.Errorf("Options has %d fields, want at most 18", n)
	}
	if n := reflect.TypeFor[*Workspace]().NumMethod(); n > 25 {
		t.Errorf("Workspace has %d methods, want at most 25", n)
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, lines := 0, 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files, lines = files+1, lines+strings.Count(string(b), "\n")
	}
	t.Logf("%d files, %d lines", files, lines)
	if files > 6 || lines > 900 {
		t.Errorf("%d files with %d lines at the root, want at most 6 and 900", files, lines)
	}
}
