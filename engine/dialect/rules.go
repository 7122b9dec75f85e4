package dialect

// A form says what a dialect's declarations may hold. It is the table of docs/providers.md as data.
type form struct {
	whole bool // JSON Schema as it is; only the root and lists without items are mended

	keep      []string // constraints that stay where they are
	formats   []string // values of format that stay; nil: all
	typeLists bool     // type may be a list; else anyOf
	nullable  bool     // nullable: true instead of a type null
	texts     bool     // enum values are strings
	scalars   bool     // enum values are strings or numbers
	closed    bool     // objects must say additionalProperties: false
	demand    bool     // every property is required, what was optional may be null
	open      bool     // additionalProperties may be said
	anything  bool     // a schema without a type is taken
	required  bool     // nested objects may say required
	tuples    bool     // prefixItems stays
	recursive bool     // $ref may lead back
	depth     int      // how deep objects may nest; 0: as deep as they come

	names nameRules // of parameters; the zero value takes all

	items *form // below items, nil: the same
}

var (
	jsonFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
	allNumbers  = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	allOthers   = []string{
		"minLength", "maxLength", "pattern",
		"minItems", "maxItems", "uniqueItems", "contains",
		"minProperties", "maxProperties", "patternProperties", "propertyNames",
		"default", "not", "if", "then", "else",
	}
)

// openAIDepth is how deep objects nest in OpenAI's strict mode (its guide to structured outputs).
const openAIDepth = 10

func concat(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// forms are what the providers' documents say, and where these are silent, what their APIs accept.
var forms = map[Dialect]*form{
	OpenAI:    {whole: true},
	Responses: {whole: true},
	Anthropic: {whole: true, names: anthropicKeys},
	MCP:       {whole: true},
	OpenAIStrict: {
		keep:      concat(allNumbers, []string{"pattern", "minItems", "maxItems"}),
		formats:   jsonFormats,
		typeLists: true,
		closed:    true,
		demand:    true,
		recursive: true,
		required:  true,
		depth:     openAIDepth,
	},
	AnthropicStrict: {
		keep:     []string{"pattern", "minItems"},
		formats:  concat(jsonFormats, []string{"uri"}),
		closed:   true,
		required: true,
		names:    anthropicKeys,
	},
	// An OpenAPI schema, a subset of JSON Schema with words of its own.
	Gemini: {
		keep: []string{
			"minimum", "maximum", "minLength", "maxLength", "pattern",
			"minItems", "maxItems", "minProperties", "maxProperties", "default",
		},
		formats:  []string{"enum", "date-time", "float", "double", "int32", "int64"},
		nullable: true,
		texts:    true,
		required: true,
		names:    geminiKeys,
	},
	GeminiJSON: {
		keep:      []string{"minimum", "maximum", "minItems", "maxItems"},
		typeLists: true,
		scalars:   true,
		open:      true,
		anything:  true,
		required:  true,
		tuples:    true,
		names:     geminiKeys,
	},
	// Ollama reads a declaration into a Go struct. Below items that is a field of any type, which loses nothing.
	Ollama: {
		typeLists: true,
		anything:  true,
		formats:   []string{},
		items: &form{
			keep:      concat(allNumbers, allOthers),
			typeLists: true,
			anything:  true,
			open:      true,
			required:  true,
			tuples:    true,
		},
	},
}

// form is the table's column of a dialect; Responses' strict mode is OpenAI's.
func (d Dialect) form() *form {
	if d == ResponsesStrict {
		d = OpenAIStrict
	}
	return forms[d]
}

// maxKey is how long a parameter's name may be for Anthropic and Gemini, in bytes.
const maxKey = 64

func isAnthropicKey(s string) bool {
	return s != "" && len(s) <= maxKey && all(s, func(_ int, c byte) bool {
		return isAlnum(c) || c == '_' || c == '.' || c == '-'
	})
}

func isGeminiKey(s string) bool {
	return s != "" && len(s) <= maxKey && all(s, func(i int, c byte) bool {
		return c == '_' || isAlnum(c) && (i > 0 || c > '9')
	})
}

func all(s string, is func(int, byte) bool) bool {
	for i := range len(s) {
		if !is(i, s[i]) {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	letter := c|0x20 >= 'a' && c|0x20 <= 'z'
	digit := c >= '0' && c <= '9'
	return letter || digit
}
