package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/internal/visible"
)

// Asked are the parameters of somebody's question as the client gets them: the
// first line says who asks, so that it cannot be taken for a question of ours,
// and nothing in it is hidden. who begins a sentence: "The MCP server x".
func Asked(who, method string, params json.RawMessage) json.RawMessage {
	member := "message"
	switch method {
	case "elicitation/create":
	case "sampling/createMessage":
		member = "systemPrompt" // what else is in it is a conversation, for the model
	default:
		return params
	}
	said, _ := rawjson.String(rawjson.Get(params, member))
	params, _ = rawjson.Clean(params, rawjson.Tame)
	text := visible.Text(who) + " asks:\n" + visible.Text(said)
	return rawjson.Set(params, member, rawjson.Quote(strings.TrimSpace(text)))
}

// CheckElicitation refuses what would harm a client that trusts the schema, or a
// person who follows the address.
func CheckElicitation(params json.RawMessage) error {
	if s := rawjson.Get(params, "requestedSchema"); s != nil {
		if _, err := schema.Parse(s); err != nil {
			return fmt.Errorf("requestedSchema: %w", err)
		}
	}
	raw, ok := rawjson.String(rawjson.Get(params, "url"))
	if !ok {
		return nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("url: want http or https")
	}
	if u.User != nil {
		return errors.New("url: it holds a user name or password")
	}
	return nil
}
