package absence

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// The more often in a row a source did not come, the longer it is left alone; what was long waited for, for longer.
func TestPausesGrowWithEachFailureInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Book{Dir: t.TempDir(), File: "x", Of: "x"}
		last := time.Duration(0)
		for range 12 {
			try := b.Try()
			try.Failed("it is dead")
			r := b.Known()
			if r == nil || b.Away() == nil {
				t.Fatalf("after %v nothing is known", last)
			}
			got := r.pause()
			if got < pauseMin || got > pauseMax || got < last {
				t.Errorf("a pause of %v after one of %v", got, last)
			}
			last = got
			time.Sleep(got)
			if b.Away() != nil || b.Known() == nil {
				t.Errorf("after %v it is %v, known %v", got, b.Away(), b.Known())
			}
		}
		if last != pauseMax {
			t.Errorf("the last pause is %v", last)
		}
		b.Try().Came()
		if b.Known() != nil {
			t.Error("it came, and is away")
		}
		slow := b.Try()
		time.Sleep(3 * time.Second)
		slow.Failed("it is slow")
		if got := b.Known().pause(); got < 3*time.Minute {
			t.Errorf("it was waited for 3s, and is tried again after %v", got)
		}
	})
}

// Whoever tries a source may be killed at any moment: what goes on for long is noted before it is over.
func TestWhatIsTriedForLongIsNotedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Book{Dir: t.TempDir(), File: "x", Of: "x"}
		quick := b.Try()
		quick.Left()
		time.Sleep(2 * NoteAfter)
		if r := b.Known(); r != nil {
			t.Errorf("nobody waited, and it is away: %+v", r)
		}
		slow := b.Try()
		time.Sleep(NoteAfter)
		synctest.Wait()
		if b.Away() == nil {
			t.Error("it is not noted")
		}
		slow.Came()
		if r := b.Known(); r != nil {
			t.Errorf("it came after all: %+v", r)
		}
	})
}

// What was remembered of another definition, by a newer or an older program, or with another clock counts for nothing.
func TestARecordIsOfOneThing(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	clock := func() time.Time { return now }
	b := &Book{Dir: dir, File: "x", Of: "one", Limit: 10 * time.Second, Now: clock}
	b.Try().Failed("gone")
	for name, other := range map[string]*Book{
		"another source":       {Dir: dir, File: "x", Of: "two", Limit: b.Limit, Now: clock},
		"one who waits longer": {Dir: dir, File: "x", Of: "one", Limit: time.Minute, Now: clock},
		"a mended script":      {Dir: dir, File: "x", Of: "one", With: "two", Limit: b.Limit, Now: clock},
		"long after":           {Dir: dir, File: "x", Of: "one", Now: func() time.Time { return now.Add(2 * kept) }},
	} {
		if r := other.Known(); r != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if b.Known() == nil {
		t.Error("its own record is not known")
	}
	for _, text := range []string{"", "{", "[]", `{"server":"one","waited":1,"at":"2026-01-01T00:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(dir, "x"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := b.Known(); r != nil {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// A program that was installed or mended meanwhile, or that another search path finds, is another one.
func TestAProgramThatWasMendedIsAnotherOne(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	environ, words := []string{"PATH=" + bin}, []string{"server", "main.js"}
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]string{}
	look := func(what string, environ []string) {
		t.Helper()
		name, of, with := Names(dir, environ, words)
		again, same, still := Names(dir, environ, words)
		if name != again || of != same || with != still {
			t.Errorf("%s: it has two names", what)
		}
		if before, ok := seen[name+of+with]; ok {
			t.Errorf("%s: as %s", what, before)
		}
		seen[name+of+with] = what
	}
	look("nothing is there", environ)
	put(filepath.Join(bin, "server"), "#!")
	look("the program is installed", environ)
	put(filepath.Join(dir, "main.js"), "1")
	look("the script is there", environ)
	put(filepath.Join(dir, "main.js"), "22")
	_, script, _ := Names(dir, environ, words)
	look("the script is mended", environ)
	put(filepath.Join(dir, "main.js"), "333")
	if _, of, _ := Names(dir, environ, words); of != script {
		t.Error("another script makes another program")
	}
	put(filepath.Join(bin, "server"), "#!/bin/sh")
	look("the program is mended", environ)
	look("another search path", []string{"PATH=" + dir})
}

// Who waits briefly does not undo what is known by whoever waited long.
func TestWhatWasLongWaitedForStaysKnown(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	clock := func() time.Time { return now }
	long := &Book{Dir: dir, File: "x", Of: "one", Limit: 10 * time.Second, Now: clock}
	try := long.Try()
	now = now.Add(long.Limit)
	try.Failed("it did not answer within 10s")
	pause := long.Known().pause()
	brief := &Book{Dir: dir, File: "x", Of: "one", Limit: 2 * time.Second, Now: clock}
	now = now.Add(pause)
	brief.Try().Failed("it did not answer within 2s")
	if r := long.Away(); r == nil || r.Tries != 2 || r.pause() < pause {
		t.Errorf("who waits 10s knows %+v, want a second try in a row and a pause of %v or more", r, pause)
	}
	brief.Try().Came()
	if r := long.Known(); r != nil {
		t.Errorf("it came, and is away: %+v", r)
	}
}

// A clock that was set back and files that are written all the time make nobody wait long again for what is away: it is
// tried, and not for long.
func TestADoubtfulRecordIsStillOne(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	book := func(with string) *Book {
		return &Book{Dir: dir, File: "x", Of: "one", With: with, Limit: 10 * time.Second, Now: func() time.Time { return now }}
	}
	fail := func(b *Book) {
		try := b.Try()
		now = now.Add(b.Limit)
		try.Failed("it did not answer within 10s")
	}
	doubtful := func(what string, b *Book) {
		t.Helper()
		if r := b.Known(); r == nil || !r.Due(now) || b.Away() != nil {
			t.Errorf("%s: %+v", what, r)
		}
	}
	b := book("log 1")
	fail(b)
	now = now.Add(-time.Hour)
	doubtful("a clock set back", b)
	if got := b.Known().Ago(now); got != "before the clock was set" {
		t.Errorf("it did not come %s", got)
	}
	brief := b.Try()
	brief.Failed("it did not answer within 2s")
	if r := b.Away(); r == nil || r.pause() != pauseMax {
		t.Errorf("tried briefly with the new clock: %+v", r)
	}
	if r := book("log 2").Known(); r != nil {
		t.Errorf("its script may have been mended: %+v", r)
	}
	fail(book("log 2"))
	if book("log 2").Away() == nil {
		t.Error("that it did not come for all that is not known")
	}
	doubtful("its files change all the time", book("log 3"))
	fail(book("log 3"))
	doubtful("its files change all the time", book("log 4"))
}
