package exact

import (
	"context"
	"io"
	"os"

	"helve/engine/sandbox"
)

// A process is a server at work, with pipes to it.
type process struct {
	in    io.WriteCloser
	out   io.Reader
	close func() // ends it with all that it started, and returns when it is gone
}

// keptErrors is how much of its stderr is kept, in bytes: nobody reads more.
const keptErrors = 16 << 10

// ownCaches starts a program with caches in its private directory, which only the sandbox knows.
const ownCaches = `GOCACHE="$TMPDIR/go-build" GOPLSCACHE="$TMPDIR/gopls" XDG_CACHE_HOME="$TMPDIR/cache" ` +
	`XDG_CONFIG_HOME="$TMPDIR/config"; export GOCACHE GOPLSCACHE XDG_CACHE_HOME XDG_CONFIG_HOME; exec "$0" "$@"`

// launch starts a program in the sandbox.
func launch(o sandbox.Options, argv []string, dir string, env []string) (*process, error) {
	fromHere, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, toHere, err := os.Pipe()
	if err != nil {
		fromHere.Close()
		in.Close()
		return nil, err
	}
	p, _, err := sandbox.Start(context.Background(), o, sandbox.Spec{
		Argv: append([]string{"/bin/sh", "-c", ownCaches}, argv...),
		Dir:  dir,
		Env:  env,
		In:   fromHere,
		Out:  toHere,
		Keep: keptErrors,
	})
	if err != nil {
		for _, f := range []*os.File{fromHere, in, out, toHere} {
			f.Close() // Start may have closed two of them
		}
		return nil, err
	}
	return &process{in: in, out: out, close: func() {
		in.Close()
		p.Close()
		out.Close()
	}}, nil
}
