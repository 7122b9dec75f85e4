//go:build !unix

package spawn

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

func interrupt(p *os.Process) { p.Kill() }

func killGroup(p *os.Process) { p.Kill() }

func signalName(*os.ProcessState) string { return "" }
