package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"helve/tool"
)

type numbers struct {
	N int `json:"n,omitempty" jsonschema:"description=How many,default=2,minimum=1"`
}

// sized brings so many bytes of data.
func sized(kind tool.Kind, n int) tool.Tool {
	s := tool.Spec{Name: "sized", Kind: kind, Doc: tool.Doc{Short: "Brings data."}}
	return tool.New(s, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		return tool.Textf("short").WithData(map[string]string{"x": strings.Repeat("<", n)}), nil
	})
}

func open(t *testing.T, tl tool.Tool) *tool.Kit {
	t.Helper()
	r := &tool.Registry{}
	if err := r.Add(tl); err != nil {
		t.Fatal(err)
	}
	return r.Kit(tool.KitOptions{Policy: everything{}})
}

type everything struct{}

func (everything) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (everything) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

func TestALimitForModelsIsNotFilledInForAProgram(t *testing.T) {
	s := tool.Spec{Name: "count", Kind: tool.Read, Limits: []string{"n"}, Doc: tool.Doc{Short: "Counts."}}
	k := open(t, tool.New(s, func(_ context.Context, c *tool.Call, in numbers) (*tool.Result, error) {
		return tool.Textf("%d", in.N), nil
	}))
	for _, c := range []struct {
		args  string
		whole int
		want  string
	}{
		{`{}`, 0, "2"}, {`{}`, 1000, "0"}, {`{"n":2}`, 1000, "2"}, {`{"n":"5"}`, 1000, "5"}, {`{}`, -1, "2"},
	} {
		res, err := k.Call(t.Context(), &tool.Call{Name: "count", Args: json.RawMessage(c.args), Whole: c.whole})
		if err != nil || !strings.HasPrefix(res.Text(), c.want) {
			t.Errorf("%s for %d bytes: %q, %v; want %s", c.args, c.whole, res.Text(), err, c.want)
		}
	}
	res, err := k.Call(t.Context(), &tool.Call{Name: "count", Args: json.RawMessage(`{"n":0}`), Whole: 1000})
	if err != nil || res.Err == nil || res.Err.Code != tool.Validation {
		t.Errorf("a bound of the schema does not hold for a program: %+v, %v", res, err)
	}
}

func TestAProgramGetsAllOrAnErrorInWords(t *testing.T) {
	for _, c := range []struct {
		kind  tool.Kind
		size  int
		whole int
		says  string
	}{
		{tool.Read, 500, 1000, ""},
		{tool.Read, 2000, 1000, "larger than the 1000 bytes"},
		{tool.Write, 2000, 1000, "The call was carried out"},
		{tool.Read, 2000, 0, ""},
		{tool.Read, tool.MaxWhole, 1 << 40, "larger than the 16 MiB"},
	} {
		k := open(t, sized(c.kind, c.size))
		res, err := k.Call(t.Context(), &tool.Call{Name: "sized", Whole: c.whole})
		switch {
		case err != nil:
			t.Fatal(err)
		case c.says == "" && (res.Err != nil || len(res.Data) != c.size+len(`{"x":""}`)):
			t.Errorf("%+v: %v, %d bytes", c, res.Err, len(res.Data))
		case c.says != "" && (res.Err == nil || res.Data != nil || !strings.Contains(res.Text(), c.says)):
			t.Errorf("%+v: %q, %d bytes of data", c, res.Text(), len(res.Data))
		}
	}
}
