package natsbus

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"helve/internal/wire"
	"helve/tool"
)

// openReply is the body of a reply, or the error that it brings.
func openReply(b []byte) ([]byte, error) {
	k, body, err := wire.OpenFrame(b)
	switch {
	case err != nil:
	case k == wire.ReplyOK:
		return body, nil
	case k == wire.FrameRefused:
		return nil, readError(body)
	default:
		err = fmt.Errorf("a reply of kind %q", byte(k))
	}
	return nil, tool.Errorf(tool.Execution, "the worker's answer: %w", err)
}

// refusals are the codes that a worker may refuse with.
var refusals = []tool.Code{
	tool.Validation, tool.UnknownTool, tool.Permission, tool.Busy,
	tool.TimedOut, tool.Execution, tool.Cancelled, tool.Unknown,
}

// readError is the error of a frame.
func readError(body []byte) *tool.Error {
	e := &tool.Error{}
	err := json.Unmarshal(body, e)
	if err != nil || e.Err == nil || e.Err.Error() == "" || !slices.Contains(refusals, e.Code) {
		return tool.Errorf(tool.Execution, "the worker refused, in words that cannot be read")
	}
	return e
}

// readEffects keeps nil and none apart: nil is unknown.
func readEffects(effects []wire.Effect) ([]tool.Effect, error) {
	if effects == nil {
		return nil, nil
	}
	out := make([]tool.Effect, len(effects))
	for i, e := range effects {
		if err := out[i].Kind.UnmarshalText([]byte(e.Kind)); err != nil {
			return nil, err
		}
		if e.Target == "" {
			return nil, errors.New("an effect without a target")
		}
		out[i].Target = e.Target
	}
	return out, nil
}
