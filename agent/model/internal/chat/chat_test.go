package chat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/agent/model/internal/chat"
)

func TestOptionsSayWhatIsGiven(t *testing.T) {
	key := func(s string) string { return "key " + s }
	url := func(s string) string { return "url " + s }
	for _, c := range []struct{ key, url, want string }{
		{"k", "u", "key k,url u,own"},
		{"", "u", "url u,own"},
		{"", "", "own"},
	} {
		got := strings.Join(chat.Options([]string{"own"}, chat.Given(c.key, key), chat.Given(c.url, url)), ",")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q, %q: %s", c.key, c.url, diff)
		}
	}
}

func TestArgumentsGoBackAsAnObjectWhateverTheyAre(t *testing.T) {
	for args, want := range map[string]string{
		`{"a": 1}`:               `{"a": 1}`,
		`{"n":9007199254740993}`: `{"n":9007199254740993}`,
		`{"a":`:                  `{"unreadable":"{\"a\":"}`,
		`[1]`:                    `{"unreadable":"[1]"}`,
		`null`:                   `{"unreadable":"null"}`,
		``:                       `{"unreadable":""}`,
	} {
		if got := string(chat.Sound(args)); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}
