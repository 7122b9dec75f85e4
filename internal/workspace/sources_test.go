package workspace

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"helve/tool"
)

// A listed source brings one tool of its own name.
type listed string

func (l listed) Name() string { return string(l) }

func (l listed) Tools(context.Context) ([]tool.Tool, error) {
	spec := tool.Spec{Name: string(l), Origin: tool.Origin{Kind: tool.Command, Name: string(l)}}
	nothing := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return nil, nil }
	return []tool.Tool{tool.New(spec, nothing)}, nil
}

// Sources that parts bring are listed, those too that are known only when all else stands; one that cannot be made does
// not keep the others away.
func TestSourcesOfPartsAreListed(t *testing.T) {
	s := stands(t)
	var reg tool.Registry
	later := errors.New("no bus")
	from := &brought{
		sources: []tool.Source{listed("one")},
		later:   func() ([]tool.Source, error) { return []tool.Source{listed("two")}, later },
	}
	all := newSources(&reg, from, false, s.configuration().opened, s.say())
	if err := all.add(); !errors.Is(err, later) {
		t.Errorf("add: %v", err)
	}
	<-all.follow()
	if v := reg.View(); !v.Has("one") || !v.Has("two") {
		t.Errorf("%d tools are there", v.Len())
	}
	if err := all.close(); err != nil {
		t.Error(err)
	}
}

// A session that lists a server for itself has the rest followed, and not that one twice.
func TestWhatASessionListsItselfIsNotFollowed(t *testing.T) {
	s := stands(t)
	var reg tool.Registry
	all := newSources(&reg, &brought{sources: []tool.Source{listed("one"), listed("two")}}, false, s.configuration().opened, s.say())
	if err := all.add(); err != nil {
		t.Fatal(err)
	}
	all.followAllBut([]tool.Source{listed("two")})
	if err := all.loader.Named(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if v := reg.View(); !v.Has("one") || v.Has("two") {
		t.Errorf("one %v, two %v", v.Has("one"), v.Has("two"))
	}
	if err := all.close(); err != nil {
		t.Error(err)
	}
}

// How long a source is waited for is its own word, and that of an MCP server where it has none.
func TestASourceIsWaitedForAsLongAsItSays(t *testing.T) {
	s := stands(t)
	from := &brought{patience: map[string]time.Duration{"slow": time.Minute}}
	all := newSources(&tool.Registry{}, from, false, s.configuration().opened, s.say())
	if slow, any := all.patience("slow"), all.patience("any"); slow-any != time.Minute-defaultPatience || any <= defaultPatience {
		t.Errorf("slow %v, any %v", slow, any)
	}
}

// What parts have begun ends with the sources, the last first, whatever fails; then nothing is listed.
func TestTheEndOfSourcesEndsWhatPartsBegan(t *testing.T) {
	s := stands(t)
	var ended []string
	ends := func(name string, err error) func() error {
		return func() error { ended = append(ended, name); return err }
	}
	broken := errors.New("broken")
	from := &brought{close: []func() error{ends("first", nil), ends("second", broken)}}
	all := newSources(&tool.Registry{}, from, false, s.configuration().opened, s.say())
	if err := all.close(); !errors.Is(err, broken) || !slices.Equal(ended, []string{"second", "first"}) {
		t.Errorf("%v; ended %q", err, ended)
	}
}
