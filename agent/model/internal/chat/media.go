package chat

import (
	"encoding/base64"

	"helve/engine/dialect"
)

// DataURL is a picture as text that holds all of it.
func DataURL(m dialect.Media) string {
	return "data:" + m.MIME + ";base64," + base64.StdEncoding.EncodeToString(m.Data)
}

const (
	// low and medium are the most tokens of thinking that the words of OpenAI's efforts stand for here: a provider that
	// takes a word alone says nothing of numbers.
	low    = 4_000
	medium = 16_000
)

// Effort is a budget of thinking in the word that OpenAI takes for it; "" for none.
func Effort(tokens int) string {
	switch {
	case tokens <= 0:
		return ""
	case tokens <= low:
		return "low"
	case tokens <= medium:
		return "medium"
	}
	return "high"
}
