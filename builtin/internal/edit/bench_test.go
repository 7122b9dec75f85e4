package edit_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"helve/builtin/internal/edit"
)

// source is n lines of code, all different.
func source(n int, end string) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "\tstatic int func_%d(struct device *dev, unsigned long flags);%s", i, end)
	}
	return b.Bytes()
}

func BenchmarkEdit50MB(b *testing.B) {
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
		content := source(50<<20/65, end)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := edit.Make(content, edit.Edit{Old: "func_400000(struct device *dev, unsigned long flags);\n\tstatic", New: "x\ny"})
				if err != nil {
					b.Fatal(err)
				}
				p.WriteTo(io.Discard)
			}
		})
	}
}

func BenchmarkEdit20KB(b *testing.B) {
	content := source(20<<10/65, "\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := edit.Make(content, edit.Edit{Old: "func_200(", New: "g("}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMiss is a refusal with its nearest place.
func BenchmarkMiss(b *testing.B) {
	for name, old := range map[string]string{
		"one_line":     "static int func_15000(struct device *dev, signed long flags);",
		"twenty_lines": string(bytes.ReplaceAll(source(20, "\n"), []byte("flags"), []byte("flag_set"))),
		"unlike":       "nothing of the kind",
	} {
		content := source(30_000, "\n")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := edit.Make(content, edit.Edit{Old: old, New: "x"}); err == nil {
					b.Fatal("applied")
				}
			}
		})
	}
}

// BenchmarkWorst is a text made to be slow: every byte may begin the old text.
func BenchmarkWorst(b *testing.B) {
	content := bytes.Repeat([]byte("a a\n"), 1<<20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := edit.Make(content, edit.Edit{Old: "a  a\na a\nb", New: "x"}); err == nil {
			b.Fatal("applied")
		}
	}
}
