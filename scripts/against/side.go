package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"helve/internal/testing/bench"
)

// A side is one state in one block of a row, with a home and a workspace of its own.
type side struct {
	*bencher
	state *state
	bin   string // the program that is measured
	dir   string // of its own: home, configuration, state, cache, workspace
	ws    string // the workspace
}

// side makes the folders of one.
func (b *bencher) side(r *row, s *state) (*side, error) {
	bin, err := s.program(b.ctx, helve)
	if err != nil {
		return nil, err
	}
	if r.full {
		if _, err := os.Stat(filepath.Join(s.src, helveFull)); err == nil {
			bin, err = s.program(b.ctx, helveFull)
			if err != nil {
				return nil, err
			}
		}
	}
	b.runs++
	x := &side{bencher: b, state: s, bin: bin, dir: filepath.Join(b.work, "sides", fmt.Sprint(b.runs))}
	x.ws = filepath.Join(x.dir, "ws")
	for _, dir := range []string{"home", "config/helve", "state", "cache", "data", "tmp", "ws"} {
		if err := os.MkdirAll(filepath.Join(x.dir, dir), 0o700); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// env is all that a program gets: nothing of whoever measures changes what it does.
func (s *side) env() []string {
	at := func(name string) string { return filepath.Join(s.dir, name) }
	return []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + at("home"), "TMPDIR=" + at("tmp"),
		"XDG_CONFIG_HOME=" + at("config"), "XDG_STATE_HOME=" + at("state"), "XDG_CACHE_HOME=" + at("cache"),
		"XDG_DATA_HOME=" + at("data"), "XDG_RUNTIME_DIR=" + at("tmp"),
	}
}

// configure writes the user's configuration.
func (s *side) configure(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "config", "helve", "config.json"), b, 0o600)
}

// commandTime is how long a command may take: one that hangs is ended.
const commandTime = time.Minute

// An ended is a program that ran: what it took, its children that it waited for included, as the system accounts it.
type ended struct {
	cpu    time.Duration
	code   int
	stdout []byte
	stderr string
}

// run runs helve in the workspace.
func (s *side) run(env []string, args ...string) (*ended, error) {
	cmd := exec.CommandContext(s.ctx, s.bin, args...)
	cmd.Dir, cmd.Env = s.ws, append(s.env(), env...)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(commandTime, func() { cmd.Process.Kill() })
	defer late.Stop()
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return &ended{took(cmd.ProcessState), cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.String()}, nil
}

// ok is run where anything but success is a failure.
func (s *side) ok(args ...string) (*ended, error) {
	e, err := s.run(nil, args...)
	if err == nil && e.code != 0 {
		err = fmt.Errorf("helve %s: %s", args[0], e.stderr)
	}
	return e, err
}

// took is the processor time of a program that ended.
func took(p *os.ProcessState) time.Duration { return p.UserTime() + p.SystemTime() }

// serve starts a server in a folder as clients do: nothing on its command line says where it is to work.
func (s *side) serve(dir string) (*bench.Child, error) {
	cmd := exec.CommandContext(s.ctx, s.bin, "serve")
	cmd.Dir, cmd.Env = dir, s.env()
	return bench.Start(cmd)
}

// A call is the parameters of tools/call.
type call struct {
	Name string         `json:"name"`
	Args map[string]any `json:"arguments"`
}

func (c call) String() string {
	b, _ := json.Marshal(c) // texts and numbers: nothing in it can fail
	return string(b)
}

// make makes a call, and fails where its result is an error.
func (c call) make(child *bench.Child) error {
	line, err := child.Request("tools/call", c.String())
	if err != nil {
		return err
	}
	var m struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	if !m.Result.IsError {
		return nil
	}
	var said []string
	for _, part := range m.Result.Content {
		said = append(said, part.Text)
	}
	return errors.New(lastLines(strings.Join(said, " ")))
}
