package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	rawjson "helve/internal/json"
)

// repairSchema has one parameter of each kind that the table of repairs speaks of.
const repairSchema = `{"type":"object","properties":{
	"file_path":{"type":"string"},
	"limit":{"type":"integer","minimum":0},
	"ratio":{"type":"number"},
	"all":{"type":"boolean"},
	"mode":{"type":"string","enum":["plan","ask"]},
	"names":{"type":"array","items":{"type":"string"}},
	"counts":{"type":"array","items":{"type":"integer"}},
	"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"replace_all":{"type":"boolean"}},"required":["old"],"additionalProperties":false}},
	"options":{"type":"object","properties":{"depth":{"type":"integer"}}},
	"maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},
	"either":{"type":["string","integer"]},
	"free":{}
},"required":["file_path"],"additionalProperties":false}`

var repairAliases = map[string]string{"path": "file_path", "max_results": "limit"}

// p adds the required parameter.
func p(rest string) string {
	if rest == "" {
		return `{"file_path":"a"}`
	}
	return `{"file_path":"a",` + rest + `}`
}

// mends are arguments with what they become and what is noted.
var mends = []struct{ name, args, want, note string }{
	{"array given as a string", p(`"edits":"[{\"old\":\"x\"}]"`), p(`"edits":[{"old":"x"}]`), `edits: text read as the array that it spells`},
	{"array of text given as a string", p(`"names":"[\"x\",\"y\"]"`), p(`"names":["x","y"]`), `names: text read as the array`},
	{"object given as a string", p(`"options":"{\"depth\":1}"`), p(`"options":{"depth":1}`), `options: text read as the object`},
	{"object given as Python text", p(`"options":"{'depth': 1}"`), p(`"options":{"depth":1}`), `options: text read as the object`},
	{"all arguments as a string", `"{\"file_path\":\"a\"}"`, p(``), `text read as the object`},
	{"all arguments encoded twice", `"\"{\\\"file_path\\\":\\\"a\\\"}\""`, p(``), `text read as the object`},
	{"digits for an integer", p(`"limit":"10"`), p(`"limit":10`), `limit: "10" read as 10`},
	{"digits for a number", p(`"ratio":"1.5"`), p(`"ratio":1.5`), `ratio: "1.5" read as 1.5`},
	{"a whole decimal", p(`"limit":10.0`), p(`"limit":10`), ``},
	{"a whole power", p(`"limit":1e3`), p(`"limit":1000`), ``},
	{"a whole decimal as text", p(`"limit":"10.0"`), p(`"limit":10`), `limit: "10.0" read as 10.0`},
	{"a truth in words", p(`"all":"true"`), p(`"all":true`), `all: "true" read as true`},
	{"a truth in Python's words", p(`"all":"False"`), p(`"all":false`), `all: "False" read as false`},
	{"Python literals", p(`"all":True,"maybe":None`), p(`"all":true,"maybe":null`), rawjson.SaidPython},
	{"null for an optional", p(`"limit":null,"edits":null`), p(``), `limit: null dropped`},
	{"a scalar for a list", p(`"names":"x"`), p(`"names":["x"]`), `names: one value read as a list of it`},
	{"a glob for a list", p(`"names":"[a-z]*"`), p(`"names":["[a-z]*"]`), `names: one value read as a list of it`},
	{"a number in brackets for a list of text", p(`"names":"[1]"`), p(`"names":["[1]"]`), `names: one value read as a list of it`},
	{"a number for a list of text", p(`"names":3`), p(`"names":["3"]`), `names: one value read as a list of it`},
	{"digits for a list of integers", p(`"counts":"3"`), p(`"counts":[3]`), `counts: one value read as a list of it`},
	{"an object for a list", p(`"edits":{"old":"x"}`), p(`"edits":[{"old":"x"}]`), `edits: one value read as a list of it`},
	{"a list of JSON texts", p(`"edits":["{\"old\":\"x\"}"]`), p(`"edits":[{"old":"x"}]`), `edits[0]: text read as the object`},
	{"trailing comma", p(`"limit":1,`), p(`"limit":1`), rawjson.SaidComma},
	{"trailing comma in a list", p(`"names":["x",],`), p(`"names":["x"]`), rawjson.SaidComma},
	{"single quotes", `{'file_path':'it\'s "a"'}`, `{"file_path":"it's \"a\""}`, rawjson.SaidQuotes},
	{"names without quotes", `{file_path:"a",limit:1}`, p(`"limit":1`), rawjson.SaidNames},
	{"code fence", "```json\n{\"file_path\":\"a\"}\n```", p(``), rawjson.SaidFence},
	{"code fence on one line", "```{\"file_path\":\"a\"}```", p(``), rawjson.SaidFence},
	{"byte order mark", "\ufeff{\"file_path\":\"a\"}", p(``), rawjson.SaidMark},
	{"fence after a byte order mark", "\ufeff```\n{\"file_path\":\"a\"}\n```", p(``), rawjson.SaidFence},
	{"raw line break in a string", "{\"file_path\":\"a\n\tb\"}", `{"file_path":"a\n\tb"}`, rawjson.SaidControl},
	{"missing brace", `{"file_path":"a"`, p(``), rawjson.SaidBrace},
	{"missing brackets", p(`"edits":[{"old":"x"`)[:len(p(`"edits":[{"old":"x"`))-1], p(`"edits":[{"old":"x"}]`), rawjson.SaidBrace},
	{"superfluous brace", `{"file_path":"a"}}`, p(``), rawjson.SaidTail},
	{"case of an enum", p(`"mode":"PLAN"`), p(`"mode":"plan"`), `mode: "PLAN" read as "plan"`},
	{"a reason for the call", p(`"explanation":"because"`), p(``), ``},
	{"a reason inside", p(`"edits":[{"old":"x","comment":1}]`), p(`"edits":[{"old":"x"}]`), ``},
	{"a note of the protocol", p(`"_meta":{"a":1}`), p(``), ``},
	{"camel case", `{"filePath":"a","edits":[{"old":"x","replaceAll":true}]}`, p(`"edits":[{"old":"x","replace_all":true}]`), `file_path: given as "filePath"`},
	{"wrong case", `{"File_Path":"a"}`, p(``), `file_path: given as "File_Path"`},
	{"a name with a character that nobody sees", "{\"file\u200b_path\":\"a\",\"\u2060limit\":1}", p(`"limit":1`), `limit: given as "\u2060limit"`},
	{"another name with such a character", "{\"pa\u00adth\":\"a\",\"maxResu\u200dlts\":1}", p(`"limit":1`), `file_path: given as "pa\u00adth"`},
	{"alias", `{"path":"a","maxResults":1}`, p(`"limit":1`), `limit: given as "maxResults"`},
	{"alias beside the same", `{"path":"a","file_path":"a"}`, p(``), `path: says what file_path says`},
	{"wrapped", `{"arguments":{"file_path":"a"}}`, p(``), `arguments taken out of "arguments"`},
	{"wrapped with a name", `{"name":"read","arguments":"{\"file_path\":\"a\"}"}`, p(``), `arguments taken out of "arguments"`},
	{"a number for text", `{"file_path":30}`, `{"file_path":"30"}`, `file_path: 30 read as text`},
	{"a long number for text", `{"file_path":1.50e2}`, `{"file_path":"1.50e2"}`, `file_path: 1.50e2 read as text`},
	{"an escape that is none", `{"file_path":"\d+\s"}`, `{"file_path":"\\d+\\s"}`, rawjson.SaidBackward},
	{"half a surrogate", `{"file_path":"\ud800!"}`, `{"file_path":"\\ud800!"}`, rawjson.SaidBackward},
	{"beyond 2^53", p(`"limit":"9007199254740993"`), p(`"limit":9007199254740993`), `limit`},
}

func TestRepairMendsWhatHasOneReading(t *testing.T) {
	s := mustParse(t, repairSchema)
	for _, c := range mends {
		got, notes, err := s.Repair(json.RawMessage(c.args), repairAliases)
		if err != nil {
			t.Errorf("%s: %s: %v", c.name, c.args, err)
			continue
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s: %s:\n%s", c.name, c.args, diff)
		}
		if all := strings.Join(notes, "; "); !strings.Contains(all, c.note) || c.note == "" && all != "" {
			t.Errorf("%s: notes %q, want %q", c.name, all, c.note)
		}
	}
}

// good are arguments that nobody touches.
var good = map[string]string{
	"JSON as a file's content":    `{ "file_path" : "{\"a\": 1}" }`,
	"true as text":                `{"file_path":"true"}`,
	"null where it may be":        p(`"maybe":null`),
	"text where text may be":      p(`"either":"10"`),
	"anything where anything may": p(`"free":"[1,2]"`),
	"beyond 2^53":                 p(`"limit":9007199254740993`),
	"an escape in a name":         `{"file\u005fpath":"a"}`,
	"null inside free":            p(`"free":{"a":null}`),
}

func TestRepairLeavesGoodArgumentsAlone(t *testing.T) {
	s := mustParse(t, repairSchema)
	for name, args := range good {
		got, notes, err := s.Repair(json.RawMessage(args), repairAliases)
		if err != nil || string(got) != args || len(notes) > 0 {
			t.Errorf("%s: %s became %s, %q, %v", name, args, got, notes, err)
		}
	}
	open := mustParse(t, `{"properties":{"file_path":{"type":"string"}}}`)
	for _, args := range []string{`{"filePath":"x"}`, `{"arguments":{"file_path":1}}`} {
		if got, notes, err := open.Repair(json.RawMessage(args), repairAliases); err != nil || string(got) != args || len(notes) > 0 {
			t.Errorf("open schema: %s became %s, %q, %v", args, got, notes, err)
		}
	}
}

// refusals are arguments that are refused, with words of the answer.
var refusals = []struct{ name, args, want string }{
	{"cut off inside a string", `{"file_path":"/a/b`, `byte 13: the text ends inside a string, it was probably cut off: send the whole call again`},
	{"cut off after a backslash", `{"file_path":"/a/b\`, `ends inside a string`},
	{"cut off before a value", `{"file_path":`, `cut off`},
	{"cut off in a name", `{"file_path":"a","li`, `ends inside a string`},
	{"cut off after a comma", `{"file_path":"a",`, `cut off`},
	{"cut off in a number", `{"file_path":"a","limit":10`, `may be cut off`},
	{"cut off in a word", `{"file_path":"a","all":tru`, `text without quotes: "tru"`},
	{"text cut off inside", p(`"edits":"[{\"old\":\"x"`), `edits: want array, got string "[{\"old\":\"x"`},
	{"text that lacks brackets", p(`"edits":"[{\"old\":\"x\"}"`), `edits: want array, got string`},
	{"unknown enum", p(`"mode":"nope"`), `mode: want one of "plan" or "ask", got string "nope"`},
	{"near enum", p(`"mode":"plam"`), `did you mean "plan"?`},
	{"missing required", `{}`, `file_path: required, but missing: want string`},
	{"null for a required", `{"file_path":null}`, `file_path: want string, got null`},
	{"an object for text", `{"file_path":{"a":1}}`, `file_path: want string, got object`},
	{"a truth for text", `{"file_path":true}`, `file_path: want string, got boolean true`},
	{"duplicate keys", `{"file_path":"a","file_path":"b"}`, `duplicate key "file_path"`},
	{"duplicate keys, loosely", `{'file_path':'a','file_path':'b'}`, `duplicate key "file_path"`},
	{"two objects", `{"file_path":"a"}{"file_path":"b"}`, `a second value follows the first: send one object`},
	{"two objects with a comma", `{"file_path":"a"},{"file_path":"b"}`, `want the end, got ','`},
	{"letters for an integer", p(`"limit":"abc"`), `limit: want integer, got string "abc"`},
	{"a fraction for an integer", p(`"limit":1.5`), `limit: want integer, got number 1.5`},
	{"a fraction in text", p(`"limit":"1.5"`), `limit: want integer, got string "1.5"`},
	{"hexadecimal", p(`"limit":"0x10"`), `limit: want integer`},
	{"too small once read", p(`"limit":"-1"`), `limit: want at least 0, got -1`},
	{"NaN", p(`"ratio":NaN`), `NaN is not a JSON number: send a number, or leave the property out`},
	{"minus infinity", p(`"ratio":-Infinity`), `-Infinity is not a JSON number`},
	{"yes for a truth", p(`"all":"yes"`), `all: want boolean, got string "yes"`},
	{"one for a truth", p(`"all":1`), `all: want boolean, got integer 1`},
	{"a slip in a name", p(`"limt":3`), `limt: unknown property; did you mean limit? Known are file_path, limit`},
	{"an unknown name", p(`"append":true`), `append: unknown property: known are file_path, limit`},
	{"an unknown name inside", p(`"edits":[{"old":"x","regex":true}]`), `edits[0].regex: unknown property: known are old and replace_all`},
	{"a letter of another alphabet", `{"file_рath":"a"}`, `["file_\u0440ath"]: unknown property; did you mean file_path?`},
	{"a name in another script", p(`"文件":"a"`), `文件: unknown property: known are file_path`},
	{"a name of 10 KB", p(`"` + strings.Repeat("名", 10<<10/3) + `":1`), `名"…]: unknown property: known are file_path`},
	{"a name that looks like a path", p(`"edits[0].old":"a"`), `["edits[0].old"]: unknown property: known are file_path`},
	{"a slip that looks like a reason", p(`"mod":"x","titl":1`), `titl: unknown property`},
	{"an alias beside another value", `{"path":"b","file_path":"a"}`, `path: it means file_path, which is given as well: give one of them`},
	{"two spellings of one", `{"filePath":"b","FILE_PATH":"a"}`, `FILE_PATH: it means file_path, and so does another name`},
	{"an unknown name for the required", `{"target":"a"}`, `target: unknown property`},
	{"a quote inside", `{"file_path":"say "hi""}`, `(a quote inside a string is written \")`},
	{"words", `please read a`, `text without quotes: "please"`},
	{"a list", `[{"file_path":"a"}]`, `want an object like`},
	{"text that spells no object", `"hello"`, `want an object like`},
	{"not UTF-8", "{'file_path':\"\xff\"}", `byte 1`},
	{"deep", nested(`{"file_path":`, `}`, 10000), `nested more than 512 deep`},
	{"deep, loosely", "'" + nested(`[`, `]`, 10000), `cut off`},
	{"deep in text", p(`"edits":"` + nested(`[`, `]`, 10000) + `"`), `edits: want array`},
}

func TestRepairRefusesWhatItWouldHaveToGuess(t *testing.T) {
	s := mustParse(t, repairSchema)
	for _, c := range refusals {
		got, notes, err := s.Repair(json.RawMessage(c.args), repairAliases)
		if err == nil {
			t.Errorf("%s: %.60s became %s, %q", c.name, c.args, got, notes)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.60s: got %v\nwant %s", c.name, c.args, err, c.want)
		}
	}
}

// All of a wrong call is told at once, in the words of what the model sent.
func TestRepairTellsAllThatIsLeft(t *testing.T) {
	s := mustParse(t, repairSchema)
	_, _, err := s.Repair(json.RawMessage(`{"target":"a","limit":"10","all":"yes","mode":"x"}`), nil)
	want := `Parameter validation failed: all: want boolean, got string "yes"; file_path: required, but missing: want string; ` +
		`mode: want one of "plan" or "ask", got string "x"; target: unknown property: known are file_path, limit, ratio, all, mode, names, counts, edits, options, maybe, either and free`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// hostileParts, repeated, are what quadratic or recursive parsers die of.
var hostileParts = []string{`[`, `{`, `{"a":`, `"`, `\`, `'`, "```", `{"file_path":"a"`, `,`, `}`, `"\u`, `[{"old":"x"},`}

func TestRepairSurvivesHostileText(t *testing.T) {
	s := mustParse(t, repairSchema)
	for _, part := range hostileParts {
		many := strings.Repeat(part, 1<<20/len(part))
		if _, _, err := s.Repair(json.RawMessage(many), repairAliases); err == nil || len(err.Error()) > 2000 {
			t.Errorf("a megabyte of %q: %v", part, err)
		}
		text, err := json.Marshal(map[string]string{"file_path": many, "edits": many})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = s.Repair(text, repairAliases); err == nil || len(err.Error()) > 2000 {
			t.Errorf("a megabyte of %q in a string: %v", part, err)
		}
	}
}

// A parameter that is called arguments is meant as it stands.
func TestRepairUnwrapsOnlyWhereNoParameterIsCalledSo(t *testing.T) {
	s := mustParse(t, `{"type":"object","properties":{"arguments":{"type":"object"},"name":{"type":"string"}},"additionalProperties":false}`)
	args := `{"name":"x","arguments":{"name":"y"}}`
	if got, notes, err := s.Repair(json.RawMessage(args), nil); err != nil || string(got) != args || len(notes) > 0 {
		t.Errorf("%s became %s, %q, %v", args, got, notes, err)
	}
}
