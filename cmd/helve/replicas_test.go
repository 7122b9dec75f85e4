package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"helve/cmd/internal/replicatest"
	"helve/internal/testing/scripttest"
)

// The scripts of testdata/replicas talk to two servers behind a balancer that gives them requests in turn. What the
// servers share is the workspace and one folder.
func TestReplicaScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/replicas",
		Setup: func(e *testscript.Env) error {
			scripttest.Home(e.WorkDir, e.Setenv, e.Defer)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"replicas": replicatest.Start[*testscript.TestScript]},
	})
}
