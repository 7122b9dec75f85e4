package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
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

func text(s string) node             { return node{kind: stringKind, text: s} }
func named(name string, n node) node { n.name = name; return n }
func listOf(kids ...node) node       { return node{kind: arrayKind, kids: kids} }
func objectOf(kids ...node) node     { return node{kind: objectKind, kids: kids} }
func truth(is bool) node             { return node{kind: boolKind, text: fmt.Sprint(is)} }
func (n *node) canonical() string    { return string(n.appendCanonical(nil)) }
func (b *breaker) integer() (node, node) {
	digits := []string{"0", "7", "9007199254740993"}[b.pick(3)]
	good := node{kind: numberKind, text: digits}
	return good, []node{good, text(digits), {kind: numberKind, text: digits + ".0"}}[b.pick(3)]
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
		bad.kids = append(bad.kids, named("explanation", text(b.text())))
	}
	if b.pick(4) == 1 {
		bad = text(string(bad.appendJSON(nil)))
	}
	return good, bad
}

// call returns a good call and a careless form of it.
func (b *breaker) call() (good, bad node) {
	path := text(b.text())
	good = objectOf(named("file_path", path))
	bad = objectOf(named([]string{"file_path", "filePath", "path", "FILE_PATH"}[b.pick(4)], path))
	add := func(name string, g, w node) {
		good.kids, bad.kids = append(good.kids, named(name, g)), append(bad.kids, named(name, w))
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
			w = text(string(w.appendJSON(nil)))
		case len(ws) == 1 && ws[0].kind == objectKind && b.pick(2) == 1:
			w = ws[0]
		}
		add("edits", listOf(gs...), w)
	}
	if b.pick(3) == 1 {
		bad.kids = append(bad.kids, named("counts", node{kind: nullKind, text: "null"}))
	}
	if b.pick(4) == 1 {
		bad = objectOf(named("arguments", bad))
	}
	return good, bad
}

// write spells a value with the slips of models.
func (b *breaker) write(n *node) {
	switch n.kind {
	case stringKind:
		b.writeText(n.text)
	case arrayKind, objectKind:
		ends := "[]"
		if n.kind == objectKind {
			ends = "{}"
		}
		b.out.WriteByte(ends[0])
		for i := range n.kids {
			if i > 0 {
				b.out.WriteString([]string{",", " , ", ",\n\t"}[b.pick(3)])
			}
			if n.kind == objectKind {
				b.writeName(n.kids[i].name)
				b.out.WriteByte(':')
			}
			b.write(&n.kids[i])
		}
		if len(n.kids) > 0 && b.pick(4) == 1 {
			b.out.WriteByte(',')
		}
		b.out.WriteByte(ends[1])
	case boolKind:
		b.out.WriteString([]string{n.text, strings.ToUpper(n.text[:1]) + n.text[1:]}[b.pick(2)])
	default:
		b.out.WriteString(n.text)
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
			if b.pick(2) == 1 && i+1 < len(s) && s[i+1] != quote && s[i+1] >= 0x20 && escape([]byte(s[i:])) == 0 && s[i+1] != '\\' {
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
			broken = string(appendString(nil, broken))
		}
		got, notes, err := s.Repair(json.RawMessage(broken), repairAliases)
		if err != nil && strings.Contains(err.Error(), "ends in a number") {
			return
		}
		if err != nil {
			t.Fatalf("%s\nmeant   %s\nrefused %v", broken, good.canonical(), err)
		}
		root, _, ok := parseTree(got, MaxDepth)
		if !ok || root.canonical() != good.canonical() {
			t.Fatalf("%s\nmeant %s\ngot   %s\nnotes %q", broken, good.canonical(), got, notes)
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

func (n *node) letters(b *strings.Builder) {
	b.WriteString(letters(n.name))
	if n.kind == stringKind {
		b.WriteString(letters(n.text))
	}
	for i := range n.kids {
		n.kids[i].letters(b)
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
		if err != nil || strings.Contains(args, `\u`) || strings.Contains(strings.Join(notes, ""), saidFence) {
			return
		}
		root, _, ok := parseTree(got, MaxDepth)
		var have strings.Builder
		root.letters(&have)
		if !ok || have.String() != letters(args) {
			t.Fatalf("%q became %s: letters %s", args, got, have.String())
		}
	})
}
