package schema

import (
	"reflect"
	"sync"
	"testing"
)

type laterOut struct {
	Name string `json:"name"`
	N    int    `json:"n,omitempty"`
}

// A schema that is made when it is asked for is the one that would have been made at once, in whatever way and by
// however many it is asked.
func TestASchemaThatIsMadeLaterIsTheSame(t *testing.T) {
	of := reflect.TypeFor[laterOut]()
	want, err := ForType(of)
	if err != nil {
		t.Fatal(err)
	}
	got := Later(of)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if string(got.JSON()) != string(want.JSON()) {
				t.Errorf("JSON: got %s, want %s", got.JSON(), want.JSON())
			}
		})
	}
	wg.Wait()
	if got := Later(of); got.Digest() != want.Digest() {
		t.Errorf("digest: got %s, want %s", got.Digest(), want.Digest())
	}
	for _, data := range []string{`{"name":"a"}`, `{"n":1}`, `{"name":1}`} {
		_, wrong := want.Check([]byte(data))
		if _, err := Later(of).Check([]byte(data)); (err == nil) != (wrong == nil) {
			t.Errorf("%s: got %v, want %v", data, err, wrong)
		}
	}
	read := Later(of)
	if err := read.UnmarshalJSON([]byte(`{"type":"object","title":"read"}`)); err != nil {
		t.Fatal(err)
	}
	if string(read.JSON()) != `{"type":"object","title":"read"}` {
		t.Errorf("a schema that was read in its place: got %s", read.JSON())
	}
}

// A type without a schema is found when the schema is asked for, not before.
func TestATypeWithoutASchemaIsFoundWhenItIsAskedFor(t *testing.T) {
	s := Later(reflect.TypeFor[struct{ C chan int }]())
	defer func() {
		if recover() == nil {
			t.Error("the schema of a channel was made")
		}
	}()
	s.JSON()
}
