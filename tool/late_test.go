package tool_test

import (
	"context"
	"testing"

	"helve/tool"
)

// A job that asks more than once while it runs is answered each time, and the record says who decided last.
func TestAJobMayAskAgainWhileItRuns(t *testing.T) {
	questions := 0
	ask := func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		questions++
		if !q.Late {
			t.Error("it asks before it runs")
		}
		return tool.Answer{Yes: questions != 2}, nil
	}
	var got []bool
	asks := tool.New(tool.Spec{Name: "asks", Kind: tool.Read}, func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		for range 3 {
			a, err := c.Ask(ctx, tool.Late{Title: "make it", Why: "it came to this"})
			if err != nil {
				return nil, err
			}
			got = append(got, a.Yes)
		}
		return tool.Textf("done"), nil
	})
	res := call(t, k2(t, tool.KitOptions{Policy: rules{judge: allow[*tool.Job]}, Ask: ask}, asks), "asks", `{}`)
	if res.Err != nil || len(got) != 3 || !got[0] || got[1] || !got[2] {
		t.Errorf("%v: answers %v", res.Err, got)
	}
	if res.Approver.Kind == "" {
		t.Errorf("nobody decided: %+v", res.Approver)
	}
}

// A session keeps what outlives its calls where its host says.
func TestASessionKeepsThingsInTheStoreOfItsHost(t *testing.T) {
	own := &tool.Session{}
	defer own.Close()
	store, err := own.Blobs()
	if err != nil {
		t.Fatal(err)
	}
	s := &tool.Session{Store: store}
	if got, err := s.Blobs(); err != nil || got != store {
		t.Errorf("%v, %v", got, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got, err := s.Blobs(); err != nil || got != store {
		t.Errorf("after its end: %v, %v", got, err)
	}
}
