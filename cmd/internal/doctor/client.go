package doctor

import (
	"context"
	"fmt"
	"strings"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
)

// describeClient tells what is known of an MCP client, and what that means for who approves its calls.
func describeClient(ctx context.Context, s command.Streams, o doctorOptions) error {
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return o.printClient(ctx, s, ws) })
}

func (o doctorOptions) printClient(ctx context.Context, s command.Streams, ws *workspace.Assembly) error {
	k, err := ws.Client(o.client)
	if err != nil {
		return command.Usage("%s", command.Printable(err.Error()))
	}
	hooks := examineHooks(ctx, s, k.Name, o.quick)
	if o.json {
		return s.PrintJSON(map[string]any{
			"hooks":    hooks,
			"name":     k.Name,
			"title":    k.Title,
			"info":     k.Info,
			"asks":     k.Asks,
			"approval": k.Approval,
			"prefix":   k.Prefix,
			"max_name": k.MaxName,
		})
	}
	approval := "by elicitation if the client has it, else by the client"
	switch {
	case k.Approval != "":
		approval = k.Approval + " (client_profiles)"
	case k.Asks:
		approval = "client, for what mode auto would allow; the rest is asked by elicitation"
	}
	fmt.Fprintf(s.Stdout, "%s (%s)\n", k.Title, k.Name)
	fmt.Fprintf(s.Stdout, "  calls itself: %s\n", strings.Join(k.Info, ", "))
	fmt.Fprintf(s.Stdout, "  approval:     %s\n", approval)
	if k.Prefix != "" {
		fmt.Fprintf(s.Stdout, "  names:        %sSERVER__TOOL, %d bytes at most\n", k.Prefix, k.MaxName)
	}
	printHooks(s.Stdout, hooks)
	return nil
}
