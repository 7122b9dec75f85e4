package wrap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"helve/tool"
	"helve/wrap"
)

// sleep is a tool that takes as long as it is told.
func sleep() tool.Tool {
	type in struct {
		For string `json:"for" jsonschema:"description=How long\\, as in 1s"`
	}
	spec := tool.Spec{Name: "sleep", Kind: tool.Read, Doc: tool.Doc{Short: "Sleeps."}}
	return tool.New(spec, func(ctx context.Context, _ *tool.Call, in in) (*tool.Result, error) {
		d, err := time.ParseDuration(in.For)
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(d):
			return tool.Textf("slept for %v", d), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
}

// sleepFor calls the tool of a kit and says what the model reads first.
func sleepFor(k *tool.Kit, d string) {
	args, _ := json.Marshal(map[string]string{"for": d})
	res, err := k.Call(context.Background(), &tool.Call{Name: "sleep", Args: args})
	if err != nil {
		panic(err)
	}
	line, _, _ := strings.Cut(res.Text(), "\n")
	fmt.Println(line)
}

// The limits that every kit should have, here with a shorter time than usual.
func ExampleStandard() {
	var reg tool.Registry
	if err := reg.Add(sleep()); err != nil {
		panic(err)
	}
	k := reg.Kit(tool.KitOptions{Wrap: wrap.Standard(wrap.Options{Timeout: 50 * time.Millisecond})})
	sleepFor(k, "1ms")
	sleepFor(k, "1h")
	// Output:
	// slept for 1ms
	// Error: sleep: timed out after 50ms.
}

// What is around whole calls sees the refused ones, too.
func ExampleAudit() {
	audit := wrap.Audit(wrap.AuditOptions{
		Principal: "ada",
		Now:       func() time.Time { return time.Unix(0, 0) },
		Write: func(line []byte) error {
			var r wrap.Record
			err := json.Unmarshal(line, &r)
			fmt.Println(r.Principal, r.Name, r.Outcome)
			return err
		},
	})
	var count wrap.Counter
	var reg tool.Registry
	if err := reg.Add(sleep()); err != nil {
		panic(err)
	}
	k := reg.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{audit, count.Count}})
	sleepFor(k, "1ms")
	sleepFor(k, "long")
	for _, u := range count.Usage() {
		fmt.Println(u.Tool, "was called", u.Calls, "times and failed", u.Failed)
	}
	// Output:
	// ada sleep ok
	// slept for 1ms
	// ada sleep execution_error
	// Tool execution failed: time: invalid duration "long"
	// sleep was called 2 times and failed 1
}
