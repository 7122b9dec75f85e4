package main

import (
	"flag"
	"fmt"
	"os"

	"helve/internal/config"
	"helve/internal/ticket"
	workspaces "helve/internal/workspace"
)

// leaveTicket is the command ticket of scripts: it leaves what the hook of a client leaves for a line of the working
// directory.
func leaveTicket() {
	network := flag.Bool("network", false, "")
	workspace := flag.String("workspace", ".", "")
	conversation := flag.String("conversation", "", "")
	flag.Parse()
	if err := leave(flag.Arg(0), flag.Arg(1), *workspace, *conversation, *network); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func leave(client, line, workspace, conversation string, network bool) error {
	folder, err := workspaces.Folder(".")
	if err != nil {
		return err
	}
	if workspace, err = workspaces.Folder(workspace); err != nil {
		return err
	}
	return ticket.Leave(config.EnvironmentOf(os.Getenv).StateDir, ticket.Ticket{
		Client:       client,
		Folder:       folder,
		Digest:       ticket.Digest(line),
		Workspace:    workspace,
		Conversation: conversation,
		Verdict:      "ask",
		Network:      network,
	})
}
