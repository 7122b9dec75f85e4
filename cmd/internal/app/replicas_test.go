package app

import (
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"helve/cmd/internal/command"
)

// replicas are two servers of one workspace, of two persons' homes as if on two machines, behind a balancer that gives
// them requests in turn.
type replicas struct {
	t      *testing.T
	url    string // of the balancer
	token  string
	each   [2]*running
	turns  atomic.Int64
	shared string
}

const sharedToken = "a token of replicas"

func (v victim) replicas(t *testing.T, flags ...string) *replicas {
	t.Helper()
	r := &replicas{t: t, token: sharedToken, shared: filepath.Join(t.TempDir(), "shared")}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(sharedToken), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(v.home, ".config", "helve", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	flags = append([]string{"--token-file", file, "--shared", r.shared}, flags...)
	for i := range r.each {
		host := victim{t, filepath.Join(t.TempDir(), "home"), v.repo}
		r.each[i] = host.put(userConfig, string(config)).running(t, flags...)
		r.each[i].token = sharedToken
	}
	balancer := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(q *httputil.ProxyRequest) {
		to, _ := url.Parse(r.each[r.turns.Add(1)%2].url) // printed by the server
		to.Path = ""
		q.SetURL(to)
	}})
	t.Cleanup(balancer.Close)
	r.url = balancer.URL + "/mcp"
	return r
}

// client is one that names its conversation.
func (r *replicas) client(conversation string) stateless {
	return stateless{t: r.t, url: r.url, token: r.token, conversation: conversation, name: "agent"}
}

// at is the same client at one replica.
func (r *replicas) at(i int, conversation string) stateless {
	k := r.client(conversation)
	k.url = r.each[i].url
	return k
}

const replicasConfig = `{"mode":"ask","rules":[{"allow":"bash:seq *"},{"allow":"edit:a.txt"},{"allow":"todo_write"}]}`

// What a conversation read, keeps and was allowed is there at whichever replica its next call comes to.
func TestAConversationGoesOnAtAnyReplica(t *testing.T) {
	v := newVictim(t).put("a.txt", "one\n").put(userConfig, replicasConfig)
	r := v.replicas(t)
	k := r.client("mine")
	fine := func(what, got string) {
		t.Helper()
		if strings.Contains(got, `"isError":true`) || strings.Contains(got, `"error"`) || strings.Contains(got, "requestState") {
			t.Errorf("%s: %.500s", what, got)
		}
	}
	// Each call comes to the other one: what was read here is edited there.
	for i, words := range [][2]string{{"one", "two"}, {"two", "three"}, {"three", "four"}} {
		if i == 0 {
			fine("read", k.call("read", `{"file_path":"a.txt"}`, ""))
		}
		edit, _ := json.Marshal(map[string]string{"file_path": "a.txt", "old_string": words[0], "new_string": words[1]})
		fine("edit "+words[0], k.call("edit", string(edit), ""))
	}
	if got := r.client("another").call("edit", `{"file_path":"a.txt","old_string":"four","new_string":"five"}`, ""); !strings.Contains(got, "has not been read") {
		t.Errorf("another conversation edits what it did not read: %s", got)
	}
	v.put("a.txt", "changed by somebody\n")
	for i := range r.each {
		got := r.at(i, "mine").call("edit", `{"file_path":"a.txt","old_string":"changed","new_string":"x"}`, "")
		if !strings.Contains(got, "changed since it was read") {
			t.Errorf("replica %d: %s", i, got)
		}
	}

	fine("todos", k.call("todo_write", `{"todos":[{"id":"1","content":"my own plan"}]}`, ""))
	if got := k.call("todo_read", `{}`, ""); !strings.Contains(got, "my own plan") {
		t.Errorf("todos: %s", got)
	}

	long := k.call("bash", `{"command":"seq 1 30000"}`, "")
	spill := regexp.MustCompile(`spill:[0-9a-f]+`).FindString(long)
	if spill == "" {
		t.Fatalf("nothing is kept: %.300s", long)
	}
	window := `{"file_path":"` + spill + `","offset":14999,"limit":2}`
	for i := range r.each {
		if got := r.at(i, "mine").call("read", window, ""); !strings.Contains(got, "15000|15000") {
			t.Errorf("replica %d has not what is kept: %s", i, got)
		}
		if got := r.at(i, "another").call("read", window, ""); strings.Contains(got, "15000|15000") {
			t.Errorf("another conversation reads it at replica %d: %s", i, got)
		}
	}
}

// A yes that was given at one replica holds at the other: for the session, and for always.
func TestAYesHoldsAtEveryReplica(t *testing.T) {
	v := newVictim(t).put(userConfig, replicasConfig)
	r := v.replicas(t)
	asks := func(k stateless, file string) bool {
		return strings.Contains(k.call("write", `{"file_path":"`+file+`","contents":"x"}`, ""), `"requestState"`)
	}
	// The question comes from one, the answer goes to the other.
	if got := r.client("mine").call("write", `{"file_path":"new.txt","contents":"x"}`, "session"); !strings.Contains(got, "Successfully") {
		t.Fatalf("%s", got)
	}
	for i := range r.each {
		if asks(r.at(i, "mine"), "more.txt") {
			t.Errorf("replica %d asks again", i)
		}
		if !asks(r.at(i, "another"), "other.txt") {
			t.Errorf("replica %d does not ask another conversation", i)
		}
	}
	// Who names no conversation may not be alone in it.
	silent := r.client("")
	silent.call("write", `{"file_path":"silent.txt","contents":"x"}`, "session")
	for i := range r.each {
		if !asks(r.at(i, ""), "silent2.txt") {
			t.Errorf("replica %d remembers a yes for whoever comes", i)
		}
	}
	if got := r.client("third").call("write", `{"file_path":"kept.txt","contents":"x"}`, "always"); !strings.Contains(got, "Successfully") {
		t.Fatalf("%s", got)
	}
	for i := range r.each {
		if asks(r.at(i, "fourth"), "kept.txt") {
			t.Errorf("replica %d asks again for what is allowed for always", i)
		}
	}
}

func TestASharedFolderThatOthersCanWriteToIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such mode there")
	}
	v := newVictim(t)
	dir := filepath.Join(v.home, "open")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	code, _, errs := v.run("serve", "--http", "127.0.0.1:0", "--shared", dir)
	if code != command.ExitUsage || !strings.Contains(errs, "can be written by others") {
		t.Errorf("status %d: %s", code, errs)
	}
}
