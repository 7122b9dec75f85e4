package config_test

import (
	"slices"
	"strings"
	"testing"

	"helve/internal/config"
)

// R0.8, R0.9.
func TestToolsFlagErrorsHaveTheirThreeLines(t *testing.T) {
	for text, reason := range map[string]string{
		`[]`:                          `must be a JSON object like {"write":false}`,
		`["write"]`:                   `must be a JSON object like {"write":false}`,
		`null`:                        `must be a JSON object like {"write":false}`,
		`"write"`:                     `must be a JSON object like {"write":false}`,
		`1`:                           `must be a JSON object like {"write":false}`,
		`{"write":"no"}`:              `tool "write" must be true or false, got: no`,
		`{"write":1}`:                 `tool "write" must be true or false, got: 1`,
		`{"write":null}`:              `tool "write" must be true or false, got: null`,
		`{"write":[ 1, "a" ]}`:        `tool "write" must be true or false, got: [1,"a"]`,
		`{"write":{ "a": true }}`:     `tool "write" must be true or false, got: {"a":true}`,
		`{"a":false,"write":"false"}`: `tool "write" must be true or false, got: false`,
		`{write:false}`:               "must be valid JSON: invalid character 'w' looking for beginning of object key string",
		`{"write":false`:              "must be valid JSON: unexpected end of JSON input",
		``:                            "must be valid JSON: it is empty",
		`{"write":false} x`:           "must be valid JSON: something follows the value",
		`{"write":false,}`:            "must be valid JSON: invalid character '}'",
		`{"bash":false,"bash":true}`:  `must be valid JSON: the key "bash" stands twice`,
		strings.Repeat(`{"a":`, 9999): "must be valid JSON: brackets nest deeper than 100",
		`{"a":"` + strings.Repeat("x", 10<<20) + `"}`: "must be valid JSON: it is 10485768 bytes long, at most 65536 are read",
	} {
		_, err := config.ParseTools(text)
		if err == nil {
			t.Errorf("%.40q: accepted", text)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 3 || lines[0] != "Error: Invalid --tools parameter" || !strings.HasPrefix(lines[1], "  "+reason) || lines[2] != `  Example: --tools '{"write":false,"bash":false}'` {
			t.Errorf("%.40q:\n%.300s\nwant the reason %q", text, err, reason)
		}
		if _, err := newHome(t).load(config.Options{Flags: config.Flags{Tools: text, HasTools: true}}); err == nil {
			t.Errorf("%.40q: loaded", text)
		}
	}
	got, err := config.ParseTools(`{"write":false,"bash":true,"edit":"approval","read":"deny","ls":"allow"}`)
	if err != nil || got["write"] != config.Off || got["bash"] != config.On || got["edit"] != config.Asked || got["read"] != config.Denied || got["ls"] != config.Allowed {
		t.Errorf("%v, %v", got, err)
	}
}

func TestListsAreTrimmed(t *testing.T) {
	for in, want := range map[string][]string{"": {}, "a": {"a"}, " a , b,,": {"a", "b"}, ",": {}} {
		if got := config.ParseList(in); got == nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAFlagIsJudgedAsStrictlyAsAFile(t *testing.T) {
	if _, err := newHome(t).load(config.Options{Tolerant: true, Flags: config.Flags{Mode: "yolo"}}); err == nil || !strings.Contains(err.Error(), `flags: mode: want plan, ask, review or auto, got "yolo"`) {
		t.Errorf("%v", err)
	}
}

func FuzzToolsFlag(f *testing.F) {
	for _, s := range []string{`{"a":true}`, `{"a":"ask"}`, `[]`, `{"a":{"b":[1]}}`, "{\"\\u0061\":false,\"a\":true}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := config.ParseTools(s)
		if err != nil {
			if strings.Count(err.Error(), "\n") < 2 {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		for name, to := range got {
			if to == "" {
				t.Errorf("%q: %q is nothing", s, name)
			}
		}
	})
}
