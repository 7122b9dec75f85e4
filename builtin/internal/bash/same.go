package bash

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"helve/internal/change"
)

// maxCompared bounds the files that are read to find out whether their content is another one, in bytes: a larger one
// that was written counts as changed.
const maxCompared = 64 << 20

// same tells that nothing becomes of a place but its times: those of a directory follow what is in it.
func (s *shower) same(c *change.Change, at change.Place, was, will change.Entry) (bool, error) {
	owned := will.Owner == change.Owner{} || was.Owner == will.Owner
	if was.Type != will.Type || was.Mode != will.Mode || !owned {
		return false, nil
	}
	switch was.Type {
	case change.Dir:
		return true, nil
	case change.Link:
		return was.Target == will.Target, nil
	case change.File:
		_, _, from, err := s.both(c, at)
		if err != nil || from == "" {
			return err == nil, err
		}
		return s.sameContent(at, from, was, will)
	}
	return false, nil
}

// sameContent compares a file with the one that comes in its place.
func (s *shower) sameContent(at change.Place, from change.Name, was, will change.Entry) (bool, error) {
	if was.Size != will.Size || was.Size > maxCompared {
		return false, nil
	}
	old, err := s.roots[at.Root].Open(at.Path)
	if err != nil {
		return false, ignoreMissing(err) // whoever took it away is told of when it is made
	}
	defer old.Close()
	now, err := s.from.Open(from)
	if err != nil {
		return false, ignoreMissing(err)
	}
	defer now.Close()
	a, b := make([]byte, comparedAtOnce), make([]byte, comparedAtOnce)
	for {
		n, err := io.ReadFull(old, a)
		m, other := io.ReadFull(now, b)
		if !bytes.Equal(a[:n], b[:m]) {
			return false, nil
		}
		if ended(err) || ended(other) {
			return ended(err) && ended(other), nil
		}
		if err := errors.Join(err, other); err != nil {
			return false, err
		}
	}
}

// comparedAtOnce is how much of two files is held in memory while they are compared, in bytes each.
const comparedAtOnce = 64 << 10

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
