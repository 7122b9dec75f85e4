package main

import (
	"os"
	"testing"

	"helve"
	"helve/docs/examples/internal/trial"
	"helve/server"
)

func TestMain(m *testing.M) {
	helve.Init()
	os.Exit(m.Run())
}

func TestTheExampleWorks(t *testing.T) {
	person := &trial.Person{}
	ws := trial.Open(t, server.Asker(server.ApproveElicit))
	session, err := connect(t.Context(), ws, person.Answer)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	trial.Calls(t, ws, session)
	if len(person.Asked) != 2 {
		t.Errorf("the person was asked %q", person.Asked)
	}
}
