package serve

import (
	"context"
	"fmt"
	"io"
	"os"

	"helve/cmd/internal/command"
	"helve/internal/config"
)

// maxPolicy bounds a policy, in bytes: thousands of rules.
const maxPolicy = 256 << 10

// followPolicy has the policy of the bus count, where the configuration says that there is one.
func (v *served) followPolicy(ctx context.Context) error {
	if v.bus == nil || !v.bus.policy {
		return nil
	}
	text, err := v.bus.gateway.Policy(ctx, func() {
		v.mu.Lock()
		ws := v.ws
		v.mu.Unlock()
		if ws == nil { // it will be opened under what stands then
			return
		}
		if err := ws.Reload(); err != nil {
			v.s.Say("the policy of the bus changed and cannot be used, the rules stay as they were: %v", err)
			return
		}
		v.s.Note("the policy of the bus changed")
	})
	if err != nil {
		return command.Usage("bus.policy: %v", err)
	}
	v.pushed = text
	return nil
}

// nodesPolicy shows the policy of the bus, or puts a file in its place.
func nodesPolicy(ctx context.Context, s command.Streams, o nodesOptions, files []string) error {
	bus, err := o.BusOf(s, o.url)
	if err != nil {
		return err
	}
	var text []byte
	if len(files) > 0 {
		text, err = readPolicy(s, files[0])
		if err != nil {
			return err
		}
	}
	stands, err := s.Bus.Policy(ctx, bus, text)
	if err != nil {
		return command.Failed(fmt.Errorf("nodes policy: %w", err))
	}
	if text != nil {
		s.Say("the policy of the bus stands")
		return nil
	}
	_, err = s.Stdout.Write(stands)
	return err
}

// readPolicy reads a file, or stdin, and tells what of it would not count.
func readPolicy(s command.Streams, file string) ([]byte, error) {
	from := s.Stdin
	if file != "-" {
		f, err := os.Open(s.Path(file))
		if err != nil {
			return nil, command.Usage("nodes policy: %s", command.Cause(err))
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxPolicy+1))
	if err != nil {
		return nil, command.Usage("nodes policy: %v", err)
	}
	if len(text) > maxPolicy {
		return nil, command.Usage("nodes policy: it is larger than %d bytes", maxPolicy)
	}
	read, err := config.Load(config.Environment{}, config.Options{Pushed: text})
	if err != nil {
		return nil, command.Usage("nodes policy: %v", err)
	}
	for _, g := range read.Ignored {
		s.Say("warning: %s does not count: %s", g.Key, g.Why)
	}
	return text, nil
}
