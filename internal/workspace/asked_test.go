package workspace

import (
	"encoding/json"
	"testing"
	"time"

	"helve/source/upstream"
	"helve/tool"
	"helve/wrap"
)

func TestWhatAServerAsksIsOnRecord(t *testing.T) {
	w := newPlace(t).open()
	w.asked(upstream.Question{
		Server:  "shop",
		Session: &tool.Session{ID: "s1", Principal: "ada"},
		Method:  "elicitation/create",
		Text:    "Your name?",
		Outcome: "decline",
		Began:   time.Now(),
		Took:    time.Second,
	})
	var got []wrap.Record
	err := Records{w.places.StateDir}.Calls(func(line []byte) bool {
		var r wrap.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
		return true
	})
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	r := got[0]
	if r.Name != "elicitation/create" || r.Title != "Your name?" || r.Outcome != "decline" || r.Duration != 1000 {
		t.Errorf("%+v", r)
	}
	if r.Origin.Server != "shop" || r.Session != "s1" || r.Principal != "ada" {
		t.Errorf("%+v", r)
	}
}
