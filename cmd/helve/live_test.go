package main

import (
	"os"
	"strings"
	"testing"

	"helve/agent"
	"helve/cmd/internal/command"
)

// TestTheProvidersThemselves does the scenario's kind of work with real models. It costs money: HELVE_LIVE=1 switches
// it on, with HELVE_LIVE_MODELS, provider/model separated by commas, and the providers' keys.
func TestTheProvidersThemselves(t *testing.T) {
	if os.Getenv("HELVE_LIVE") != "1" {
		t.Skip("HELVE_LIVE=1 switches it on: it costs money")
	}
	models := os.Getenv("HELVE_LIVE_MODELS")
	if models == "" {
		t.Fatal("HELVE_LIVE_MODELS names no model: want provider/model, separated by commas")
	}
	for name := range strings.SplitSeq(models, ",") {
		t.Run(name, func(t *testing.T) {
			kind, _, _ := strings.Cut(name, "/")
			m, err := model(t.Context(), command.ModelRequest{Name: name, Kind: kind})
			if err != nil {
				t.Fatal(err)
			}
			transcript := string(runScenario(t, m))
			if !strings.Contains(transcript, "end: "+string(agent.Done)) || !strings.Contains(transcript, "plan:") {
				t.Error(transcript)
			}
		})
	}
}
