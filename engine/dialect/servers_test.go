package dialect_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/dialect"
	"helve/engine/schema"
	rawjson "helve/internal/json"
)

// servers are the tools of ten real servers, as they list them.
func servers(t testing.TB) map[string][]dialect.Tool {
	t.Helper()
	files, err := filepath.Glob("testdata/servers/*.json")
	if err != nil || len(files) != 10 {
		t.Fatalf("%d servers, %v", len(files), err)
	}
	out := map[string][]dialect.Tool{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct {
			Name, Description string
			InputSchema       json.RawMessage
		}
		if err := json.Unmarshal(b, &list); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		for _, l := range list {
			s, err := schema.Parse(l.InputSchema)
			if err != nil {
				t.Errorf("%s %s: %v", name, l.Name, err)
				continue
			}
			out[name] = append(out[name], dialect.Tool{Name: l.Name, Description: l.Description, Input: s})
		}
	}
	return out
}

func TestTheToolsOfTenServersAreDeclaredInEveryDialect(t *testing.T) {
	all := servers(t)
	for _, d := range dialect.Dialects() {
		var total, declared, strict, lossy int
		for name, tools := range all {
			set := dialect.Declare(d, tools, dialect.Options{})
			total += len(tools)
			declared += len(set.Declarations)
			if !rawjson.Valid(set.JSON()) {
				t.Fatalf("%s %s: not JSON", d, name)
			}
			for _, o := range set.Omitted {
				t.Logf("%s %s: %+v", d, name, o)
			}
			for _, tl := range tools {
				strict += one(dialect.Declare(d, []dialect.Tool{tl}, dialect.Options{}).Declarations[0].Strict)
			}
			for _, decl := range set.Declarations {
				if len(decl.Losses) > 0 {
					lossy++
				}
				for _, bad := range refusals(t, d, decl) {
					t.Errorf("%s: %s %s would be refused: %s", d, name, decl.Tool, bad)
				}
			}
		}
		asked := strings.HasSuffix(d.String(), "-strict")
		t.Logf("%s: %d of %d declared, %d strict, %d with losses", d, declared, total, strict, lossy)
		if declared*100 < total*95 {
			t.Errorf("%s: only %d of %d tools declared", d, declared, total)
		}
		if asked && strict*2 < total {
			t.Errorf("%s: only %d of %d tools are strict", d, strict, total)
		}
	}
}
