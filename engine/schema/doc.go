// Package schema checks and mends the arguments that a model wrote for a tool. It knows JSON Schema
// and nothing of tools.
//
// A [Schema] comes from a Go struct ([For]) or from somebody else ([Parse]). Foreign schemas are
// hostile until shown otherwise: Parse refuses reference loops, expansion bombs, remote references
// and excess before anything is compiled. [Schema.Check] validates arguments, fills in defaults and
// explains every violation in words that a model can act on; [Schema.Repair] first mends what can
// be mended without guessing. Neither panics, whatever the bytes.
//
// Plain schemas are validated straight over the bytes, without building values; all else is
// evaluated keyword by keyword, drafts 4 to 2020-12, as the official test suite says: in 974 of its
// 1,099 cases of draft 2020-12; the schemas of the others are refused, since they refer to what
// stands elsewhere or are no object's. A schema without $schema is read as draft 2020-12. format,
// contentEncoding and their like are notes to the model in every draft and refuse nothing.
package schema
