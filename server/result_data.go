package server

import (
	"encoding/json"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// MetaData is the key in _meta of a call by which a client asks for a result's data as structured content: true
// for the data of what a model would read, "whole" for all of it. Then limits for models do not apply, the text is
// left out, and what is larger than tool.MaxWhole fails.
const MetaData = "helve/data"

// A wish is what a client wants of the data of a built-in tool's result.
type wish uint8

const (
	noData    wish = iota
	someData       // of what a model would read
	wholeData      // all of it
)

// readWish reads the value of MetaData.
func readWish(value json.RawMessage) (wish, *rpc.Error) {
	word, _ := rawjson.String(value)
	switch {
	case string(value) == "true":
		return someData, nil
	case word == "whole":
		return wholeData, nil
	case string(value) == "false", string(value) == jsonNull:
		return noData, nil
	}
	return noData, rpc.Errorf(rpc.CodeInvalidParams, `invalid params: _meta[%q]: want true or "whole"`, MetaData)
}

// whole is what Call.Whole has to be.
func (w wish) whole() int {
	if w == wholeData {
		return tool.MaxWhole
	}
	return 0
}
