package exact

import (
	"context"
	"encoding/json"
	"iter"
	"path/filepath"

	"helve/engine/code"
	"helve/internal/resolved"
)

const (
	// maxOpen is how many files a server is given the text of before all of them are closed again.
	maxOpen = 64
	// batch is how many questions wait at a server at a time: when the time is over, no more are left behind.
	batch = 32
)

// A session is a server that was started for a folder, and what it was told of the files. One question at a time.
type session struct {
	spec  *server
	root  string
	conn  *conn
	words words
	known map[string]code.Entry // the files of its languages as it was last told
	open  map[string]string     // the files that it has the text of
	turns int                   // versions of texts, counted together

	settings string // what the server is told: an object of JSON
}

// words are what differs between the protocols.
type words interface {
	// start greets the server.
	start(ctx context.Context) error
	// changed tells it which files are others now, or gone.
	changed(paths []string, gone bool) error
	// give gives it the text of a file, take takes it back: then what is on disk counts.
	give(path string, language code.Language, text string, version int) error
	take(path string) error
	// ask asks for the definition of the name at a place; what comes back is read by meaning.
	ask(path string, at code.Position) (int64, chan reply, error)
	// meaning reads an answer. Paths are absolute.
	meaning(answer json.RawMessage) []place
	// forget says that nobody waits for an answer any more.
	forget(id int64)
}

// place is where a server says that something is defined.
type place struct {
	path string
	code.Position
}

func newSession(spec *server, root string, c *conn, files iter.Seq[code.Entry]) *session {
	s := &session{spec: spec, root: root, conn: c, open: map[string]string{}}
	s.known = s.listed(files)
	s.words = &lspWords{s}
	if spec.protocol == tsserver {
		s.words = &tsWords{s}
	}
	return s
}

// listed are the files of the server's languages.
func (s *session) listed(files iter.Seq[code.Entry]) map[string]code.Entry {
	list := map[string]code.Entry{}
	for f := range files {
		if s.spec.reads(code.LanguageOf(f.Path, nil)) {
			list[f.Path] = f
		}
	}
	return list
}

// sync tells the server which files changed since the last question.
func (s *session) sync(files iter.Seq[code.Entry]) error {
	now := s.listed(files)
	var other, gone []string
	for path, f := range now {
		if s.known[path] != f {
			other = append(other, path)
		}
	}
	for path := range s.known {
		if _, ok := now[path]; !ok {
			gone = append(gone, path)
		}
	}
	s.known = now
	for _, list := range [][]string{other, gone} {
		for _, path := range list {
			if err := s.close(path); err != nil {
				return err
			}
		}
	}
	if len(other) > 0 {
		if err := s.words.changed(other, false); err != nil {
			return err
		}
	}
	if len(gone) > 0 {
		return s.words.changed(gone, true)
	}
	return nil
}

// close takes back the text of a file that the server was given.
func (s *session) close(path string) error {
	if _, ok := s.open[path]; !ok {
		return nil
	}
	delete(s.open, path)
	return s.words.take(path)
}

// give gives the server the text of the file that a question is about: the answer is for that, whatever is on disk.
func (s *session) give(p *code.Asked) error {
	text := string(p.Text)
	if have, ok := s.open[p.Path]; ok && have == text {
		return nil
	}
	if err := s.close(p.Path); err != nil {
		return err
	}
	if len(s.open) >= maxOpen {
		for path := range s.open {
			if err := s.close(path); err != nil {
				return err
			}
		}
	}
	s.open[p.Path] = text
	s.turns++
	return s.words.give(p.Path, p.Language, text, s.turns)
}

// meanings answers as far as the time goes; into[i] is for places[i]. It returns how many answers came, of whatever
// kind.
func (s *session) meanings(
	ctx context.Context, files iter.Seq[code.Entry], places []*code.Asked, into []*code.Meaning,
) (int, error) {
	if err := s.sync(files); err != nil {
		return 0, err
	}
	came := 0
	for len(places) > 0 && ctx.Err() == nil {
		n := min(batch, len(places))
		k, err := s.some(ctx, places[:n], into[:n])
		came += k
		if err != nil {
			return came, err
		}
		places, into = places[n:], into[n:]
	}
	return came, nil
}

// some asks a few questions at once, and waits for their answers.
func (s *session) some(ctx context.Context, places []*code.Asked, into []*code.Meaning) (int, error) {
	type waiting struct {
		id int64
		to chan reply
	}
	var list []waiting
	for _, p := range places {
		if err := s.give(p); err != nil {
			return 0, err
		}
		id, to, err := s.words.ask(p.Path, p.Position)
		if err != nil {
			return 0, err
		}
		list = append(list, waiting{id, to})
	}
	came := 0
	for i, w := range list {
		answer, err := s.conn.wait(ctx, w.id, w.to)
		if err != nil && ctx.Err() == nil {
			return came, err // the server has ended
		}
		if err != nil {
			s.words.forget(w.id)
			continue
		}
		came++
		*into[i] = s.believed(s.words.meaning(answer))
	}
	return came, nil
}

// maxPlaces bounds the definitions that one name may have: more are no answer.
const maxPlaces = 64

// believed is what a server's places mean here. No place at all is no answer: servers say so of what they do not
// know, too.
func (s *session) believed(list []place) code.Meaning {
	if len(list) == 0 || len(list) > maxPlaces {
		return code.Meaning{}
	}
	m := code.Meaning{Known: true, By: s.spec.program}
	for _, p := range list {
		if !filepath.IsAbs(p.path) {
			return code.Meaning{}
		}
		if rel, ok := resolved.Below(s.root, filepath.Clean(p.path)); ok {
			m.At = append(m.At, code.Definition{Path: rel, Position: p.Position})
		} else {
			m.Outside = true
		}
	}
	return m
}
