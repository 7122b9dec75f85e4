package server_test

import (
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
