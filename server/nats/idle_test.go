package natsbus_test

import (
	"bytes"
	"context"
	"time"

	"helve/tool"
)

// idleTools are one that changes something and one that does not, and both do nothing; sleep takes five milliseconds, show
// brings 8 MiB, take takes what it is given.
func idleTools() []tool.Tool {
	nothing := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("x"), nil }
	sleep := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		time.Sleep(5 * time.Millisecond)
		return tool.Textf("x"), nil
	}
	picture := bytes.Repeat([]byte("x"), 8<<20)
	show := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		return tool.NewResult(tool.Image{MIME: "image/png", Data: picture}), nil
	}
	take := func(_ context.Context, _ *tool.Call, in takeIn) (*tool.Result, error) {
		return tool.Textf("%d", len(in.Text)), nil
	}
	doc := tool.Doc{Short: "For measuring."}
	return []tool.Tool{
		tool.New(tool.Spec{Name: "reads", Kind: tool.Read, Doc: doc}, nothing),
		tool.New(tool.Spec{Name: "writes", Kind: tool.Exec, Doc: doc}, nothing),
		tool.New(tool.Spec{Name: "sleeps", Kind: tool.Read, Doc: doc}, sleep),
		tool.New(tool.Spec{Name: "shows", Kind: tool.Read, Doc: doc}, show),
		tool.New(tool.Spec{Name: "takes", Kind: tool.Exec, Doc: doc}, take),
	}
}

type takeIn struct {
	Text string `json:"text"`
}
