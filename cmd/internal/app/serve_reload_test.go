package app

import (
	"strings"
	"testing"
	"time"
)

// longEnough is far above what a server needs to see that its configuration changed.
const longEnough = time.Minute

// eventually calls f until it is true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(longEnough); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %v", what, longEnough)
		}
	}
}

func TestAServerFollowsItsConfiguration(t *testing.T) {
	v := newVictim(t).put("a.txt", "text\n").put(userConfig, `{"rules":[{"allow":"bash:make *"}]}`)
	k := v.headless(t, "somebody", `{"action":"cancel"}`)
	lists := func(name string) bool {
		return strings.Contains(string(k.request("tools/list", "{}")), `"name":"`+name+`"`)
	}
	changes := func() int {
		n := 0
		for _, m := range k.heard {
			if m == "notifications/tools/list_changed" {
				n++
			}
		}
		return n
	}
	if !lists("fetch") || changes() > 0 {
		t.Fatalf("heard %q", k.heard)
	}
	v.put(userConfig, `{"disabled_tools":["fetch"]}`)
	// It does not ask for the list meanwhile: who has the new one already is not told of it.
	eventually(t, "the client hears of it", func() bool { k.request("ping", "{}"); return changes() == 1 })
	if lists("fetch") {
		t.Error("fetch is still listed")
	}
	if said := k.call("fetch", fetchX); !strings.Contains(said, "is disabled") {
		t.Errorf("%q", said)
	}

	// A rule that changes no list is no news, and holds.
	reads := func() string { return k.call("read", `{"file_path":"a.txt"}`) }
	v.put(userConfig, `{"disabled_tools":["fetch"],"rules":[{"deny":"read:a.txt"}]}`)
	eventually(t, "a.txt is denied", func() bool { return strings.HasPrefix(reads(), "Error:") })

	// A configuration that breaks leaves what was, and says so.
	v.put(userConfig, `{"rules":`)
	eventually(t, "the person hears of it", func() bool {
		return strings.Contains(k.stderr.String(), "the configuration changed and cannot be used, the rules stay as they were")
	})
	if said := reads(); !strings.HasPrefix(said, "Error:") || lists("fetch") {
		t.Errorf("%q: other rules stand", said)
	}
	if n := changes(); n != 1 {
		t.Errorf("%d changed lists, want 1: %q", n, k.heard)
	}
	v.put(userConfig, `{}`)
	eventually(t, "all is as without a configuration", func() bool { return lists("fetch") && strings.Contains(reads(), "text") })
}
