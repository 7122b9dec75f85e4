package conversation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/agent"
	"helve/agent/conversation"
	"helve/tool"
)

// says is a model that says these texts.
func says(texts ...string) *agent.Replay {
	log := &agent.Log{Model: "test/said"}
	for _, t := range texts {
		log.Replies = append(log.Replies, &agent.Reply{Assistant: agent.Assistant{Text: t}, Stop: agent.Done})
	}
	return &agent.Replay{Log: log}
}

func emptyKit() *tool.Kit { return (&tool.Registry{}).Kit(tool.KitOptions{}) }

// A conversation is gone on with in another process, and a program needs three lines for it.
func ExampleContinue() {
	dir, err := os.MkdirTemp("", "conversations-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store := conversation.Folder{Dir: dir}
	for _, prompt := range []string{"Keep 7 in mind.", "Which number?"} {
		a := &agent.Agent{Model: says("Seven."), Kit: emptyKit()}
		kept, err := conversation.Continue(store, conversation.About{ID: "numbers"}, a, nil)
		if err != nil {
			panic(err)
		}
		if _, err := a.Run(context.Background(), prompt); err != nil {
			panic(err)
		}
		fmt.Println(len(a.History), kept.Close())
	}
	// Output:
	// 2 <nil>
	// 4 <nil>
}

func run(t *testing.T, s conversation.Store, id, prompt, answer string) {
	t.Helper()
	a := &agent.Agent{Model: says(answer), Kit: emptyKit()}
	kept, err := conversation.Continue(s, conversation.About{ID: id}, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context(), prompt); err != nil {
		t.Fatal(err)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOneHolderAtATime(t *testing.T) {
	s := conversation.Folder{Dir: t.TempDir()}
	first, err := s.Hold(conversation.About{ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Hold(conversation.About{ID: "x"})
	held, ok := errors.AsType[*conversation.HeldError](err)
	if !ok || held.Holder.PID != os.Getpid() || held.Holder.Since.IsZero() {
		t.Fatalf("a second holder got %v, want who holds it", err)
	}
	if err := s.Delete("x"); err == nil {
		t.Error("a conversation was deleted while somebody held it")
	}
	if a, err := s.About("x"); err != nil || a.State != conversation.Running || a.Holder == nil {
		t.Errorf("got %+v, %v, want it running", a, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if a, err := s.About("x"); err != nil || a.State != conversation.Idle {
		t.Errorf("got %+v, %v, want it idle", a, err)
	}
	again, err := s.Hold(conversation.About{ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// What a killed process was about to write is cut off before anything comes behind it.
func TestALineThatWasCutOffDoesNotSpoilTheNext(t *testing.T) {
	s := conversation.Folder{Dir: t.TempDir()}
	run(t, s, "x", "one", "first")
	path := filepath.Join(s.Dir, "x", "conversation.jsonl")
	for _, cut := range []string{`{"type":"assist`, strings.Repeat("x", 200_000)} {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(cut); err != nil {
			t.Fatal(err)
		}
		f.Close()
		run(t, s, "x", "two", "second")
	}
	log, err := conversation.Read(s, "x")
	if err != nil {
		t.Fatal(err)
	}
	if log.Turns() != 3 || len(log.Said) != 6 {
		t.Errorf("got %d turns and %d messages, want 3 and 6: %+v", log.Turns(), len(log.Said), log.Said)
	}
}

func TestAConversationGoesBackToATurnAndForks(t *testing.T) {
	s := conversation.Folder{Dir: t.TempDir()}
	for n := range 3 {
		run(t, s, "x", fmt.Sprint("prompt ", n+1), fmt.Sprint("answer ", n+1))
	}
	fork, err := s.Fork("x", conversation.About{ID: "y", Workspace: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if err := conversation.Back(fork, 1); err != nil {
		t.Fatal(err)
	}
	if err := fork.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, s, "y", "other", "answer")
	text := func(id string) (out []string) {
		log, err := conversation.Read(s, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range log.Said {
			out = append(out, fmt.Sprint(said.Turn, said.Text))
		}
		if len(log.Messages) != len(log.Said) || len(log.Replies) != len(log.Said)/2 {
			t.Errorf("%s: %d messages, %d replies, %d said", id, len(log.Messages), len(log.Replies), len(log.Said))
		}
		return out
	}
	if got := strings.Join(text("y"), ","); got != "1prompt 1,1answer 1,2other,2answer" {
		t.Errorf("the fork has %s", got)
	}
	if got := text("x"); len(got) != 6 {
		t.Errorf("the other one has %v", got)
	}
	if a, err := s.About("y"); err != nil || a.From != "x" || a.Workspace != "/w" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestSecretsOfKnownKindsAreMasked(t *testing.T) {
	x := func(n int) string { return strings.Repeat("aB3", n)[:n] }
	key := "-----BEGIN RSA PRIVATE KEY-----\nMII" + x(60) + "\n" + x(40) + "=\n-----END RSA PRIVATE KEY-----"
	secrets := []string{
		"ghp_" + x(36), "gho_" + x(36), "github_pat_" + x(82), "AKIA" + strings.Repeat("Q7", 8),
		"sk-ant-api03-" + x(93), "sk-proj-" + x(48), "sk-" + x(48), "AIza" + x(35), "xoxb-1234567890-" + x(24),
		"sk_live_" + x(24), "npm_" + x(36), "a known \"secret\"", key,
		"-----BEGIN PRIVATE KEY-----\n" + x(64) + "\n" + x(20),
	}
	m := conversation.NewMask([]string{`a known "secret"`, "short"})
	for _, secret := range secrets {
		line, err := json.Marshal(map[string]any{"text": "before\n" + secret, "args": string(quoted(t, "k=<"+secret+">")), "next": "kept"})
		if err != nil {
			t.Fatal(err)
		}
		got := m.JSON(line)
		var back map[string]string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%s: no JSON any more: %v", got, err)
			continue
		}
		probe := secret[len(secret)/2:]
		if strings.Contains(string(got), strings.TrimSpace(probe)) || back["next"] != "kept" || !strings.HasPrefix(back["text"], "before\n[") {
			t.Errorf("%q became %s", secret, got)
		}
	}
	for _, harmless := range []string{
		"task-management-of-the-whole-organisation", "a short word", "sk-short", "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
		"AKIAX", "the npm_config_registry", "disk-usage-of-all-the-folders",
	} {
		if got := m.Text([]byte(harmless)); string(got) != harmless {
			t.Errorf("%q became %q", harmless, got)
		}
	}
}

func quoted(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Whatever stands in a line of JSON, masking it leaves JSON.
func FuzzMask(f *testing.F) {
	f.Add("-----BEGIN PRIVATE KEY-----\nabc", "-----END PRIVATE KEY-----")
	f.Add("sk-ant-\\n\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\u2028AKIAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, a, b string) {
		line, err := json.Marshal([]string{a, b})
		if err != nil {
			t.Fatal(err) // texts are always JSON
		}
		if got := conversation.NewMask([]string{"\"secret\""}).JSON(line); !json.Valid(got) {
			t.Errorf("%s became %s", line, got)
		}
	})
}

func TestWhatIsSaidIsMaskedBeforeItIsWritten(t *testing.T) {
	s := conversation.Folder{Dir: t.TempDir(), Secrets: []string{"the-key-of-this-run"}}
	run(t, s, "x", "my key is the-key-of-this-run", "and npm_"+strings.Repeat("a1", 18))
	b, err := os.ReadFile(filepath.Join(s.Dir, "x", "conversation.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte("the-key")) || bytes.Contains(b, []byte("npm_a1")) || !bytes.Contains(b, []byte("[npm token masked]")) {
		t.Errorf("%s", b)
	}
	for _, name := range []string{"conversation.jsonl", "about.json"} {
		st, err := os.Stat(filepath.Join(s.Dir, "x", name))
		if err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
}

func TestOldAndLargeConversationsAreForgottenButNotPinnedOnes(t *testing.T) {
	now := time.Now()
	about := func(id string, days int, bytes int64) conversation.About {
		return conversation.About{ID: id, Updated: now.AddDate(0, 0, -days), Bytes: bytes}
	}
	list := []conversation.About{about("new", 0, 60), about("mid", 5, 30), about("big", 9, 50), about("pin", 90, 20),
		about("old", 40, 1), about("run", 50, 1)}
	list[3].Pinned, list[5].State = true, conversation.Running
	var got []string
	for _, a := range conversation.Outdated(list, now.AddDate(0, 0, -30), 115) {
		got = append(got, a.ID)
	}
	if strings.Join(got, " ") != "old big" {
		t.Errorf("got %v, want old and then big", got)
	}
}

func TestAnIDMayBeCutShortWhereOnlyOneBeginsSo(t *testing.T) {
	s := conversation.Folder{Dir: t.TempDir()}
	for _, id := range []string{"abcd", "abce", "abc"} {
		run(t, s, id, "hello", "hi")
	}
	for begin, want := range map[string]string{"abcd": "abcd", "abc": "abc"} {
		if a, err := conversation.Find(s, begin); err != nil || a.ID != want {
			t.Errorf("%s: %s, %v", begin, a.ID, err)
		}
	}
	if _, err := conversation.Find(s, "ab"); err == nil || !strings.Contains(err.Error(), "3 conversations") {
		t.Errorf("ab: %v", err)
	}
	if _, err := conversation.Find(s, "x"); !errors.Is(err, conversation.ErrNone) {
		t.Errorf("x: %v", err)
	}
	for _, id := range []string{"../x", "", "a/b", ".hidden"} {
		if _, err := s.Open(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestALogOfANewerVersionIsLeftAlone(t *testing.T) {
	s := conversation.Folder{Dir: t.TempDir()}
	run(t, s, "x", "hello", "hi")
	path := filepath.Join(s.Dir, "x", "conversation.jsonl")
	newer := []byte(`{"type":"start","version":99}` + "\n")
	if err := os.WriteFile(path, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	a := &agent.Agent{Model: says("x"), Kit: emptyKit()}
	if _, err := conversation.Continue(s, conversation.About{ID: "x"}, a, nil); !errors.Is(err, agent.ErrNewer) {
		t.Errorf("got %v", err)
	}
	if b, _ := os.ReadFile(path); !bytes.Equal(b, newer) {
		t.Errorf("it became %s", b)
	}
}

// What is known of a conversation is never written anew where it cannot be read: its workspace would become that of whoever
// opens it. What was said can be forked.
func TestADamagedConversationIsLeftAsItIs(t *testing.T) {
	store := conversation.Folder{Dir: t.TempDir()}
	run(t, store, "first", "Hello.", "Hello.")
	dir, err := store.Of("first")
	if err != nil {
		t.Fatal(err)
	}
	about := filepath.Join(dir, "about.json")
	const damaged = `{"workspace":"/wo`
	if err := os.WriteFile(about, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := store.Hold(conversation.About{ID: "first", Workspace: "/elsewhere"}); err == nil || !strings.Contains(err.Error(), "fork") {
		t.Errorf("held: %v, %v", c, err)
	}
	if err := store.Change("first", func(a *conversation.About) { a.Pinned = true }); err == nil {
		t.Error("it was changed")
	}
	if b, err := os.ReadFile(about); err != nil || string(b) != damaged {
		t.Errorf("it is %q, %v", b, err)
	}
	fork, err := store.Fork("first", conversation.About{ID: "second", Workspace: "/elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	if err := fork.Close(); err != nil {
		t.Error(err)
	}
	if log, err := conversation.Read(store, "second"); err != nil || log.Turns() != 1 {
		t.Errorf("the fork: %+v, %v", log, err)
	}
}
