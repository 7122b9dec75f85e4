package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// whole answers a request that wants no stream. Clients ask so for titles and the like, never for
// a turn of the conversation: a call is refused, so that one that does is seen.
func whole(w http.ResponseWriter, provider string, t Turn) {
	if len(t.Calls) > 0 {
		http.Error(w, fmt.Sprintf("%s: this server makes calls in streams only", provider), http.StatusNotImplemented)
		return
	}
	block := object{"type": "text", "text": t.Text}
	answers := map[string]object{
		"anthropic": {
			"id": "msg_whole", "type": "message", "role": "assistant", "model": "scripted",
			"content":     []any{block},
			"stop_reason": "end_turn",
			"usage":       object{"input_tokens": 10, "output_tokens": 5},
		},
		"openai": {
			"id": "chatcmpl-whole", "object": "chat.completion", "created": 1, "model": "scripted",
			"choices": []any{object{
				"index":         0,
				"message":       object{"role": "assistant", "content": t.Text},
				"finish_reason": "stop",
			}},
			"usage": object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
		},
		"responses": {
			"id": "resp_whole", "object": "response", "created_at": 1, "status": "completed", "model": "scripted",
			"output": []any{object{
				"type": "message", "id": "msg_whole", "role": "assistant", "status": "completed",
				"content": []any{object{"type": "output_text", "text": t.Text, "annotations": []any{}}},
			}},
			"usage": object{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
		},
		"gemini whole": {
			"candidates": []any{object{
				"content":      object{"role": "model", "parts": []any{object{"text": t.Text}}},
				"finishReason": "STOP",
				"index":        0,
			}},
			"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
			"modelVersion":  "scripted",
		},
	}
	Reply(w, answers[provider])
}

// Reply answers with an object.
func Reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}
