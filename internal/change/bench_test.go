//go:build unix

package change

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a set costs beside the plain way: to write a temporary file and rename it, for each file.
func BenchmarkReplace(b *testing.B) {
	content := strings.Repeat("x", 20_000)
	for _, files := range []int{1, 10, 1000} {
		b.Run(fmt.Sprintf("%d files/plain", files), func(b *testing.B) {
			g := newGround(b, nil)
			g.fill(b, files)
			for b.Loop() {
				for i := range files {
					p := g.file(i)
					if err := os.WriteFile(p+".tmp", []byte(content), 0o644); err != nil {
						b.Fatal(err)
					}
					if err := os.Rename(p+".tmp", p); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(fmt.Sprintf("%d files/set", files), func(b *testing.B) {
			g := newGround(b, nil)
			g.fill(b, files)
			for b.Loop() {
				s := &Set{}
				for i := range files {
					p := Name(filepath.Base(g.file(i)))
					write := func(w io.Writer) error { _, err := io.WriteString(w, content); return err }
					s.Changes = append(s.Changes, Change{Path: p, Was: g.now(b, string(p)), Will: Entry{Type: File, Mode: 0o644}, Write: write})
				}
				if r := g.apply(b, s); len(r.Refused) > 0 {
					b.Fatal(r.Refused[0].Why)
				}
			}
		})
	}
}

func (g *ground) file(i int) string { return fmt.Sprintf("%s/f%d", g.root, i) }

func (g *ground) fill(b *testing.B, files int) {
	for i := range files {
		if err := os.WriteFile(g.file(i), []byte("old"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}
