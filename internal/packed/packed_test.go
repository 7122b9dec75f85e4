package packed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A watched test keeps what Check says.
type watched struct{ said []string }

func (*watched) Helper()                     {}
func (w *watched) Errorf(f string, a ...any) { w.said = append(w.said, fmt.Sprintf(f, a...)) }
func (w *watched) Fatal(a ...any)            { w.said = append(w.said, fmt.Sprint(a...)) }

func TestWhatIsPackedComesOutAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "texts.zst")
	texts := []string{"page.html", "<p>\n", "empty", ""}
	Check(t, file, Join(texts...), true)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := Texts(b); !slices.Equal(got, texts) {
		t.Errorf("%q, want %q", got, texts)
	}
	Check(t, file, Join(texts...), false)

	var w watched
	Check(&w, file, []byte("changed since"), false)
	if len(w.said) != 1 {
		t.Errorf("a text that changed after it was packed: %q", w.said)
	}
}

func TestWhatWasNeverPackedIsNoText(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a broken file of the program passes for a text")
		}
	}()
	Bytes([]byte("not packed"))
}
