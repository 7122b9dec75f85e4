package workspace_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// lanterns are two types with a method of one name, and a caller of which only a type checker knows which it calls.
func lanterns(t *testing.T) place {
	return newPlace(t).
		put("go.mod", "module example.com/lantern\n\ngo 1.24\n").
		put("a.go", "package lantern\n\ntype Lamp struct{}\n\nfunc (Lamp) Kindle() {}\n\ntype Fire struct{}\n\nfunc (Fire) Kindle() {}\n").
		put("b.go", "package lantern\n\nfunc first[T any](list []T) T { return list[0] }\n\nfunc One() { first([]Lamp{{}}).Kindle() }\n")
}

// TestNoServerIsAskedUnlessThePersonSaysSo: neither by default, nor because a project wants it.
func TestNoServerIsAskedUnlessThePersonSaysSo(t *testing.T) {
	for name, p := range map[string]place{
		"by default":                    lanterns(t),
		"a project that is not trusted": lanterns(t).put(".helve/config.json", `{"code": {"exact": "auto"}}`),
		"switched off by a project":     lanterns(t).put(userConfig, `{"code": {"exact": "auto"}}`).put(".helve/config.json", `{"code": {"exact": "off"}}`),
	} {
		w := p.open(resident)
		if got := ask(t, w, "get_dependents", `{"name":"Lamp.Kindle"}`).Text(); !strings.Contains(got, "ambiguous(2)") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAServerOfTheMachineSettlesAnswers(t *testing.T) {
	if _, err := exec.LookPath("gopls"); err != nil {
		t.Skip("gopls is not installed: go install golang.org/x/tools/gopls@latest")
	}
	w := lanterns(t).put(userConfig, `{"code": {"exact": "auto"}}`).open(resident)
	got := ""
	for end := time.Now().Add(20 * time.Second); !strings.Contains(got, "checked") && time.Now().Before(end); {
		got = ask(t, w, "get_dependents", `{"name":"Lamp.Kindle"}`).Text()
	}
	if !strings.Contains(got, "b.go#One:5-5 function, call at 5, checked") {
		t.Errorf("dependents: %s", got)
	}
	if got := ask(t, w, "get_dependents", `{"name":"Fire.Kindle"}`).Text(); strings.Contains(got, "b.go") {
		t.Errorf("dependents of the other: %s", got)
	}
}
