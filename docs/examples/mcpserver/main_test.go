package main

import (
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve"
	"helve/docs/examples/internal/trial"
	"helve/server"
)

func TestMain(m *testing.M) {
	helve.Init()
	os.Exit(m.Run())
}

func TestTheExampleWorks(t *testing.T) {
	ws := trial.Open(t, server.Asker(server.ApproveElicit))
	here, there := mcp.NewInMemoryTransports()
	if _, err := serverOf(ws).Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	person := &trial.Person{}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{ElicitationHandler: person.Answer})
	session, err := client.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	trial.Calls(t, ws, session)
	if len(person.Asked) != 2 {
		t.Errorf("the person was asked %q", person.Asked)
	}
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "hello", Arguments: struct{}{}})
	if err != nil || res.IsError {
		t.Errorf("the server's own tool: %v, %v", res, err)
	}
}
