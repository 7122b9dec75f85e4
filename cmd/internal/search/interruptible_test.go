package search

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestAnInterruptibleWriterTellsWhatItsWriterTells(t *testing.T) {
	var to strings.Builder
	w := interruptible(t.Context(), &to)
	if n, err := io.WriteString(w, "text"); n != 4 || err != nil || to.String() != "text" {
		t.Errorf("wrote %d, %v, %q", n, err, to.String())
	}
	r, broken := io.Pipe()
	r.Close()
	if _, err := io.WriteString(interruptible(t.Context(), broken), "text"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want %v", err, io.ErrClosedPipe)
	}
}
