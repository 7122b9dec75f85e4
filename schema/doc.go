// Package schema checks and mends the arguments that a model wrote for a tool. It knows JSON Schema and nothing of tools.
//
// A [Schema] comes from a Go struct ([For]) or from somebody else ([Parse]). Foreign schemas are hostile until shown
// otherwise: Parse refuses reference loops, expansion bombs, remote references and excess before anything is compiled.
// [Schema.Check] validates arguments, fills in defaults and explains every violation in words that a model can act on;
// [Schema.Repair] first mends what can be mended without guessing. Neither panics, whatever the bytes.
//
// Plain schemas are validated straight over the bytes, without building values; all else goes to
// github.com/santhosh-tekuri/jsonschema. A schema without $schema is read as draft 2020-12.
package schema
