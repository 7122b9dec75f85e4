package server_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/tree"
	"helve/server"
	"helve/tool"
)

// foldered is a server of a folder in which secret.txt may not be read.
func foldered(t *testing.T) (dir string, srv *server.Server) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, "a.txt", "1")
	write(t, dir, "secret.txt", "1")
	reg, trees := registry(t, say("echo", tool.Read)), &tree.Set{}
	open := func(_ context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
		return reg.Kit(tool.KitOptions{}), &tool.Session{ID: c.ID, Roots: []tool.Root{{Path: dir}}}, nil
	}
	srv = server.New(open, server.Options{Files: server.Folder{
		Denies: func(_ *tool.Session, target string) bool { return target == "secret.txt" },
		Trees:  func() *tree.Set { return trees },
	}})
	t.Cleanup(func() { srv.Close() })
	return dir, srv
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A client that follows a file of the workspace, or the whole of it, is told when it changes, comes or goes; what a rule denies, and what
// lies outside, cannot be followed; what is followed no longer is told of no longer.
func TestFilesOfTheWorkspaceAreFollowed(t *testing.T) {
	dir, srv := foldered(t)
	w := dial(t, srv)
	w.initialize(`{}`)
	ask := func(method, uri, want string) {
		t.Helper()
		w.say(`{"jsonrpc":"2.0","id":1,"method":"resources/%s","params":{"uri":%q}}`, method, uri)
		if m := w.hear(); !strings.Contains(string(m["result"])+string(m["error"]), want) {
			t.Errorf("%s %s: %s%s, want %s", method, uri, m["result"], m["error"], want)
		}
	}
	told := func(uri string) {
		t.Helper()
		m := w.hear()
		if string(m["method"]) != `"notifications/resources/updated"` || string(m["params"]) != `{"uri":"`+uri+`"}` {
			t.Fatalf("%s, want an update of %s", m, uri)
		}
	}
	ask("subscribe", "workspace:///secret.txt", "may not be read")
	ask("subscribe", "workspace:///../x", "outside the workspace")
	ask("subscribe", "workspace:///a.txt", "{}")
	ask("subscribe", "workspace:///a.txt", "{}") // twice is once
	ask("subscribe", "workspace:///not/yet.txt", "{}")
	write(t, dir, "secret.txt", "22")
	write(t, dir, "a.txt", "22")
	told("workspace:///a.txt")
	if err := os.Mkdir(filepath.Join(dir, "not"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "not/yet.txt", "1")
	told("workspace:///not/yet.txt")
	ask("unsubscribe", "workspace:///not/yet.txt", "{}")
	ask("subscribe", "workspace:///", "{}")
	ask("unsubscribe", "workspace:///a.txt", "{}")
	write(t, dir, "a.txt", "333")
	told("workspace:///")
	os.Remove(filepath.Join(dir, "a.txt"))
	told("workspace:///")
	ask("unsubscribe", "workspace:///", "{}")
	ask("unsubscribe", "workspace:///", "{}")
}

// The same in the stateless protocol: what cannot be followed is not agreed to.
func TestFilesAreFollowedBySubscriptionsListen(t *testing.T) {
	dir, srv := foldered(t)
	w := dial(t, srv)
	w.say(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["workspace:///a.txt","workspace:///secret.txt"]},%s}}`, stateless(`{}`))
	ack := w.hear()
	if p := string(ack["params"]); !strings.Contains(p, "a.txt") || strings.Contains(p, "secret") {
		t.Fatalf("%s", ack)
	}
	write(t, dir, "a.txt", "22")
	m := w.hear()
	var p struct{ URI string }
	if json.Unmarshal(m["params"], &p); p.URI != "workspace:///a.txt" {
		t.Errorf("%s", m)
	}
	w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
}
