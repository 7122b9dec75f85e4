package app

import (
	"context"
	"fmt"
	"strings"
)

// describeClient is doctor --client NAME.
func (a *app) describeClient(ctx context.Context, name string) error {
	ws, err := a.open(ctx, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	k, err := ws.Client(name)
	if err != nil {
		return usage("%s", printable(err.Error()))
	}
	approval := k.Approval
	switch {
	case approval != "":
		approval += " (client_profiles)"
	case k.Asks:
		approval = "client, for what mode auto would allow; the rest is asked by elicitation"
	default:
		approval = "by elicitation if the client has it, else by the client"
	}
	if a.flags.json {
		return a.printJSON(map[string]any{
			"name": k.Name, "title": k.Title, "info": k.Info, "asks": k.Asks, "approval": k.Approval,
			"prefix": k.Prefix, "max_name": k.MaxName,
		})
	}
	fmt.Fprintf(a.env.Stdout, "%s (%s)\n", k.Title, k.Name)
	fmt.Fprintf(a.env.Stdout, "  calls itself: %s\n", strings.Join(k.Info, ", "))
	fmt.Fprintf(a.env.Stdout, "  approval:     %s\n", approval)
	if k.Prefix != "" {
		fmt.Fprintf(a.env.Stdout, "  names:        %sSERVER__TOOL, %d bytes at most\n", k.Prefix, k.MaxName)
	}
	return nil
}
