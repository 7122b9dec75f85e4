package server

import (
	"bytes"
	"encoding/json"
)

// jsonNull is the value that says nothing.
const jsonNull = "null"

// encodePlain is v as JSON without the escapes that only HTML needs: they cost
// tokens. v must encode.
func encodePlain(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("server: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
