package main

import (
	"io"
	"os"
	"os/exec"
)

// relay passes lines on as they are: what any gateway costs at the least, two
// more processes' hops.
func relay(in io.Reader, out io.Writer, command []string) error {
	c := exec.Command(command[0], command[1:]...)
	c.Stderr = os.Stderr
	to, err := c.StdinPipe()
	if err != nil {
		return err
	}
	from, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() { defer close(done); io.Copy(struct{ io.Writer }{out}, struct{ io.Reader }{from}) }()
	io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{in})
	to.Close()
	<-done
	return c.Wait()
}
