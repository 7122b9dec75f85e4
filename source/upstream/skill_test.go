package upstream

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const greeting = "---\r\nname: greeting\r\ndescription: Say hello\r\nmetadata:\r\n  since: 2026-01-02\r\n  level: 3\r\n  tags: [a, b]\r\n---\r\nAsk first.\r\n"

// entryOf is what a server says of a skill with one file.
func entryOf(t *testing.T, frontmatter, digest string, size int) json.RawMessage {
	t.Helper()
	return fmt.Appendf(nil, `{"uri":"skill://greeting/SKILL.md","frontmatter":%s,"resources":[{"uri":"skill://greeting/SKILL.md","digest":%q,"size":%d}]}`,
		frontmatter, digest, size)
}

// A file of a skill is read only if it is the one that was listed: by its size, its digest and what its head says.
func TestAFileOfASkillIsTheOneThatWasListed(t *testing.T) {
	const digest = "sha256:6a0f2b5f7ab07a7d1e1ff1fa9dd3f1b1f3d4a4a6a4f9c1d0c6c5b7c3b0a1d2e3"
	const head = `{"name":"greeting","description":"Say hello","metadata":{"since":"2026-01-02","level":3,"tags":["a","b"]}}`
	right := sum([]byte(greeting))
	text := func(s string) string {
		b, _ := json.Marshal(map[string]any{"contents": []any{map[string]string{"uri": "skill://greeting/SKILL.md", "text": s}}})
		return string(b)
	}
	for name, c := range map[string]struct {
		entry json.RawMessage
		res   string
		want  string // "": it is passed on
	}{
		"as listed":           {entryOf(t, head, right, len(greeting)), text(greeting), ""},
		"as a blob":           {entryOf(t, head, right, len(greeting)), `{"contents":[{"blob":"` + base64.StdEncoding.EncodeToString([]byte(greeting)) + `"}]}`, ""},
		"another digest":      {entryOf(t, head, digest, len(greeting)), text(greeting), "its digest is " + right},
		"another size":        {entryOf(t, head, right, len(greeting)+1), text(greeting), fmt.Sprintf("it has %d bytes", len(greeting))},
		"changed since":       {entryOf(t, head, right, len(greeting)), text(strings.Replace(greeting, "Ask", "Run", 1)), "its digest is"},
		"two contents":        {entryOf(t, head, right, len(greeting)), `{"contents":[` + strings.TrimSuffix(strings.TrimPrefix(text(greeting), `{"contents":[`), `]}`) + `,{"text":"more"}]}`, "it has 4 bytes"},
		"another description": {entryOf(t, strings.Replace(head, "Say hello", "Say no", 1), right, len(greeting)), text(greeting), `its "description" is not`},
		"a member more":       {entryOf(t, strings.Replace(head, `"name"`, `"license":"MIT","name"`, 1), right, len(greeting)), text(greeting), `its head has no "license"`},
		"a member less":       {entryOf(t, `{"name":"greeting","description":"Say hello"}`, right, len(greeting)), text(greeting), `its "metadata" is not listed`},
		"no head":             {json.RawMessage(`{"uri":"skill://greeting/SKILL.md","frontmatter":{"name":"greeting"},"resources":"dynamic"}`), text("hello"), "three dashes"},
		"files not listed":    {json.RawMessage(`{"uri":"skill://greeting/SKILL.md","frontmatter":` + head + `,"resources":"dynamic"}`), text(greeting), ""},
		"neither":             {entryOf(t, head, right, len(greeting)), `{"contents":[{}]}`, "neither text nor blob"},
	} {
		p := promises{}
		p.note([]json.RawMessage{c.entry})
		err := p.met("resources/read", json.RawMessage(`{"uri":"skill://greeting/SKILL.md"}`), json.RawMessage(c.res))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err := p.met("resources/read", json.RawMessage(`{"uri":"skill://other/SKILL.md"}`), json.RawMessage(c.res)); err != nil {
			t.Errorf("%s: a file that nobody listed: %v", name, err)
		}
	}
}

// Texts in the head of a file are compared where they stand in one line; any other form of YAML is the host's to read.
func TestATextOfOneLine(t *testing.T) {
	for in, want := range map[string]string{
		" Say hello\n": "Say hello", ` "a \"b\" \u00e9"`: `a "b" é`, ` 'it''s'`: "it's", " plain # remark": "plain", " a#b": "a#b", " 3": "3",
	} {
		if got, ok := oneLine(in); !ok || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"", " >-\n  folded\n", " |\n  kept", " first\n  second\n", " [a, b]", " {a: b}", " &x y", ` "open`, " 'open"} {
		if got, ok := oneLine(in); ok {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// What skills/get says of a skill counts as what skills/list says.
func TestWhatIsSaidOfOneSkillIsHeldAgainstIt(t *testing.T) {
	p := promises{}
	entry := entryOf(t, `{"name":"greeting"}`, sum([]byte("x")), 1)
	if err := p.met("skills/get", nil, json.RawMessage(`{"skill":`+string(entry)+`}`)); err != nil {
		t.Fatal(err)
	}
	err := p.met("resources/read", json.RawMessage(`{"uri":"skill://greeting/SKILL.md"}`), json.RawMessage(`{"contents":[{"text":"xy"}]}`))
	if err == nil {
		t.Error("a file of another size is passed on")
	}
}

// A server that lists more files than are held against it has the newest held: those of the skill that was asked for last.
func TestTheNewestOfManyFilesAreHeld(t *testing.T) {
	p := promises{}
	for i := range 3 {
		var files []string
		for n := range maxPromised {
			files = append(files, fmt.Sprintf(`{"uri":"skill://s%d/%d","digest":%q,"size":1}`, i, n, sum([]byte("x"))))
		}
		p.note([]json.RawMessage{json.RawMessage(fmt.Sprintf(`{"uri":"skill://s%d/0","resources":[%s]}`, i, strings.Join(files, ",")))})
		if len(p.files) != maxPromised || p.check(fmt.Sprintf("skill://s%d/7", i), json.RawMessage(`{"contents":[{"text":"xy"}]}`)) == nil {
			t.Errorf("%d: %d are held, and not that of the newest", i, len(p.files))
		}
	}
}
