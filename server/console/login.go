package console

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"sync"
	"time"
)

const (
	// wordTime is how long a link can be opened: a person who reads it opens it at once, and what stays in a
	// terminal's history is worth nothing.
	wordTime = 2 * time.Minute
	// visitTime is how long a login holds: a working day.
	visitTime = 12 * time.Hour
	// maxWords bounds the links that can be opened, maxVisits the logins: the oldest gives way.
	maxWords, maxVisits = 4, 100
	// linkEvery is the least time between two links that a page asks for.
	linkEvery = 5 * time.Second
)

// A Login lets persons open the console, by a word that whoever started the program gives them. It is another secret
// than the one by which clients call tools: who calls must not be able to approve. The zero value lets nobody in until
// Token was called. Its methods are safe for concurrent use.
type Login struct {
	mu     sync.Mutex
	words  []word
	visits []visit
	asked  time.Time // when a page last asked for a link
}

// A word can be exchanged once.
type word struct {
	sum  [sha256.Size]byte
	made time.Time
}

// A visit is a login: a cookie, and a key that the page keeps. A browser sends cookies to every port of a host; the key
// stays with the origin, so that another server on this machine cannot come by both.
type visit struct {
	cookie, key [sha256.Size]byte
	began       time.Time
}

// NewLogin makes one.
func NewLogin() *Login { return &Login{} }

// Token is a new word for a link. It is good for one login within two minutes.
func (l *Login) Token() string {
	text := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.words = append(l.words, word{sha256.Sum256([]byte(text)), time.Now()})
	l.words = l.words[max(0, len(l.words)-maxWords):]
	return text
}

// mayAsk tells whether a page may ask for a new link now, and notes that it did.
func (l *Login) mayAsk() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.asked.IsZero() && age(l.asked) < linkEvery {
		return false
	}
	l.asked = time.Now()
	return true
}

// exchange takes a word and gives a cookie and a key for it.
func (l *Login) exchange(text string) (cookie, key string, ok bool) {
	sum := sha256.Sum256([]byte(text))
	l.mu.Lock()
	defer l.mu.Unlock()
	var left []word
	for _, w := range l.words {
		switch {
		case age(w.made) > wordTime:
		case subtle.ConstantTimeCompare(w.sum[:], sum[:]) == 1:
			ok = true
		default:
			left = append(left, w)
		}
	}
	l.words = left
	if !ok {
		return "", "", false
	}
	cookie, key = rand.Text(), rand.Text()
	v := visit{sha256.Sum256([]byte(cookie)), sha256.Sum256([]byte(key)), time.Now()}
	l.visits = append(l.visits, v)
	l.visits = l.visits[max(0, len(l.visits)-maxVisits):]
	return cookie, key, true
}

// knows tells whether cookie and key are of one login that still holds.
func (l *Login) knows(cookie, key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.find(cookie, key) >= 0
}

// find is the place of a login; -1: there is none. l.mu is held.
func (l *Login) find(cookie, key string) int {
	c, k := sha256.Sum256([]byte(cookie)), sha256.Sum256([]byte(key))
	at := -1
	for i, v := range l.visits { // every one is compared, so that the time tells nothing
		same := subtle.ConstantTimeCompare(v.cookie[:], c[:]) & subtle.ConstantTimeCompare(v.key[:], k[:])
		if same == 1 && age(v.began) < visitTime {
			at = i
		}
	}
	return at
}

// end forgets a login.
func (l *Login) end(cookie, key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := l.find(cookie, key); i >= 0 {
		l.visits = append(l.visits[:i:i], l.visits[i+1:]...)
	}
}

// age is how old something is, by the clock that is further: one stands still while the machine sleeps, the other can
// be set back.
func age(t time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)))
}
