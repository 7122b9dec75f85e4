package server_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// A call whose arguments stand in the wrong member would run without any of them.
func TestArgumentsInTheWrongMemberAreRefused(t *testing.T) {
	c := tasked(t, nil)
	for _, member := range []string{"args", "input", "argumentz", "Arguments", "parameters"} {
		got := c.request("tools/call", `"name":"long","`+member+`":{"text":"x"}`)
		message, _ := got["message"].(string)
		if got["code"] != float64(-32602) || !strings.Contains(message, `in "arguments", not in "`+member+`"`) {
			t.Errorf("%s: %v", member, got)
		}
	}
}

// What clients add for themselves is no mistake.
func TestMembersOfAClientsOwnAreLeftAlone(t *testing.T) {
	release := make(chan struct{})
	close(release)
	c := tasked(t, release)
	got := c.call("long", `{"text":"x"},"trace":{"id":1},"args":[]`)
	if got["code"] != nil {
		t.Errorf("got %v", got)
	}
}

// What was repaired or ignored in the arguments has a place for programs, also where the call failed.
func TestRepairsStandInTheMetaOfAResult(t *testing.T) {
	release := make(chan struct{})
	close(release)
	c := tasked(t, release)
	c.capabilities = `{}`
	for args, want := range map[string]string{
		`{"text":"x","explanation":"why"}`: "null",
		`{"tex":"x"}`:                      "null",
		`{"Text":"x"}`:                     `["text: given as \"Text\""]`,
		`{"Text":7}`:                       `["text: given as \"Text\"","text: 7 read as text"]`,
		`{"text":"x","wish":true}`:         `["ignored: \"wish\" is no parameter of long"]`,
	} {
		got := c.call("long", args)
		meta, _ := got["_meta"].(map[string]any)
		told, _ := json.Marshal(meta["helve/repairs"])
		if string(told) != want {
			t.Errorf("%s: %s, want %s in %v", args, told, want, got)
		}
	}
}
