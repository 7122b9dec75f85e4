package console

import (
	"testing"
	"time"
)

func TestAWordIsGoodForOneLogin(t *testing.T) {
	l := NewLogin()
	if _, _, ok := l.exchange(""); ok {
		t.Error("nothing is a word")
	}
	word := l.Token()
	cookie, key, ok := l.exchange(word)
	if !ok || !l.knows(cookie, key) {
		t.Fatalf("%v %q %q", ok, cookie, key)
	}
	if _, _, again := l.exchange(word); again {
		t.Error("it is good twice")
	}
	other, otherKey, _ := l.exchange(l.Token())
	for _, wrong := range [][2]string{{cookie, ""}, {"", key}, {"", ""}, {key, cookie}, {cookie, otherKey}, {other, key}, {word, word}} {
		if l.knows(wrong[0], wrong[1]) {
			t.Errorf("%q is a login", wrong)
		}
	}
	l.end(cookie, "")
	if !l.knows(cookie, key) {
		t.Error("half of it ended it")
	}
	l.end(cookie, key)
	if l.knows(cookie, key) || !l.knows(other, otherKey) {
		t.Error("another login ended, or it did not")
	}
}

func TestWordsAndLoginsGrowOld(t *testing.T) {
	l := &Login{}
	old := l.Token()
	l.words[0].made = time.Now().Add(-wordTime - time.Second)
	if _, _, ok := l.exchange(old); ok {
		t.Error("an old word is good")
	}
	cookie, key, _ := l.exchange(l.Token())
	l.visits[0].began = time.Now().Add(-visitTime - time.Second)
	if l.knows(cookie, key) {
		t.Error("an old login holds")
	}
	// The machine slept: only the clock on the wall went on.
	l.visits[0].began = time.Now().Round(0).Add(-visitTime - time.Second)
	if l.knows(cookie, key) {
		t.Error("an old login holds after a sleep")
	}
	first := l.Token()
	for range maxWords {
		l.Token()
	}
	if _, _, ok := l.exchange(first); ok {
		t.Errorf("more than %d words are good", maxWords)
	}
	if !l.mayAsk() || l.mayAsk() {
		t.Error("a page may ask for links without end")
	}
}

// Guessing leads nowhere: a word has 130 bits, and wrong ones do not spoil the right one for the person who has it.
func TestGuessesNeitherOpenNorSpoilALink(t *testing.T) {
	l := NewLogin()
	word := l.Token()
	if len(word) < 26 {
		t.Errorf("%q: want 130 bits in base 32", word)
	}
	for i := range 10_000 {
		guess := word[:len(word)-1] + string(rune('a'+i%26))
		if _, _, ok := l.exchange(guess); ok {
			t.Fatalf("%q opens what %q should", guess, word)
		}
	}
	if _, _, ok := l.exchange(word); !ok {
		t.Error("the right word is spoiled")
	}
}
