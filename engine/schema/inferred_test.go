package schema_test

import (
	"reflect"
	"testing"

	"helve/engine/schema"
)

type readyIn struct {
	Name string `json:"name"`
}

func (readyIn) Inferred() (name, schema string) {
	return "readyIn", `{"type":"object","title":"ready"}`
}

// aboveIn has the method of what it embeds, and another schema.
type aboveIn struct {
	readyIn
	More int `json:"more"`
}

// A type that brings its schema is believed, one that has the method of another is inferred.
func TestATypeBringsItsOwnSchemaOnly(t *testing.T) {
	for _, c := range []struct {
		of   reflect.Type
		want string
	}{
		{reflect.TypeFor[readyIn](), `{"type":"object","title":"ready"}`},
		{reflect.TypeFor[*readyIn](), `{"type":"object","title":"ready"}`},
		{reflect.TypeFor[aboveIn](), `{"type":"object","properties":{"name":{"type":"string"},"more":{"type":"integer"}},` +
			`"required":["name","more"],"additionalProperties":false}`},
	} {
		s, err := schema.ForType(c.of)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(s.JSON()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.of, got, c.want)
		}
		infers, err := schema.Infer(c.of)
		if err != nil || string(infers.JSON()) == `{"type":"object","title":"ready"}` {
			t.Errorf("%s: Infer asked the type: %s, %v", c.of, infers.JSON(), err)
		}
	}
}
