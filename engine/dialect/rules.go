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
	names     func(string) bool

	items *form // below items, nil: the same
}

var (
	jsonFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
	allNumbers  = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	allOthers   = []string{"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default", "contains", "patternProperties", "propertyNames", "not", "if", "then", "else"}
)

// strictest nesting of OpenAI's strict mode.
const openAIDepth = 10

func concat(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

var forms = map[Dialect]*form{
	OpenAI:    {whole: true},
	Responses: {whole: true},
	Anthropic: {whole: true, names: isAnthropicKey},
	MCP:       {whole: true},
	OpenAIStrict: {
		keep: concat(allNumbers, []string{"pattern", "minItems", "maxItems"}), formats: jsonFormats,
		typeLists: true, closed: true, demand: true, recursive: true, required: true, depth: openAIDepth,
	},
	AnthropicStrict: {
		keep: []string{"pattern", "minItems"}, formats: append([]string{"uri"}, jsonFormats...),
		closed: true, required: true, names: isAnthropicKey,
	},
	Gemini: {
		keep:     []string{"minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties", "default"},
		formats:  []string{"enum", "date-time", "float", "double", "int32", "int64"},
		nullable: true, texts: true, required: true, names: isGeminiKey,
	},
	GeminiJSON: {
		keep: []string{"minimum", "maximum", "minItems", "maxItems"}, typeLists: true, scalars: true, open: true, anything: true, required: true,
		tuples: true, names: isGeminiKey,
	},
	Ollama: {
		typeLists: true, anything: true, formats: []string{},
		items: &form{keep: concat(allNumbers, allOthers), typeLists: true, anything: true, open: true, required: true, tuples: true},
	},
}

// form is the table's column of a dialect; Responses' strict mode is OpenAI's.
func (d Dialect) form() *form {
	if d == ResponsesStrict {
		d = OpenAIStrict
	}
	return forms[d]
}

func isAnthropicKey(s string) bool {
	return s != "" && len(s) <= 64 && all(s, func(i int, c byte) bool { return alnum(c) || c == '_' || c == '.' || c == '-' })
}

func isGeminiKey(s string) bool {
	return s != "" && len(s) <= 64 && all(s, func(i int, c byte) bool { return c == '_' || alnum(c) && (i > 0 || c > '9') })
}

func all(s string, is func(int, byte) bool) bool {
	for i := range len(s) {
		if !is(i, s[i]) {
			return false
		}
	}
	return true
}

func alnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
