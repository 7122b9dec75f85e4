package charset

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"helve/internal/packed"
)

var update = flag.Bool("update", false, "pack the tables anew")

// The library's encodings, in the order in which they are packed.
var (
	libraryLetters = []encoding.Encoding{
		charmap.CodePage866, charmap.ISO8859_1, charmap.ISO8859_2, charmap.ISO8859_3, charmap.ISO8859_4, charmap.ISO8859_5,
		charmap.ISO8859_6, charmap.ISO8859_7, charmap.ISO8859_8, charmap.ISO8859_8I, charmap.ISO8859_10, charmap.ISO8859_13,
		charmap.ISO8859_14, charmap.ISO8859_15, charmap.ISO8859_16, charmap.KOI8R, charmap.KOI8U, charmap.Macintosh,
		charmap.Windows1250, charmap.Windows1251, charmap.Windows1252, charmap.Windows1253, charmap.Windows1254,
		charmap.Windows1255, charmap.Windows1256, charmap.Windows1257, charmap.Windows1258, charmap.Windows874,
		charmap.MacintoshCyrillic, charmap.XUserDefined,
	}
	libraryPairs = []encoding.Encoding{
		simplifiedchinese.GBK, traditionalchinese.Big5, japanese.ShiftJIS, japanese.EUCJP, korean.EUCKR,
	}
)

// pack writes lists of the characters that the library reads at the places of codes.
func pack(library []encoding.Encoding, places int) (out []byte) {
	for _, e := range library {
		n := places
		if e == japanese.EUCJP {
			n += rowThree * rowThree
		}
		out = packList(out, e, n, codeAt)
	}
	return out
}

func packList(out []byte, e encoding.Encoding, n int, at func(int) code) []byte {
	out = binary.AppendUvarint(out, uint64(n))
	last := rune(0)
	for i := range n {
		step, r := rune(0), libraryReads(e, at(i))
		if r != 0 {
			step, last = r-last, r
			if step >= 0 {
				step++
			}
		}
		out = binary.AppendVarint(out, int64(step))
	}
	return out
}

// libraryReads is the one character that the library makes of a code, 0 where that is none or several.
func libraryReads(e encoding.Encoding, c code) rune {
	b, err := e.NewDecoder().Bytes(c.bytes(nil))
	r, n := utf8.DecodeRune(b)
	if err != nil || n != len(b) || r == utf8.RuneError && c != 0x8431a437 { // GB18030 has a code for it
		return 0
	}
	return r
}

func TestWhatIsPackedIsWhatTheLibraryReads(t *testing.T) {
	packed.Check(t, "letters.zst", pack(libraryLetters, singles), *update)
	const quads = 39_420 // of the first plane
	packed.Check(t, "pairs.zst", packList(pack(libraryPairs, singles+twoBytes), simplifiedchinese.GB18030, quads, quadCode), *update)
}

// oracles are the library's encodings by the names of ours.
func oracles() map[*Charset]encoding.Encoding {
	out := map[*Charset]encoding.Encoding{GB18030: simplifiedchinese.GB18030, ISO2022JP: japanese.ISO2022JP, ISO88591: charmap.ISO8859_1}
	for _, c := range all {
		for i, e := range libraryLetters {
			if !c.table.wide && c.table.list == i {
				out[c] = e
			}
		}
		for i, e := range libraryPairs {
			if out[c] == nil && c.table.wide && c.table.list == i {
				out[c] = e
			}
		}
	}
	return out
}

// Each character of Unicode alone, and many in a row, are written as the library writes them, and are read again. The
// one exception are characters of private use in GB18030 that the library writes as the codes of others: a file would
// hold something else than was meant, so they are refused.
func TestEveryCharacterIsWrittenAsTheLibraryWritesIt(t *testing.T) {
	for c, e := range oracles() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var row []byte
			for r := rune(0); r <= utf8.MaxRune; r++ {
				if !utf8.ValidRune(r) {
					continue
				}
				one := []byte(string(r))
				want, err := e.NewEncoder().Bytes(one)
				got, ok := c.Encode(one)
				if c == GB18030 && r >= 0xe000 && r <= 0xf8ff && !ok && err == nil && !exact(e, want, one) {
					continue
				}
				if ok != (err == nil) || !bytes.Equal(got, want) {
					t.Fatalf("%U: % x, %v, want % x, %v", r, got, ok, want, err)
				}
				if ok && r%7 < 3 {
					row = append(row, one...)
				}
			}
			want, err := e.NewEncoder().Bytes(row)
			got, ok := c.Encode(row)
			if !ok || err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes in a row: %d bytes, %v, want %d, %v", len(row), len(got), ok, len(want), err)
			}
			if back, _ := e.NewDecoder().Bytes(got); !bytes.Equal(c.Decode(got), back) {
				t.Error("the row is read as something else")
			}
		})
	}
}

// Each two bytes are read as the library reads them. Where it says that they are no text, ours does, too: what is shown
// for them may differ, and such a file is never written.
func TestEveryPairOfBytesIsReadAsTheLibraryReadsIt(t *testing.T) {
	for c, e := range oracles() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i := range 1 << 16 {
				b := []byte{byte(i >> 8), byte(i)}
				want, err := e.NewDecoder().Bytes(b)
				got := c.Decode(b)
				broken := bytes.ContainsRune(want, utf8.RuneError)
				if err != nil || broken != bytes.ContainsRune(got, utf8.RuneError) || !broken && !bytes.Equal(got, want) {
					t.Fatalf("% x: %q, want %q, %v", b, got, want, err)
				}
			}
		})
	}
}

// exact tells that the library reads b as the text again.
func exact(e encoding.Encoding, b, text []byte) bool {
	back, err := e.NewDecoder().Bytes(b)
	return err == nil && len(b) > 0 && bytes.Equal(back, text)
}

// Texts of whole codes are read as the library reads them, the codes without a character included.
func TestTextsAreReadAsTheLibraryReadsThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for c, e := range oracles() {
		if c.kind == escaped {
			continue
		}
		for range 3000 {
			var text []byte
			for range 1 + rng.IntN(6) {
				text = oneOf(rng, c).bytes(text)
				text = append(text, " a\n"[rng.IntN(3)])
			}
			want, _ := e.NewDecoder().Bytes(text)
			if got := c.Decode(text); !bytes.Equal(got, want) {
				t.Fatalf("%s: % x: %q, want %q", c, text, got, want)
			}
		}
	}
}

func oneOf(rng *rand.Rand, c *Charset) code {
	runes := c.table.runes()
	for {
		i := rng.IntN(len(runes))
		if c.kind == quads && rng.IntN(2) == 0 {
			return quadOf(rune(0x80 + rng.IntN(0xd000)))
		}
		if runes[i] != 0 {
			return codeAt(i)
		}
	}
}

// What breaks off, or is no character, costs no byte of ASCII behind it.
func TestWhatIsNoCharacterIsOne(t *testing.T) {
	for _, c := range []struct {
		set        *Charset
		text, want string
	}{
		{GBK, "\x81", "\ufffd"}, {GBK, "\x81\"x", "\ufffd\"x"}, {GBK, "\xff\xff", "\ufffd\ufffd"},
		{GB18030, "\x81\x30\x81", "\ufffd0\ufffd"}, {GB18030, "\x90\x30\x81\x30", "\U00010000"}, {GB18030, "\xfe\x39\xfe\x39", "\ufffd9\ufffd9"},
		{Big5, "\x88\x62", "\u00ca\u0304"}, {Big5, "\xa4\xff", "\ufffd"}, {ShiftJIS, "\xa0", "\ufffd"}, {ShiftJIS, "\xb1", "\uff71"},
		{EUCJP, "\x8f\xa1", "\ufffd"}, {EUCJP, "\x8f\xa1a", "\ufffda"}, {EUCJP, "\x8e\xb1", "\uff71"}, {EUCKR, "\xc8<", "\ufffd<"},
		{ISO2022JP, "\x1b$B$\"\x1b(Ba", "\u3042a"}, {ISO2022JP, "\x1b$B$", "\ufffd"}, {ISO2022JP, "\x1b$B$\n\x80", "\ufffd\n\ufffd"},
		{ISO2022JP, "\x1bx", "\ufffdx"}, {ISO2022JP, "\x1b(I1\x1b$(D\"/", "\uff71\u02d8"},
		{Windows1253, "\xaa", "\ufffd"}, {Windows874, "\xfc", "\ufffd"},
	} {
		if got := string(c.set.Decode([]byte(c.text))); got != c.want {
			t.Errorf("%s: %q: %q, want %q", c.set, c.text, got, c.want)
		}
	}
	if _, ok := GBK.Encode([]byte("\U0001f600")); ok {
		t.Error("GBK has a face")
	}
}

func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		unpack(packedPairs)
		t := &table{wide: true}
		if t.code('中') != 0xd6d0 {
			b.Fatalf("%x", t.code('中'))
		}
	}
}
