package shell

import (
	"flag"
	"os"
	"testing"

	"helve/internal/packed"
)

var update = flag.Bool("update", false, "write programs.zst and tried.zst")

// People read and change the texts; the program has what is packed of them.
func TestWhatIsPackedAreTheTables(t *testing.T) {
	for text, file := range map[string]string{"programs.txt": "programs.zst", "tried.txt": "tried.zst"} {
		b, err := os.ReadFile(text)
		if err != nil {
			t.Fatal(err)
		}
		packed.Check(t, file, b, *update)
	}
}
