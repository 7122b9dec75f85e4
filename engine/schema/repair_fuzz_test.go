package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	rawjson "helve/internal/json"
)

// A breaker writes a good call the way a careless model might. Its choices come from the fuzzer.
type breaker struct {
	choices []byte
	out     strings.Builder
}

func (b *breaker) pick(n int) int {
	if len(b.choices) == 0 {
		return 0
	}
	c := b.choices[0]
	b.choices = b.choices[1:]
	return int(c) % n
}

var fragments = []string{
	"a", "Z", "é", "日本", "\n", "\t", `\`, `\d`, `"`, "'", "{", "}", "[1", "]", ",", ":", "true", "None", "```", "\x00", " ", "/", `\u12`, `C:\x`, "🙂", "10", `{"a":1}`,
}

func (b *breaker) text() string {
	var s strings.Builder
	for range b.pick(6) {
		s.WriteString(fragments[b.pick(len(fragments))])
	}
	return s.String()
}

func text(s string) node             { return node{Kind: rawjson.KindString, Text: s} }
func named(name string, n node) node { n.Name = name; return n }
func listOf(kids ...node) node       { return node{Kind: rawjson.KindArray, Kids: kids} }
func objectOf(kids ...node) node     { return node{Kind: rawjson.KindObject, Kids: kids} }
func truth(is bool) node             { return node{Kind: rawjson.Kind(fmt.Sprint(is)[0]), Text: fmt.Sprint(is)} }
func canonical(n *node) string       { return string(n.AppendCanonical(nil, nil)) }
func (b *breaker) integer() (node, node) {
	digits := []string{"0", "7", "9007199254740993"}[b.pick(3)]
	good := node{Kind: rawjson.KindNumber, Text: digits}
	return good, []node{good, text(digits), {Kind: rawjson.KindNumber, Text: digits + ".0"}}[b.pick(3)]
}

// edit returns one good edit and a careless form of it.
func (b *breaker) edit() (good, bad node) {
	old, all := text(b.text()), b.pick(2) == 1
	good = objectOf(named("old", old), named("replace_all", truth(all)))
	careless := truth(all)
	if b.pick(2) == 1 {
		careless = text([]string{fmt.Sprint(all), strings.ToUpper(fmt.Sprint(all))}[b.pick(2)])
	}
	bad = objectOf(named("old", old), named([]string{"replace_all", "replaceAll", "Replace-All"}[b.pick(3)], careless))
	if b.pick(4) == 1 {
		bad.Kids = append(bad.Kids, named("explanation", text(b.text())))
	}
	if b.pick(4) == 1 {
		bad = text(string(bad.AppendJSON(nil)))
	}
	return good, bad
}

// call returns a good call and a careless form of it.
func (b *breaker) call() (good, bad node) {
	path := text(b.text())
	good = objectOf(named("file_path", path))
	bad = objectOf(named([]string{"file_path", "filePath", "path", "FILE_PATH"}[b.pick(4)], path))
	add := func(name string, g, w node) {
		good.Kids, bad.Kids = append(good.Kids, named(name, g)), append(bad.Kids, named(name, w))
	}
	if b.pick(2) == 1 {
		g, w := b.integer()
		add("limit", g, w)
	}
	if b.pick(2) == 1 {
		add("mode", text("plan"), text([]string{"plan", "PLAN", "Plan"}[b.pick(3)]))
	}
	if b.pick(2) == 1 {
		var gs, ws []node
		for range 1 + b.pick(3) {
			g, w := b.edit()
			gs, ws = append(gs, g), append(ws, w)
		}
		w := listOf(ws...)
		switch {
		case b.pick(3) == 1:
			w = text(string(w.AppendJSON(nil)))
		case len(ws) == 1 && ws[0].Kind == rawjson.KindObject && b.pick(2) == 1:
			w = ws[0]
		}
		add("edits", listOf(gs...), w)
	}
	if b.pick(3) == 1 {
		bad.Kids = append(bad.Kids, named("counts", node{Kind: rawjson.KindNull, Text: "null"}))
	}
	if b.pick(4) == 1 {
		bad = objectOf(named("arguments", bad))
	}
	return good, bad
}

// write spells a value with the slips of models.
func (b *breaker) write(n *node) {
	switch n.Kind {
	case rawjson.KindString:
		b.writeText(n.Text)
	case rawjson.KindArray, rawjson.KindObject:
		ends := "[]"
		if n.Kind == rawjson.KindObject {
			ends = "{}"
		}
		b.out.WriteByte(ends[0])
		for i := range n.Kids {
			if i > 0 {
				b.out.WriteString([]string{",", " , ", ",\n\t"}[b.pick(3)])
			}
			if n.Kind == rawjson.KindObject {
				b.writeName(n.Kids[i].Name)
				b.out.WriteByte(':')
			}
			b.write(&n.Kids[i])
		}
		if len(n.Kids) > 0 && b.pick(4) == 1 {
			b.out.WriteByte(',')
		}
		b.out.WriteByte(ends[1])
	case rawjson.KindTrue, rawjson.KindFalse:
		b.out.WriteString([]string{n.Text, strings.ToUpper(n.Text[:1]) + n.Text[1:]}[b.pick(2)])
	default:
		b.out.WriteString(n.Text)
	}
}

func (b *breaker) writeName(name string) {
	if b.pick(3) == 1 {
		b.out.WriteString(name)
		return
	}
	b.writeText(name)
}

func (b *breaker) writeText(s string) {
	quote := byte('"')
	if b.pick(3) == 1 {
		quote = '\''
	}
	b.out.WriteByte(quote)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == quote:
			b.out.WriteString(`\` + string(rune(c)))
		case c == '\\':
			// Alone it stays what it is where what follows makes no escape of it.
			if b.pick(2) == 1 && i+1 < len(s) && s[i+1] != quote && s[i+1] >= 0x20 && !beginsEscape(s[i:]) && s[i+1] != '\\' {
				b.out.WriteByte(c)
				continue
			}
			b.out.WriteString(`\\`)
		case c < 0x20 && b.pick(2) == 1:
			fmt.Fprintf(&b.out, `\u%04x`, c)
		default:
			b.out.WriteByte(c)
		}
	}
	b.out.WriteByte(quote)
}

// beginsEscape tells whether the text begins with an escape sequence that strict JSON knows.
func beginsEscape(s string) bool {
	return slices.ContainsFunc([]int{len(`\n`), len(`\u0000`), len(`\ud800\udc00`)}, func(n int) bool {
		_, err := rawjson.Read([]byte(`"`+s[:min(n, len(s))]+`"`), MaxDepth)
		return err == nil
	})
}

// A call broken in every way that has one reading is mended into exactly the call that was meant.
func FuzzRepairFindsTheCallThatWasMeant(f *testing.F) {
	f.Add([]byte(nil))
	for i := range 64 {
		seed := make([]byte, 200)
		x := uint32(i)*2654435761 + 1
		for j := range seed {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			seed[j] = byte(x >> 8)
		}
		f.Add(seed)
	}
	s := mustParse(f, repairSchema)
	f.Fuzz(func(t *testing.T, choices []byte) {
		b := &breaker{choices: choices}
		good, bad := b.call()
		b.write(&bad)
		broken := b.out.String()
		switch b.pick(5) {
		case 1:
			broken = "```json\n" + broken + "\n```"
		case 2:
			broken = strings.TrimSuffix(strings.TrimSuffix(broken, "}"), ",")
		case 3:
			broken = string(rawjson.AppendString(nil, broken))
		}
		got, notes, err := s.Repair(json.RawMessage(broken), repairAliases)
		if err != nil && strings.Contains(err.Error(), "ends in a number") {
			return
		}
		if err != nil {
			t.Fatalf("%s\nmeant   %s\nrefused %v", broken, canonical(&good), err)
		}
		root, err := rawjson.Read(got, MaxDepth)
		if err != nil || canonical(&root) != canonical(&good) {
			t.Fatalf("%s\nmeant %s\ngot   %s\nnotes %q", broken, canonical(&good), got, notes)
		}
	})
}

// letters keeps of a text what no escape, quote or repair can touch.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) && r < 0x80 && !strings.ContainsRune("ABCDEFTN", r) {
			return r
		}
		return -1
	}, s)
}

func collectLetters(n *node, b *strings.Builder) {
	b.WriteString(letters(n.Name))
	if n.Kind == rawjson.KindString {
		b.WriteString(letters(n.Text))
	}
	for i := range n.Kids {
		collectLetters(&n.Kids[i], b)
	}
}

// Whatever the bytes: good arguments are left alone, what is mended passes, and with a schema that asks for nothing no
// letter of a string is lost or invented.
func FuzzRepair(f *testing.F) {
	for _, a := range append(argumentSeeds, `{'a':'X"Y',b:True,}`, "```json\n{\"a\":\"X\nY\"", `"{\"a\":1}"`, `{"arguments":{"path":1}}`, `{"a":"\d\X"}`, `{"edits":"[{'old':'X'}]","path":"P"}`) {
		f.Add(a)
	}
	closed, free := mustParse(f, repairSchema), mustParse(f, "")
	f.Fuzz(func(t *testing.T, args string) {
		for _, s := range []*Schema{closed, free} {
			checked, bad := s.Check(json.RawMessage(args))
			got, notes, err := s.Repair(json.RawMessage(args), repairAliases)
			if bad == nil && (err != nil || string(got) != string(checked) || len(notes) > 0) {
				t.Fatalf("%q passes Check and became %s, %q, %v", args, got, notes, err)
			}
			if err != nil {
				continue
			}
			if again, err := s.Check(got); err != nil || string(again) != string(got) {
				t.Fatalf("%q became %s, which Check makes %s, %v", args, got, again, err)
			}
			if bad != nil && len(notes) == 0 {
				t.Fatalf("%q was mended without a word: %s", args, got)
			}
		}
		got, notes, err := free.Repair(json.RawMessage(args), nil)
		if err != nil || strings.Contains(args, `\u`) || strings.Contains(strings.Join(notes, ""), rawjson.SaidFence) {
			return
		}
		root, err := rawjson.Read(got, MaxDepth)
		var have strings.Builder
		collectLetters(&root, &have)
		if err != nil || have.String() != letters(args) {
			t.Fatalf("%q became %s: letters %s", args, got, have.String())
		}
	})
}
