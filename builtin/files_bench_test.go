package builtin_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin"
	"helve/tool"
)

// code50 is 50 MB of lines of code, all different.
func code50(lines int) []byte {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "\tstatic int func_%d(struct device *dev, unsigned long flags);\n", i)
	}
	return b.Bytes()
}

const lines50 = 50 << 20 / 65

func benchFixture(b *testing.B, content []byte) *fixture {
	b.Helper()
	h := open(b, builtin.Options{State: b.TempDir()})
	if err := os.WriteFile(filepath.Join(h.dir, "f"), content, 0o644); err != nil {
		b.Fatal(err)
	}
	return h
}

func must(b *testing.B, r *tool.Result) *tool.Result {
	b.Helper()
	if r.Err != nil {
		b.Fatal(r.Text())
	}
	return r
}

// BenchmarkRead is the whole call: 100 lines at line 90,000 of 50 MB, in a workspace that sees the file first, and again.
func BenchmarkRead(b *testing.B) {
	window := args{"file_path": "f", "offset": 90_000, "limit": 100}
	content := code50(lines50)
	b.Run("first", func(b *testing.B) {
		h := benchFixture(b, content)
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			fresh := open(b, builtin.Options{Dirs: []string{h.dir}})
			b.StartTimer()
			must(b, fresh.call("read", window))
		}
	})
	b.Run("again", func(b *testing.B) {
		h := benchFixture(b, content)
		must(b, h.call("read", window))
		b.ReportAllocs()
		for b.Loop() {
			must(b, h.call("read", window))
		}
	})
	b.Run("plain", func(b *testing.B) { // what most tools do
		h := benchFixture(b, content)
		b.ReportAllocs()
		for b.Loop() {
			all, err := os.ReadFile(filepath.Join(h.dir, "f"))
			if err != nil {
				b.Fatal(err)
			}
			if got := strings.Split(string(all), "\n")[90_000:90_100]; len(got) != 100 {
				b.Fatal(len(got))
			}
		}
	})
}

// BenchmarkEdit is the whole call: lock, read, plan, atomic write.
func BenchmarkEdit(b *testing.B) {
	for name, lines := range map[string]int{"20KB": 20 << 10 / 65, "50MB": lines50} {
		b.Run(name, func(b *testing.B) {
			h := benchFixture(b, code50(lines))
			old, new := "func_200(", "func_two_hundred("
			b.ReportAllocs()
			for b.Loop() {
				must(b, h.call("edit", args{"file_path": "f", "old_string": old, "new_string": new}))
				old, new = new, old
			}
		})
	}
}

// BenchmarkEditMiss is a refusal with its nearest place, in 30,000 lines.
func BenchmarkEditMiss(b *testing.B) {
	h := benchFixture(b, code50(30_000))
	b.ReportAllocs()
	for b.Loop() {
		if r := h.call("edit", args{"file_path": "f", "old_string": "static int func_15000(struct device *dev, signed long flags);", "new_string": "x"}); !strings.Contains(r.Text(), "nearest place is line 15001") {
			b.Fatal(r.Text())
		}
	}
}
