package schema

import rawjson "helve/internal/json"

// Everything from outside is bounded. A bound is refused in words, never by silence.
const (
	// MaxArguments is the longest arguments text in bytes: a write may carry a file of some
	// megabytes, escaped.
	MaxArguments = 32 << 20
	// MaxDepth is how deep arguments may nest. Real calls stay under ten; validation recurses with
	// it.
	MaxDepth = rawjson.MaxDepth
	// MaxSchema is the longest foreign schema in bytes: far more than a tool that a model is to
	// understand can need.
	MaxSchema = 256 << 10

	maxSchemaDepth = 64     // levels of JSON in a foreign schema: about 30 objects in one another
	maxSubschemas  = 4_000  // far more than a tool that a model is to understand can need
	maxExpansion   = 20_000 // schemas evaluated at one place of the arguments, once references are followed
	maxEvaluations = 1 << 20
	// maxEvaluations bounds the whole validation of one call: a second of work at the very worst.
	// Recursive schemas that branch would otherwise cost 2^depth.

	// maxEvaluationDepth is how many schemas are evaluated in one another, by the depth of the
	// arguments and chains of references: 20 MB of stack.
	maxEvaluationDepth = 1 << 15

	maxPattern = 4 << 10 // bytes of a regular expression; longer ones are not checked
	maxProgram = 2_000   // instructions that it compiles to: a{1000} is short and costs a thousand a letter
	perStep    = 256     // instructions times letters that count as one evaluation
	maxDefault = 4 << 10 // bytes of a default that is filled in; it may be wanted once for each item of an array

	maxViolations = 20     // reported one by one; a model mends no more at a time
	maxFound      = 10_000 // collected before the first are chosen; more are only counted
	maxNotes      = 20     // repairs and ignored keywords told one by one
	maxQuote      = 60     // runes of a value or name shown in a message
	maxPath       = 240    // bytes of a path shown; the middle of a longer one is left out
	maxListed     = 20     // enum values or property names listed in a message
	maxCompiled   = 512    // compiled schemas that are shared between equal schemas
)
