package serve

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/tool"
)

type workerOptions struct {
	command.Common
	pool      string
	workspace string // its name on the bus; "": that of its folder
	slots     int
	ownTools  bool // the tools of its MCP servers and its discovery command are offered, too
	exclusive bool
	url       string // of the bus; "": the configuration's
}

// mostSlots is how many calls a worker may run at once.
const mostSlots = 1000

func WorkerCommand(c *command.Line) *cobra.Command {
	var o workerOptions
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Do the work of tools for helve serve --bus, here or on another machine",
		Long: `Do the work of tools for helve serve --bus, here or on another machine. The gateway decides what may run; this worker's
own rules can only deny more. It works in one workspace (-C) and takes the calls of gateways whose workspace has the
same name: that of the folder, or --workspace.

With --own-tools gateways whose configuration wants them (bus.pools.NAME.own_tools) have the tools of this worker's MCP
servers and discovery command, too.

Without a bus in the user's configuration it is that of a gateway on this machine. SIGTERM takes no new calls, lets those
that run come to their end, and ends.

Where the folders of two workers are not the same, --exclusive claims the workspace: a second worker waits until the first is
gone, and takes over then. SIGTERM hands the claim back, ten seconds without the bus end it.

Where bus.gateway_keys of the configuration names public keys, what no gateway signed with one of them is refused, whoever
owns the bus.`,
		Example: `  helve worker
  helve worker --pool build --slots 16 -C ~/src/project
  helve worker --bus tls://bus.example:4222 --workspace project -C ~/project`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return worker(cmd.Context(), c.Streams(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.pool, "pool", command.DefaultPool, "the name of the pool that the worker belongs to")
	f.StringVar(&o.workspace, "workspace", "", "the workspace's name on the bus (default: that of its folder)")
	f.IntVar(&o.slots, "slots", 8, "calls at once")
	f.BoolVar(&o.ownTools, "own-tools", false,
		"offer the tools of this worker's MCP servers and discovery command, too")
	f.BoolVar(&o.exclusive, "exclusive", false,
		"claim the workspace: wait until no other worker has, and have it alone")
	f.StringVar(&o.url, "bus", "",
		"where the bus is, as tls://HOST:PORT (default: the configuration's, else this machine's)")
	return cmd
}

// worker is a worker until it is interrupted or asked to end.
func worker(ctx context.Context, s command.Streams, o workerOptions) error {
	if o.slots < 1 || o.slots > mostSlots {
		return command.Usage("--slots %d: want 1 to %d", o.slots, mostSlots)
	}
	if o.pool == "" {
		return command.Usage("--pool: want a name")
	}
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	bus, err := o.BusOf(s, o.url)
	if err != nil {
		return err
	}
	telemetry, end := s.StartTelemetry(ctx, "helve-worker")
	defer end()
	open := func(ask tool.Asker, wrap func(tool.Runner) tool.Runner,
		pushed func() ([]byte, error)) (*workspace.Assembly, error) {
		opened, err := o.Options(s)
		if err != nil {
			return nil, err
		}
		opened.Worker, opened.Resident = true, true
		opened.Ask = ask
		opened.Layers.Pushed = pushed
		opened.Telemetry = telemetry
		opened.Wrap = append(opened.Wrap, wrap)
		ws, err := command.OpenWith(ctx, opened)
		if err == nil && o.ownTools {
			ws.Follow() // they are told of as they come
		}
		return ws, err
	}
	command.EndingOf(ctx).Allow(DrainTime + command.LastTime)
	err = s.Bus.Work(ctx, bus, command.BusWorker{
		Pool:      o.pool,
		Workspace: cmp.Or(o.workspace, filepath.Base(dir)),
		Slots:     o.slots,
		Exclusive: o.exclusive,
		Drain:     DrainTime,
		Log:       slog.New(command.Talk{Say: s.Say, Level: slog.LevelWarn}),
		Open:      open,
	})
	if err != nil {
		return command.Usage("worker: %v", err)
	}
	return nil
}
