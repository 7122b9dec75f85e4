package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const smallForeign = `{"type":"object","properties":{"path":{"type":"string","description":"The file to read"},"head":{"type":"integer","minimum":1},"encoding":{"type":"string","enum":["utf8","base64"],"default":"utf8"}},"required":["path"],"additionalProperties":false}`

type oneString struct {
	Text string `json:"text"`
}

func benchCheck(b *testing.B, s *Schema, args string) {
	raw := json.RawMessage(args)
	if _, err := s.Check(raw); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = s.Check(raw)
	}
}

func BenchmarkCheckOneString(b *testing.B) { benchCheck(b, mustFor[oneString](b), `{"text":"hello"}`) }
func BenchmarkCheckDefaults(b *testing.B) {
	benchCheck(b, mustFor[readIn](b), `{"file_path":"/a/b/c.go"}`)
}
func BenchmarkCheckNested(b *testing.B) {
	benchCheck(b, mustFor[editIn](b), `{"file_path":"/a/b/c.go","mode":"ask","edits":[{"old_string":"a\n","new_string":"b","replace_all":true}]}`)
}
func BenchmarkCheckKeywordByKeyword(b *testing.B) {
	benchCheck(b, mustParse(b, `{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"integer","multipleOf":1}},"required":["path"],"additionalProperties":false}`), `{"path":"/a/b","head":3}`)
}
func BenchmarkCheckMegabyte(b *testing.B) {
	args := `{"text":"` + strings.Repeat(`func main() {\n\t`, 1<<16) + `"}`
	b.SetBytes(int64(len(args)))
	benchCheck(b, mustFor[oneString](b), args)
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(json.RawMessage(smallForeign)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseHostile(b *testing.B) {
	for name, raw := range map[string]string{"doubling": doubling(22), "ring": `{"$ref":"#"}`, "many": `{"anyOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = Parse(json.RawMessage(raw))
			}
		})
	}
}

func BenchmarkCompileLargest(b *testing.B) {
	var props []string
	for i := range maxSubschemas - 10 {
		props = append(props, fmt.Sprintf(`"p%d":{"multipleOf":2}`, i))
	}
	raw := json.RawMessage(`{"properties":{` + strings.Join(props, ",") + `}}`)
	for b.Loop() {
		s, err := Parse(raw)
		if err != nil {
			b.Fatal(err)
		}
		compileTree(s.tree())
	}
}

// What reading a Go type costs, beside the library that did it before and is the oracle now.
func BenchmarkFor(b *testing.B) {
	t := reflect.TypeFor[editIn]()
	b.Run("For", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ForType(t); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("invopop", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			oracle(b, t)
		}
	})
}

func benchRepair(b *testing.B, args string) {
	s, raw := mustParse(b, repairSchema), json.RawMessage(args)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := s.Repair(raw, repairAliases); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRepairNothing(b *testing.B) {
	benchRepair(b, `{"file_path":"/a/b/c.go","limit":10,"edits":[{"old":"x","replace_all":true}]}`)
}

func BenchmarkRepairTypical(b *testing.B) {
	benchRepair(b, `{"filePath":"/a/b/c.go","limit":"10","all":"true","explanation":"because","edits":"[{\"old\":\"x\",\"replaceAll\":true}]"}`)
}

func BenchmarkRepairSyntax(b *testing.B) {
	benchRepair(b, "```json\n{'file_path': '/a/b/c.go', 'limit': 10, 'all': True,}\n```")
}

func BenchmarkRepairLong(b *testing.B) {
	for _, size := range []int{1 << 14, 1 << 17, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			body := strings.Repeat("func main() {\n\t", size/15)
			b.SetBytes(int64(len(body)))
			benchRepair(b, `{"path":"`+body+`"}`)
		})
	}
}

func BenchmarkRepairHostile(b *testing.B) {
	s := mustParse(b, repairSchema)
	for i, part := range hostileParts {
		for _, size := range []int{1 << 17, 1 << 20} {
			b.Run(fmt.Sprintf("%d/%d", i, size), func(b *testing.B) {
				raw, _ := json.Marshal(map[string]string{"file_path": "a", "edits": strings.Repeat(part, size/len(part))})
				b.SetBytes(int64(len(raw)))
				for b.Loop() {
					_, _, _ = s.Repair(raw, repairAliases)
				}
			})
		}
	}
}

func BenchmarkCheckInvalid(b *testing.B) {
	s, raw := mustParse(b, repairSchema), json.RawMessage(`{"limit":"x","mode":"q"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Check(raw); err == nil {
			b.Fatal("accepted")
		}
	}
}

// What adding 10,000 raw tools costs: parse, guard, digest; nothing is compiled.
func BenchmarkParseAndDigest(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s, err := Parse(json.RawMessage(smallForeign))
		if err != nil {
			b.Fatal(err)
		}
		s.Digest()
	}
}

func BenchmarkCompileSmall(b *testing.B) {
	s := mustParse(b, smallForeign)
	b.ReportAllocs()
	for b.Loop() {
		compileTree(s.tree())
	}
}

// The dearest keyword over the longest list that fits in some megabytes.
func BenchmarkCheckAMillionDifferentItems(b *testing.B) {
	var w strings.Builder
	w.WriteString(`{"a":[0`)
	for i := 1; i < 1_000_000; i++ {
		fmt.Fprintf(&w, ",%d", i)
	}
	w.WriteString(`]}`)
	benchCheck(b, mustParse(b, `{"type":"object","properties":{"a":{"type":"array","uniqueItems":true,"items":{"type":"integer"}}}}`), w.String())
}
