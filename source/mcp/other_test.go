//go:build !unix

package mcp

import "os/exec"

func ignoreTerm() {}

func leaveGroup(*exec.Cmd) {}
