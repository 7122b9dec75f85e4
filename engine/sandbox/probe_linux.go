package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// probeTime bounds one attempt.
const probeTime = 2 * time.Minute

// probeLimit is the number of processes that probed sandboxes may have.
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

func tryProbe(ctx context.Context, p probe, c Column) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	g, done, err := newGround()
	if err != nil {
		return "", err
	}
	defer done()
	o := Options{Level: c.Level, Mechanism: c.Mechanism, Roots: []string{g.root}, Home: g.home, Masked: []string{".env"}, Limits: Limits{Processes: probeLimit}}
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

func runProbe(ctx context.Context, o Options, g ground, name string) (bool, error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	o.show = []string{self, g.home}
	process, _, err := Start(ctx, o, Spec{Argv: append([]string{self, name}, g.args()...), Dir: g.root, Env: append(raceEnv(), marker+"=probe", "HOME="+g.home)})
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
	if e.Signal == "SIGSYS" {
		return false, nil // the filter ended it
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
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return ground{}, nil, err
	}
	g := ground{home: base, root: filepath.Join(base, "work"), socket: filepath.Join(base, "service.sock"), abstract: "@" + filepath.Base(base), pid: os.Getpid(), limit: probeLimit}
	for name, text := range map[string]string{"file": "mine\n", "spare": "x", ".ssh/id_rsa": "secret\n", "work/.git/config": "[core]\n", "work/.git/HEAD": "ref\n", "work/.env": "TOKEN=secret\n"} {
		path := filepath.Join(base, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			os.RemoveAll(base)
			return ground{}, nil, err
		}
	}
	stop, err := g.listen()
	if err != nil {
		os.RemoveAll(base)
		return ground{}, nil, err
	}
	return g, func() { stop(); os.RemoveAll(base) }, nil
}

// listen opens the services. The accept queue of the kernel is enough: a connection is a way out, whoever answers.
func (g *ground) listen() (func(), error) {
	tcp, err1 := net.Listen("tcp", "127.0.0.1:0")
	udp, err2 := net.ListenPacket("udp", "127.0.0.1:0")
	file, err3 := net.Listen("unix", g.socket)
	abstract, err4 := net.Listen("unix", g.abstract)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	leak, err := unix.Open(g.file(), unix.O_RDONLY, 0) // on purpose without O_CLOEXEC: a child must not find it
	if err != nil {
		return nil, err
	}
	g.tcp, g.udp = tcp.Addr().String(), udp.LocalAddr().String()
	go echo(udp) // ends when udp is closed
	return func() { tcp.Close(); udp.Close(); file.Close(); abstract.Close(); unix.Close(leak) }, nil
}

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
