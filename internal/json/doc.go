// Package json reads JSON that must stay as it was written: numbers keep their digits, members their order, and what
// nobody changed its very spelling. It is the one reader of JSON in this module beside encoding/json, which decodes
// into Go values and forgets all of that.
//
// [Object], [Pick], [Array] and [Get] cut raw values out of a message and [Join] and [Set] put them together again,
// without decoding what is passed on. A [Scanner] walks over the bytes for whoever needs more. The raw functions and a
// loose Scanner take what the grammar of RFC 8259 takes; a Scanner is strict unless told otherwise, and refuses what
// programs read in different ways: invalid UTF-8, halves of surrogate pairs, names that stand twice.
package json
