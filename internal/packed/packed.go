// Package packed reads what the program has compressed in it: tables and pages that would take several times the room.
// A package keeps the files themselves beside what is packed of them, and a test that compares the two: Check.
package packed

import (
	"strings"

	"github.com/klauspost/compress/zstd"
)

// separator stands between texts that are packed together. None of them has one.
const separator = "\x00"

// Bytes unpacks what a package has embedded. It panics where that is not what Check wrote: it is a part of the program.
func Bytes(b []byte) []byte {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic("packed: " + err.Error()) // the options never change
	}
	defer d.Close()
	raw, err := d.DecodeAll(b, nil)
	if err != nil {
		panic("packed: " + err.Error())
	}
	return raw
}

// Texts unpacks texts that were joined by Join.
func Texts(b []byte) []string {
	return strings.Split(string(Bytes(b)), separator)
}

// Join puts texts together for Check.
func Join(texts ...string) []byte {
	return []byte(strings.Join(texts, separator))
}
