package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// probeTime bounds one attempt: the slowest starts twice as many processes as it may, on a machine that may be busy.
const probeTime = 2 * time.Minute

// probeLimit is the number of processes that probed sandboxes may have: little more than the least that the kernel
// takes as a bound, so that the attempt to exceed it stays small.
const probeLimit = 320

// ProbeEscapes tries every known way out of every sandbox that this machine can make, in a throw-away directory.
func ProbeEscapes(ctx context.Context) (Table, error) {
	t := Table{Columns: columns()}
	for _, p := range probes() {
		row := Escape{Name: p.name, What: p.what}
		for _, c := range t.Columns {
			result, err := tryProbe(ctx, p, c)
			if err != nil {
				return t, fmt.Errorf("probe %s, %s at %s: %w", p.name, c.Mechanism, c.Level, err)
			}
			row.Results = append(row.Results, result)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// columns are every mechanism at every level that it is for.
func columns() []Column {
	var out []Column
	for _, m := range ladder {
		out = append(out, Column{m, ReadOnly}, Column{m, WorkspaceWrite})
	}
	return append(out, Column{None, Off})
}

// tryProbe tries one way out on ground of its own.
func tryProbe(ctx context.Context, p probe, c Column) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	g, done, err := newGround()
	if err != nil {
		return "", err
	}
	defer done()
	o := Options{
		Level:     c.Level,
		Mechanism: c.Mechanism,
		Roots:     []string{g.Root},
		Home:      g.Home,
		Masked:    []string{".env"},
		Limits:    Limits{Processes: probeLimit},
	}
	if c.Mechanism != None {
		if _, err := Reach(ctx, o); err != nil {
			return Untried, nil
		}
	}
	open, err := runProbe(ctx, o, g, p.name)
	switch {
	case err != nil:
		return "", err
	case open && p.workspace && c.Level == WorkspaceWrite:
		return Allowed, nil
	case open:
		return Open, nil
	}
	return Blocked, nil
}

// runProbe runs a copy of this program in the sandbox that tries one way out, and tells whether it is open.
func runProbe(ctx context.Context, o Options, g ground, name string) (bool, error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	o.show = []string{self, g.Home}
	told, err := json.Marshal(g)
	if err != nil {
		return false, err
	}
	process, _, err := Start(ctx, o, Spec{
		Argv: []string{self, name, string(told)},
		Dir:  g.Root,
		Env:  append(raceEnv(), marker+"=probe", "HOME="+g.Home),
	})
	if err != nil {
		return false, err
	}
	defer process.Close()
	e, err := process.Wait(ctx)
	if err != nil {
		return false, err
	}
	switch e.Code {
	case 0:
		return true, nil
	case 1:
		return false, nil
	}
	if e.Signal == "SIGSYS" || e.Over != "" {
		return false, nil // the filter ended it, or whoever looks at what it uses
	}
	head, tail, _ := process.Stderr.HeadTail(2000)
	return false, fmt.Errorf("ended with %+v: %s%s", e, head, tail)
}

// newGround makes a home with a workspace, and services that answer whoever reaches them.
func newGround() (ground, func(), error) {
	base, err := os.MkdirTemp("", "probe-*")
	if err != nil {
		return ground{}, nil, err
	}
	base, err = filepath.EvalSymlinks(base)
	if err != nil {
		return ground{}, nil, err
	}
	g := ground{
		Home:     base,
		Root:     filepath.Join(base, "work"),
		Socket:   filepath.Join(base, "service.sock"),
		Inner:    filepath.Join(base, "work", "inner.sock"),
		Datagram: filepath.Join(base, "work", "datagram.sock"),
		Abstract: "@" + filepath.Base(base),
		PID:      os.Getpid(),
		Limit:    probeLimit,
	}
	err = g.fill()
	if err != nil {
		os.RemoveAll(base)
		return ground{}, nil, err
	}
	stop, err := g.listen()
	if err != nil {
		os.RemoveAll(base)
		return ground{}, nil, err
	}
	done := func() {
		stop()
		os.RemoveAll(base)
	}
	return g, done, nil
}

// fill makes what the probes would like to read and change.
func (g *ground) fill() error {
	files := map[string]string{
		"file":             "mine\n",
		"spare":            "x",
		".ssh/id_rsa":      "secret\n",
		"work/.git/config": "[core]\n",
		"work/.git/HEAD":   "ref\n",
		"work/.env":        "TOKEN=secret\n",
	}
	for name, text := range files {
		path := filepath.Join(g.Home, name)
		made := os.MkdirAll(filepath.Dir(path), 0o755)
		err := errors.Join(made, os.WriteFile(path, []byte(text), 0o644))
		if err != nil {
			return err
		}
	}
	return nil
}

// listen opens the services. The accept queue of the kernel is enough: a connection is a way out, whoever answers.
func (g *ground) listen() (func(), error) {
	tcp, err1 := net.Listen("tcp", "127.0.0.1:0")
	udp, err2 := net.ListenPacket("udp", "127.0.0.1:0")
	file, err3 := net.Listen("unix", g.Socket)
	abstract, err4 := net.Listen("unix", g.Abstract)
	inner, err5 := listenRelative(g.Inner)
	datagram, err6 := net.ListenPacket("unixgram", g.Datagram)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	leak, err := unix.Open(g.file(), unix.O_RDONLY, 0) // on purpose without O_CLOEXEC: a child must not find it
	if err != nil {
		return nil, err
	}
	g.TCP = tcp.Addr().String()
	g.UDP = udp.LocalAddr().String()
	go echo(udp) // ends when udp is closed
	stop := func() {
		for _, c := range []io.Closer{tcp, udp, file, abstract, inner, datagram} {
			c.Close()
		}
		unix.Close(leak)
	}
	return stop, nil
}

// listenRelative listens at a socket whose name the kernel knows only in part: it does not say where it lies.
func listenRelative(path string) (io.Closer, error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return net.Listen("unix", fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
}

// echo answers each datagram with itself.
func echo(c net.PacketConn) {
	buf := make([]byte, 16)
	for {
		n, from, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		c.WriteTo(buf[:n], from)
	}
}
