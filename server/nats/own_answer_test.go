package natsbus_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"helve/tool"
)

// What a worker's own tool answers with has nothing in it that a terminal would obey, wherever it stands; the rest of it
// arrives as it was.
func TestNothingThatAWorkersToolSaysIsObeyed(t *testing.T) {
	const evil = "a\x1b[2Jb"
	quoted, _ := json.Marshal(evil)
	object := json.RawMessage(`{"k":` + string(quoted) + `,"n":1.50}`)
	answers := map[string]*tool.Result{
		"parts": {
			Parts: []tool.Part{
				tool.Text(evil), tool.Resource{URI: "x:" + evil, MIME: evil, Text: evil},
				tool.Link{URI: "x:" + evil, Name: evil, Title: evil, Description: evil, MIME: evil},
				tool.Foreign(`{"type":"odd","text":` + string(quoted) + `}`),
			},
			Display: tool.Summary(evil), Data: object, Meta: object, Extra: object,
		},
		"error": {Err: &tool.Error{Code: tool.Execution, Err: errors.New(evil), Hint: evil, Details: object}},
		"plain": {Err: &tool.Error{Code: tool.Execution, Err: errors.New("no luck"), Hint: "try again"}},
	}
	var all []tool.Tool
	for name, res := range answers {
		all = append(all, reads(name, func(context.Context, *tool.Call) (*tool.Result, error) { return res, nil }))
	}
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, all...), 2)
	var reg tool.Registry
	defer reg.Close()
	if err := reg.Attach(t.Context(), joinOwn(t, b.URL(), false)); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: allowAll{}})
	for name := range answers {
		res := call(t, kit, nil, name, `{}`)
		text, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `\u001b`) {
			t.Errorf("%s: %s", name, text)
		}
		switch name {
		case "parts":
			if len(res.Parts) != 4 || !strings.Contains(string(res.Data), "1.50") {
				t.Errorf("%s: %s", name, text)
			}
		case "plain":
			if res.Err.Err.Error() != "no luck" || res.Err.Hint != "try again" {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}

// How far a call of a worker is reaches whoever called, as it was told.
func TestProgressOfAWorkerReachesTheCaller(t *testing.T) {
	kit := asked(t, func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		c.Progress(tool.Progress{Done: 1, Total: 4, Message: "one\x1b[2J of four"})
		return tool.Textf("done"), nil
	})
	var told []tool.Progress
	c := &tool.Call{Name: "ask", Args: json.RawMessage(`{}`), Progress: func(p tool.Progress) { told = append(told, p) }}
	res, err := kit.Call(t.Context(), c)
	if err != nil || res.Err != nil {
		t.Fatal(err, res)
	}
	found := false
	for _, p := range told {
		found = found || p.Done == 1 && p.Total == 4 && strings.HasSuffix(p.Message, " of four") && !strings.Contains(p.Message, "\x1b")
	}
	if !found {
		t.Errorf("%+v", told)
	}
}
