package scripted

import (
	"io"
	"net/http"
	"strings"
)

// MaxRequest bounds a request of a client, in bytes: system prompts are about a hundred kilobytes.
const MaxRequest = 64 << 20

// Answer answers the n-th request, whose body was read, as the provider does that its path is of: each may stand below a
// folder of its own. next is the turn for a request for one.
func Answer(w http.ResponseWriter, r *http.Request, body []byte, n int, next func(Request) Turn) {
	path := r.URL.Path
	provider := ""
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		Reply(w, object{"object": "list", "data": []any{object{"id": "scripted", "object": "model"}}})
		return
	case strings.HasSuffix(path, "/messages/count_tokens"):
		Reply(w, object{"input_tokens": 10})
		return
	case strings.HasSuffix(path, ":countTokens"):
		Reply(w, object{"totalTokens": 10})
		return
	case strings.HasSuffix(path, "/messages"):
		provider = "anthropic"
	case strings.HasSuffix(path, "/chat/completions"):
		provider = "openai"
	case strings.HasSuffix(path, "/responses"):
		provider = "responses"
	case strings.HasSuffix(path, ":streamGenerateContent"):
		provider = "gemini"
	case strings.HasSuffix(path, ":generateContent"):
		provider = "gemini whole"
	default:
		http.NotFound(w, r)
		return
	}
	req, err := ReadRequest(provider, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	turn := next(req)
	if !req.Stream {
		whole(w, provider, turn)
		return
	}
	stream(w, provider, turn, n)
}

// stream sends a turn, each event by itself.
func stream(w http.ResponseWriter, provider string, turn Turn, n int) {
	frames, err := Stream(provider, turn, n)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flusher, _ := w.(http.Flusher)
	for _, f := range frames {
		if _, err := io.WriteString(w, f); err != nil {
			return // the client is gone
		}
		if flusher != nil {
			flusher.Flush()
		}
	}
}
