// Package json reads JSON that must stay as it was written: numbers keep their digits, members
// their order, and what nobody changed its very spelling. It is the one reader of JSON in this
// module beside encoding/json, which decodes into Go values and forgets all of that.
//
// There are three ways in, all over one [Scanner]:
//
//   - [Reader] builds a tree of [Node] values; [Mend] does so from what models write for JSON.
//   - [Object], [Pick], [Array] and [Get] cut raw values out of a message and [Join] and [Set] put them together again,
//     without decoding what is passed on.
//   - The Scanner itself walks over the bytes for whoever needs no tree.
//
// How strict a reader is depends on what its values are for:
//
//	                     strict (the zero value)           Loose, and the raw functions
//	used for             arguments, schemas                messages that are passed on, configuration
//	grammar              RFC 8259                          RFC 8259
//	invalid UTF-8        an error                          taken; decoded as U+FFFD
//	lone surrogates      an error                          taken; decoded as U+FFFD
//	a key twice          an error                          taken; Object refuses it at the top, Pick for its keys
//	numbers              1,000 bytes, exponent up to 400   any
//	depth                Max, an error above               Max, an error above
//
// Strictness is not pedantry: each of the refused things is read differently by different programs,
// so that what was checked would not be what runs. Loose readers leave that judgement to whoever
// reads the value in the end.
package json
