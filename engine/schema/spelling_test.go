package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const spelledSchema = `{"type":"object","properties":{"pattern":{"type":"string"},"timeout":{"type":"integer"},"start_line":{"type":"integer"},
	"end_line":{"type":"integer"},"ignore_case":{"type":"boolean"},"mode":{"type":"string","enum":["lines","files"]},"summary":{"type":"string"}},
	"required":["pattern"],"additionalProperties":false}`

var spelled = Leeway{
	Names: map[string]string{"regex": "pattern"},
	Spellings: map[string]Spelling{
		"timeout_seconds": {To: "timeout", Times: 1000},
		"view_range":      {Each: []string{"start_line", "end_line"}},
		"case_sensitive":  {To: "ignore_case", Not: true},
		"output_mode":     {To: "mode", Words: map[string]string{"content": "lines", "files_with_matches": "files"}},
		"-n":              {Only: "true"},
		"-h":              {Only: "false", Else: "lines have their paths"},
		"count":           {To: "mode", Words: map[string]string{"true": "lines"}},
		"instruction":     {Moot: "the texts say it"},
	},
}

func TestMendTranslatesWhatOtherWordsSay(t *testing.T) {
	s := mustParse(t, spelledSchema)
	for args, want := range map[string]string{
		`"timeout_seconds":30`:                  `"timeout":30000`,
		`"timeout_seconds":1.5`:                 `"timeout":1500`,
		`"timeoutSeconds":"2"`:                  `"timeout":2000`,
		`"view_range":[3,5]`:                    `"start_line":3,"end_line":5`,
		`"view_range":[3,-1]`:                   `"start_line":3`,
		`"case_sensitive":false`:                `"ignore_case":true`,
		`"output_mode":"files_with_matches"`:    `"mode":"files"`,
		`"-n":true,"output_mode":"CONTENT"`:     `"mode":"lines"`,
		`"instruction":"because","summary":"x"`: `"summary":"x"`,
		`"-h":true,"summary":"x"`:               `"summary":"x"`,
		`"-h":"yes","summary":"x"`:              `"summary":"x"`,
	} {
		m, err := s.Mend(json.RawMessage(`{"pattern":"a",`+args+`}`), spelled)
		if err != nil || string(m.Args) != `{"pattern":"a",`+want+`}` {
			t.Errorf("%s became %s, %v, want %s", args, m.Args, err, want)
		}
		if len(m.Notes) == 0 {
			t.Errorf("%s: became %s without a word", args, m.Args)
		}
	}
	for _, args := range []string{
		`"view_range":[3]`, `"view_range":"3-5"`, `"output_mode":"nope"`, `"-n":false`, `"timeout_seconds":"soon"`, `"case_sensitive":7`,
		`"count":true,"output_mode":"content"`, `"timeout_seconds":1,"timeout":5`, `"view_range":[1,2],"end_line":9`,
	} {
		for _, ignore := range []bool{false, true} {
			leeway := spelled
			leeway.Ignore = ignore
			if m, err := s.Mend(json.RawMessage(`{"pattern":"a",`+args+`}`), leeway); err == nil {
				t.Errorf("%s was taken for %s", args, m.Args)
			}
		}
	}
}

// A tool that only reads may go on, and says what it left out. What is wrong with a call that is refused all the same is told whole.
func TestMendIgnoresOnlyWhereItMay(t *testing.T) {
	s := mustParse(t, spelledSchema)
	const args = `{"pattern":"a","foo":1,"bar":{"x":2}}`
	if m, err := s.Mend(json.RawMessage(args), spelled); err == nil {
		t.Errorf("%s was taken for %s", args, m.Args)
	}
	reads := spelled
	reads.Ignore = true
	m, err := s.Mend(json.RawMessage(args), reads)
	if err != nil || string(m.Args) != `{"pattern":"a"}` || !slices.Equal(m.Ignored, []string{"foo", "bar"}) || len(m.Notes) > 0 {
		t.Errorf("%s became %s, ignored %q, noted %q, %v", args, m.Args, m.Ignored, m.Notes, err)
	}
	_, err = s.Mend(json.RawMessage(`{"pattern":"a","foo":1,"timeout":"soon"}`), reads)
	if err == nil || !strings.Contains(err.Error(), "foo: unknown property") || !strings.Contains(err.Error(), "timeout: want integer") {
		t.Errorf("%v", err)
	}
	if _, err := s.Mend(json.RawMessage(`{"pattern":"a","patern":"b","timeuot":3}`), reads); err == nil {
		t.Error("a slip in a name was ignored")
	}
}

// Another's schema that takes other names gets them as they are, idle ones too.
func TestMendLeavesOpenObjectsAlone(t *testing.T) {
	s := mustParse(t, `{"type":"object","properties":{"pattern":{"type":"string"}}}`)
	const args = `{"pattern":"a","explanation":"x","timeout_seconds":3,"foo":1}`
	reads := spelled
	reads.Ignore = true
	for _, leeway := range []Leeway{{}, spelled, reads} {
		if m, err := s.Mend(json.RawMessage(args), leeway); err != nil || string(m.Args) != args || len(m.Notes)+len(m.Ignored) > 0 {
			t.Errorf("%s became %s, %q, %q, %v", args, m.Args, m.Notes, m.Ignored, err)
		}
	}
}

// No name is lost without a word, but the idle ones.
func TestMendLosesNoNameInSilence(t *testing.T) {
	s := mustParse(t, spelledSchema)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z_]{1,12}`)).Draw(t, "name")
		leeway := spelled
		leeway.Ignore = rapid.Bool().Draw(t, "reads")
		args, err := json.Marshal(map[string]any{"pattern": "a", name: rapid.SampledFrom([]any{1, "x", true, nil}).Draw(t, "value")})
		if err != nil || name == "pattern" {
			return
		}
		m, err := s.Mend(args, leeway)
		known := slices.ContainsFunc(s.Properties(), func(p Property) bool { return p.Name == name })
		if err == nil && !known && len(m.Notes)+len(m.Ignored) == 0 && !isIdle(name) && name != "instruction" {
			t.Fatalf("%s became %s without a word", args, m.Args)
		}
	})
}
