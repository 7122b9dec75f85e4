package acp

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"helve/builtin"
	"helve/internal/rpc"
)

// bufferTime bounds how long the editor takes to say what it holds of a file, or to take a text: nobody is asked.
const bufferTime = 30 * time.Second

var _ builtin.Buffers = (*session)(nil)

// holds tells whether the editor says what it holds of files, and takes it.
func (s *session) holds() bool {
	fs := s.e.capable().Client.FS
	return fs.Read && fs.Write
}

// Text is what the editor holds of a file. It refuses to say so of files that are none of its own: it holds nothing of
// these.
func (s *session) Text(ctx context.Context, path string) (string, bool, error) {
	ctx, stop := context.WithTimeout(ctx, bufferTime)
	defer stop()
	var in struct {
		Content string `json:"content"`
	}
	err := s.e.call(ctx, methodRead, fileOut{ID: s.id, Path: path}, &in)
	if _, refused := errors.AsType[*rpc.Error](err); refused {
		return "", false, nil
	}
	return in.Content, err == nil, err
}

// maxPuttings bounds what undo can give back of one file.
const maxPuttings = 20

// Put gives the editor a text for a file that it holds. What it held is remembered: undo gives it back.
func (s *session) Put(ctx context.Context, path, was, text string) error {
	before, _, err := s.Text(ctx, path)
	if err != nil {
		return err
	}
	if oneLineEnd(before) != oneLineEnd(was) {
		return errors.New("it was changed there meanwhile; read it again")
	}
	if err := s.put(ctx, path, text); err != nil {
		return err
	}
	s.mu.Lock() // a script's calls may be side by side
	defer s.mu.Unlock()
	if s.puttings == nil {
		s.puttings = map[string][]putting{}
	}
	list := append(s.puttings[path], putting{before, text})
	s.puttings[path] = list[max(0, len(list)-maxPuttings):]
	s.undone = nil
	return nil
}

func (s *session) put(ctx context.Context, path, text string) error {
	ctx, stop := context.WithTimeout(ctx, bufferTime)
	defer stop()
	return s.e.call(ctx, methodWrite, fileOut{ID: s.id, Path: path, Content: &text}, &struct{}{})
}

// unsaved is what the editor holds of a file, and whether that is another text than on the disk.
func (s *session) unsaved(ctx context.Context, path string) (text string, dirty bool, err error) {
	if !s.holds() || path == "" {
		return "", false, nil
	}
	disk, err := os.ReadFile(path)
	if err != nil {
		return "", false, nil // undo finds out what it means
	}
	text, ok, err := s.Text(ctx, path)
	return text, ok && oneLineEnd(text) != oneLineEnd(string(disk)), err
}

// oneLineEnd is a text with the line ends that editors hold, whatever its file has.
func oneLineEnd(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
