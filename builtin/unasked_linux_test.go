package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/policy"
	"helve/tool"
)

// careful is a fixture in mode ask, in which nobody can be asked.
func careful(t *testing.T) (*fixture, *tool.Kit) {
	t.Helper()
	r, err := sandbox.Reach(t.Context(), sandbox.Options{})
	if err != nil || !r.Confined {
		t.Skipf("reads are not confined here: %+v %v", r, err)
	}
	h := open(t, builtin.Options{})
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(h.ws)...); err != nil {
		t.Fatal(err)
	}
	return h, reg.Kit(tool.KitOptions{Policy: policy.AskFirst})
}

func runs(t *testing.T, kit *tool.Kit, a args) *tool.Result {
	t.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	res, err := kit.Call(context.Background(), &tool.Call{Name: "bash", Args: b})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestWhatLooksRunsUnaskedAndChangesNothing(t *testing.T) {
	h, kit := careful(t)
	h.put("a.txt", "needle\n")
	for line, want := range map[string]string{
		"find . -name '*.txt' -exec grep -l needle {} +":   "a.txt",
		"find . -name '*.txt' | xargs wc -l":               "1 ./a.txt",
		"x=a.txt; cat $x":                                  "needle",
		"cat /etc/os-release | head -1 && cd / && echo ok": "ok",
		"awk '{print length($0)}' a.txt":                   "6",
	} {
		res := runs(t, kit, args{"command": line})
		if code(res) != "" || !strings.Contains(res.Text(), want) || !res.Verdict.Confined && !strings.HasPrefix(line, "awk") {
			t.Errorf("%s: %+v %s, want %q", line, res.Verdict, res.Text(), want)
		}
	}
	// What looks by its words and acts all the same meets the wall, and the model is told.
	for _, line := range []string{
		`x=-delete; find . $x`,
		`for f in *; do awk -v f=$f 'BEGIN{o="sh"; p="touch made-" f; print p | o}' < /dev/null; done`,
		`perl -e '$f="unl"."ink"; eval "$f q(a.txt)" or die "$!"'`,
	} {
		res := runs(t, kit, args{"command": line})
		if _, err := os.Stat(filepath.Join(h.dir, "a.txt")); err != nil {
			t.Fatalf("%s: a.txt is gone", line)
		}
		if made, _ := filepath.Glob(filepath.Join(h.dir, "made*")); len(made) > 0 {
			t.Errorf("%s: made %v", line, made)
		}
		if res.Verdict.Confined && strings.Contains(res.Text(), "Read-only") && !strings.Contains(res.Text(), "ask=true") {
			t.Errorf("%s: the model is not told: %s", line, res.Text())
		}
	}
}

func TestWhatMetTheWallCanBeAskedFor(t *testing.T) {
	_, kit := careful(t)
	for _, a := range []args{
		{"command": "find . -name x", "ask": true},
		{"command": "ls", "ask": true},
		{"command": "find . -name x", "network": true},
		{"command": "touch x"},
	} {
		res := runs(t, kit, a)
		if code(res) != tool.Permission || !strings.Contains(res.Text(), "needs approval") {
			t.Errorf("%v: %s %s", a, code(res), res.Text())
		}
	}
}
