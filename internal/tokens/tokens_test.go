package tokens

import (
	"testing"
	"testing/quick"

	"github.com/tiktoken-go/tokenizer/codec"
)

// The oracle is the library that embeds the vocabulary as it was published.
func TestCountsAreThoseOfTheLibrary(t *testing.T) {
	oracle := codec.NewO200kBase()
	check := func(s string) bool {
		want, err := oracle.Count(s)
		if got := Count(s); err != nil || got != want {
			t.Errorf("%q: %d, want %d, %v", s, got, want, err)
			return false
		}
		return true
	}
	for _, s := range []string{"", "hello world", "  two  blanks ", "a\n\n\nb\r\n", "it's WE'LL don't", "12345.678", "函数 ファイル 파일", "café naïve", "\t\tx := y[1:]\n", "…—“quoted”",
		`{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}`, "🙂👩‍👩‍👧", "x\u00a0y\u2003z", "HTTPServer readFile", "////path//to///x", "   ", "\n  a"} {
		check(s)
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}
