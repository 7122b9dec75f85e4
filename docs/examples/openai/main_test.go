package main

import (
	"os"
	"testing"

	"helve"
	"helve/docs/examples/internal/trial"
	"helve/internal/testing/wiretest"
)

func TestMain(m *testing.M) {
	helve.Init()
	os.Exit(m.Run())
}

func TestTheExampleWorks(t *testing.T) {
	srv := wiretest.OpenAI(t, trial.Turns...)
	t.Setenv("OPENAI_BASE_URL", srv.URL)
	t.Setenv("OPENAI_API_KEY", "none")
	trial.Agent(t, srv, run)
}
