package visible_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"helve/internal/visible"
)

func TestWhatIsHiddenIsWrittenOut(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"plain\n\ttext":                "plain\n\ttext",
		"ä 日本語 é ‰ 🙂":                  "ä 日本語 é ‰ 🙂",
		"\x1b[2J\a":                    `\u001b[2J\u0007`,
		"a\rb\x00\x7f":                 `a\u000db\u0000\u007f`,
		"red\u202egpj":                 `red\u202egpj`,
		"a\u200bb\u200d\ufeff":         `a\u200bb\u200d\ufeff`,
		"\U000e0041\U000e0042":         `\U000e0041\U000e0042`,
		"\u2028\u2029\u3164\u115f":     `\u2028\u2029\u3164\u115f`,
		"\u009b2J":                     `\u009b2J`,
		"\xff\x9b2J":                   `\xff\x9b2J`,
		"\xef\xbf":                     `\xef\xbf`,
		"\ufffd":                       "\ufffd",
		"❤\ufe0f":                      "❤\ufe0f",
		"x\ufe0f\ufe0f\U000e0101":      "x\ufe0f" + `\ufe0f\U000e0101`,
		"\ue000":                       `\ue000`,
		"half of a character \xe2\x80": `half of a character \xe2\x80`,
	} {
		if got := visible.Text(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// Nothing hidden is left, whatever comes, and what has nothing hidden stays.
func FuzzText(f *testing.F) {
	f.Add("a\u202eb\xff")
	f.Add(strings.Repeat("\ufe0f", 3))
	f.Fuzz(func(t *testing.T, in string) {
		got := visible.Text(in)
		if !utf8.ValidString(got) {
			t.Errorf("%q is shown as %q, which is not UTF-8", in, got)
		}
		before := utf8.RuneError
		for _, r := range got {
			if visible.Hidden(r) && (r != '\ufe0e' && r != '\ufe0f' || visible.Hidden(before)) {
				t.Errorf("%q is shown as %q: %U is left", in, got, r)
			}
			before = r
		}
		if again := visible.Text(got); again != got {
			t.Errorf("%q becomes %q, and then %q", in, got, again)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("func main() { fmt.Println(\"hello\") }\n", 1000)
	for b.Loop() {
		visible.Text(text)
	}
	b.SetBytes(int64(len(text)))
}

// A word of several scripts that look alike is written out, with what it looks like; words of one script stay.
func TestAWordOfSeveralScriptsIsSpelledOut(t *testing.T) {
	for in, want := range map[string]string{
		"curl example.com":                "curl example.com",
		"\u0441url https://example.com":   `\u0441url https://example.com (\u0441url looks like curl)`,
		"привет мир":                      "привет мир",
		"cat привет.txt":                  "cat привет.txt",
		"日本語abc ä é":                      "日本語abc ä é",
		"https://\u0440aypal.com/\u0430":  `https://\u0440aypal.com/` + "\u0430" + ` (\u0440aypal looks like paypal)`,
		"g\u03bf\u03bfgle":                `g\u03bf\u03bfgle (g\u03bf\u03bfgle looks like google)`,
		"x\u0436y":                        `x\u0436y (x\u0436y has letters of several scripts)`,
		"\u0441\u043e\u0440\u0443":        "\u0441\u043e\u0440\u0443", // one script: it stays
		"\u0441url\n\u0441url":            `\u0441url\n\u0441url (\u0441url looks like curl)`,
		"\u0441url \u0441url-x pip\u0435": `\u0441url \u0441url-x pip\u0435 (\u0441url looks like curl; \u0441url-x looks like curl-x; pip\u0435 looks like pipe)`,
	} {
		if got := visible.SpelledLine(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
