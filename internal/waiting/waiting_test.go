package waiting_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"helve/internal/waiting"
)

// ask has a question about a call wait.
func ask(t *testing.T, dir, call string) (key string, q waiting.Question) {
	t.Helper()
	key = waiting.Key("codex", "one", "/w", call)
	q, err := waiting.Ask(dir, key, waiting.Question{Client: "codex", Title: call, Reason: "a secret"})
	if err != nil {
		t.Fatal(err)
	}
	return key, q
}

func TestAYesIsGivenOnceAndANoStays(t *testing.T) {
	dir := t.TempDir()
	key, q := ask(t, dir, "cat .env")
	other, _ := ask(t, dir, "cat .env2")
	if said := waiting.Take(dir, key); said != "" {
		t.Errorf("nobody answered, and the answer is %q", said)
	}
	if list := waiting.List(dir); len(list) != 2 || list[0].Title != "cat .env" || list[0].ID != q.ID {
		t.Errorf("waiting: %+v", list)
	}
	if _, err := waiting.Say(dir, q.ID[:8], true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{waiting.Yes, ""} {
		if said := waiting.Take(dir, key); said != want {
			t.Errorf("the answer is %q, want %q", said, want)
		}
	}
	if _, err := waiting.Say(dir, other[:10], false); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if said := waiting.Take(dir, other); said != waiting.No {
			t.Errorf("the answer is %q, want a no", said)
		}
	}
	if _, err := waiting.Say(dir, other[:10], true); !errors.Is(err, waiting.ErrNone) {
		t.Errorf("a second answer: %v", err)
	}
	if list := waiting.List(dir); len(list) != 0 {
		t.Errorf("waiting: %+v", list)
	}
}

func TestOnlyOneOfManyGetsAYes(t *testing.T) {
	dir := t.TempDir()
	key, q := ask(t, dir, "x")
	if _, err := waiting.Say(dir, q.ID, true); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 20)
	for range cap(said) {
		go func() { said <- waiting.Take(dir, key) }()
	}
	yes := 0
	for range cap(said) {
		if <-said == waiting.Yes {
			yes++
		}
	}
	if yes != 1 {
		t.Errorf("%d got it", yes)
	}
}

func TestQuestionsAreBoundedAndOldOnesGo(t *testing.T) {
	dir := t.TempDir()
	for i := range 130 {
		ask(t, dir, fmt.Sprint(i))
	}
	list := waiting.List(dir)
	if len(list) != 100 || list[99].Title != "129" {
		t.Fatalf("%d wait", len(list))
	}
	if _, err := waiting.Say(dir, "", true); !errors.Is(err, waiting.ErrNone) {
		t.Errorf("an answer without an ID: %v", err)
	}
	files, err := filepath.Glob(dir + "/waiting/*.json")
	if err != nil || len(files) != 100 {
		t.Fatal(len(files), err)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list := waiting.List(dir); len(list) != 99 {
		t.Errorf("with a damaged one %d wait", len(list))
	}
}

// A call is the same in every part or it is another.
func TestCallsAreToldApart(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{
		{"a", "b", "c", "d"}, {"a", "b", "cd", ""}, {"ab", "", "c", "d"}, {"a", "b", "", "cd"}, {"a", "bc", "", "d"},
	} {
		key := waiting.Key(parts[0], parts[1], parts[2], parts[3])
		if other := seen[key]; other != nil {
			t.Errorf("%q and %q are one", parts, other)
		}
		seen[key] = parts
	}
}

func TestItIsKnownWhetherSomebodyWatches(t *testing.T) {
	dir := t.TempDir()
	if waiting.Watched(dir) {
		t.Error("nobody watches yet")
	}
	stop, err := waiting.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := waiting.Watch(dir)
	if err != nil || !waiting.Watched(dir) {
		t.Errorf("two watch: %v", err)
	}
	stop()
	if !waiting.Watched(dir) {
		t.Error("one still watches")
	}
	second()
	for end := time.Now().Add(10 * time.Second); waiting.Watched(dir); {
		if time.Now().After(end) {
			t.Fatal("nobody watches any more")
		}
	}
}
