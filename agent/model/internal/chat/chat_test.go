package chat_test

import (
	"testing"

	"helve/agent/model/internal/chat"
)

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
