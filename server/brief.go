package server

import (
	"encoding/json"

	rawjson "helve/internal/json"
)

// longNumber is from how many digits a maximum is a technical bound that nobody
// reaches.
const longNumber = 10

// brief is the schema of a tool of our own without the bounds that nobody
// crosses on purpose (empty texts, negative counts, huge lists) and without the
// ban on other properties: every turn of every conversation would pay some
// three hundred tokens for them. The call is checked by the whole schema, and
// who crosses one is told. A client that checks arguments itself lets those
// pass that helve can mend, such as a parameter under its name in another
// agent.
func brief(schema json.RawMessage) json.RawMessage {
	keywords, err := rawjson.Object(schema)
	if err != nil {
		return schema
	}
	kept := keywords[:0]
	for _, k := range keywords {
		switch k.Key {
		case "minLength", "maxLength", "minItems", "maxItems", "minimum":
			continue
		case "additionalProperties":
			if string(k.Value) == "false" {
				continue
			}
		case "maximum":
			if len(k.Value) >= longNumber {
				continue
			}
		case "items":
			k.Value = brief(k.Value)
		case "properties":
			k.Value = briefProperties(k.Value)
		}
		kept = append(kept, k)
	}
	return rawjson.Join(kept)
}

func briefProperties(properties json.RawMessage) json.RawMessage {
	list, err := rawjson.Object(properties)
	if err != nil {
		return properties
	}
	for i := range list {
		list[i].Value = brief(list[i].Value)
	}
	return rawjson.Join(list)
}
