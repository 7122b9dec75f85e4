//go:build !unix

package upstream

import "os/exec"

func ignoreTerm() {}

func leaveGroup(*exec.Cmd) {}
