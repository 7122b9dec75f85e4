package text

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Random bytes, in which halves of pairs and numbers that are no characters are frequent, are read as the library reads
// them; what is read is written as it writes it.
func TestUnitsAreReadAndWrittenAsTheLibraryDoesIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for u, library := range map[units]encoding.Encoding{
		{2, false}: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
		{2, true}:  unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		{4, false}: utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM),
		{4, true}:  utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM),
	} {
		for range 5000 {
			b := make([]byte, rng.IntN(20))
			for i := range b {
				b[i] = []byte{0, 0, 0xd8, 0xd9, 0xdc, 0xdf, 0x10, 0x11, 'a', 0x4e, byte(rng.Uint32())}[rng.IntN(11)]
			}
			want, err := library.NewDecoder().Bytes(b)
			got := u.Decode(b)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%+v: % x: %q, want %q, %v", u, b, got, want, err)
			}
			written, err := library.NewEncoder().Bytes(want)
			if own, ok := u.Encode(got); err != nil || !ok || !bytes.Equal(own, written) {
				t.Fatalf("%+v: %q: % x, %v, want % x, %v", u, got, own, ok, written, err)
			}
		}
	}
}
