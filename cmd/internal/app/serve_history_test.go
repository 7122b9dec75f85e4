package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readText reads a resource: its text, or the message of the error.
func (k *conversation) readText(uri string) (text, bad string) {
	k.t.Helper()
	raw := k.ask("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
	if _, data, stream := strings.Cut(raw, "data: "); stream {
		raw, _, _ = strings.Cut(data, "\n")
	}
	var out struct {
		Result struct{ Contents []struct{ URI, Text string } }
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		k.t.Fatalf("%s: %v: %s", uri, err, raw)
	}
	if out.Error != nil {
		return "", out.Error.Message
	}
	if len(out.Result.Contents) != 1 || out.Result.Contents[0].URI != uri {
		k.t.Fatalf("%s: %s", uri, raw)
	}
	return out.Result.Contents[0].Text, ""
}

// calls are the calls of a session as its client reads them, the newest first.
func (k *conversation) calls() (ids []string) {
	k.t.Helper()
	text, bad := k.readText("helve://history")
	var list struct{ Calls []struct{ ID string } }
	if err := json.Unmarshal([]byte(text), &list); bad != "" || err != nil {
		k.t.Fatalf("the history: %s%v: %s", bad, err, text)
	}
	for _, c := range list.Calls {
		ids = append(ids, c.ID)
	}
	return ids
}

// offered tells whether the list of calls is a resource, and whether the diff of one is.
func (k *conversation) offered() string {
	k.t.Helper()
	list, templates := k.ask("resources/list", "{}"), k.ask("resources/templates/list", "{}")
	return fmt.Sprint(strings.Contains(list, `"uri":"helve://history"`),
		strings.Contains(templates, `"uriTemplate":"helve://history/{call}"`))
}

func TestClientsReadTheHistoryOfTheirSession(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"mode":"auto"}`)
	r := v.running(t)
	k, other := r.talk(t, ""), r.talk(t, "")
	if got := k.offered(); got != "true true" {
		t.Fatalf("list and template: %s", got)
	}
	if tools := k.ask("tools/list", "{}"); strings.Contains(tools, `"name":"diff"`) || strings.Contains(tools, `"name":"undo"`) {
		t.Errorf("a model is offered the tools: %.500s", tools)
	}
	if ids := k.calls(); len(ids) != 0 {
		t.Errorf("before any call: %v", ids)
	}
	k.call("write", map[string]any{"file_path": "a.txt", "contents": "one\n"})
	k.call("write", map[string]any{"file_path": "b.txt", "contents": "two\n"})
	ids := k.calls()
	if len(ids) != 2 {
		t.Fatalf("two calls: %v", ids)
	}
	if diff, bad := k.readText("helve://history/" + ids[1]); !strings.Contains(diff, "+++ b/a.txt") || !strings.Contains(diff, "+one") {
		t.Errorf("the first: %s%s", diff, bad)
	}
	if diff, bad := k.readText("helve://history/" + ids[1] + ".." + ids[0]); !strings.Contains(diff, "+two") || strings.Contains(diff, "+one") {
		t.Errorf("what came after the first: %s%s", diff, bad)
	}
	for _, uri := range []string{"helve://history/", "helve://history/none", "helve://history/%2e%2e", "helve://historyx", "helve://history/" + ids[0] + "/x"} {
		if text, bad := k.readText(uri); !strings.Contains(bad, "not found") {
			t.Errorf("%s: %s%s", uri, text, bad)
		}
	}
	if got := k.ask("resources/subscribe", `{"uri":"helve://history"}`); !strings.Contains(got, "cannot be followed") {
		t.Errorf("following: %s", got)
	}

	// Another session of the same server sees nothing of it.
	if theirs := other.calls(); len(theirs) != 0 {
		t.Errorf("another session's: %v", theirs)
	}
	if text, bad := other.readText("helve://history/" + ids[0]); text != "" || !strings.Contains(bad, "not one of this session") {
		t.Errorf("another session reads: %s%s", text, bad)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "b.txt")); err != nil {
		t.Error(err)
	}
}

// What the configuration says of the tools history and diff holds for the resources, too.
func TestTheHistoryIsNoResourceWhereItsToolsAreDenied(t *testing.T) {
	for config, want := range map[string]string{
		`{"mode":"auto","tools":{"history":false,"diff":false}}`:                 "false false",
		`{"mode":"auto","tools":{"diff":"deny"}}`:                                "true false",
		`{"mode":"auto","tools":{"history":"deny"}}`:                             "false true",
		`{"mode":"auto","tools":{"history":true,"diff":true}}`:                   "true true",
		`{"mode":"auto","history":false}`:                                        "false false",
		`{"mode":"auto","disabled_tools":["history","diff"]}`:                    "false false",
		`{"mode":"auto","clients":{"x":{"tools":{"diff":false}}}}`:               "true true",
		`{"mode":"auto","tools":{"diff":"ask"},"rules":[{"deny":"read:*.key"}]}`: "true true",
	} {
		v := newVictim(t).put(userConfig, config)
		r := v.running(t)
		k := r.talk(t, "")
		if got := k.offered(); got != want {
			t.Errorf("%s: list and template: %s, want %s", config, got, want)
		}
		k.call("write", map[string]any{"file_path": "a.txt", "contents": "one\n"})
		if strings.HasPrefix(want, "false") {
			if text, bad := k.readText("helve://history"); !strings.Contains(bad, "not found") {
				t.Errorf("%s: %s%s", config, text, bad)
			}
			continue
		}
		id := k.calls()[0]
		text, bad := k.readText("helve://history/" + id)
		switch {
		case strings.HasPrefix(want, "true false"):
			if !strings.Contains(bad, "not found") {
				t.Errorf("%s: %s%s", config, text, bad)
			}
		case strings.Contains(config, `"ask"`): // nobody is asked about a resource
			if text != "" || !strings.Contains(bad, "approv") {
				t.Errorf("%s: %s%s", config, text, bad)
			}
		default:
			if !strings.Contains(text, "+one") {
				t.Errorf("%s: %s%s", config, text, bad)
			}
		}
	}
}
