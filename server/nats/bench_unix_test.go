//go:build unix

package natsbus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/server/nats/broker"
	natspool "helve/source/nats"
	"helve/tool"
	"helve/wrap"
)

// startIdle starts a worker of these tools as a process of its own.
func startIdle(b *testing.B, url string, slots int) {
	startWorkerWith(b, url, "HELVE_TEST_IDLE=1", fmt.Sprintf("HELVE_TEST_SLOTS=%d", slots))
}

func benchBroker(b *testing.B) *broker.Broker {
	s, err := broker.Start(broker.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func localKit(b *testing.B) *tool.Kit {
	var reg tool.Registry
	if err := reg.Add(idleTools()...); err != nil {
		b.Fatal(err)
	}
	return reg.Kit(tool.KitOptions{Policy: allowAll{}, Wrap: wrap.Standard(wrap.Options{})})
}

func remoteKit(b *testing.B, workers, slots int) *tool.Kit {
	kit, _ := remote(b, workers, slots)
	return kit
}

// remote is a gateway's kit with so many workers, and the gateway's connection.
func remote(b *testing.B, workers, slots int) (*tool.Kit, *nats.Conn) {
	s := benchBroker(b)
	nc := connect(b, s.URL())
	p, err := natspool.Join(nc, natspool.Options{Pool: poolName, Workspace: workspaceName})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	for range workers {
		startIdle(b, s.URL(), slots)
	}
	wait(b, "the workers are known", func() bool { return len(p.Members()) == workers })
	kit := gatewayKit(b, p, tool.KitOptions{Policy: allowAll{}}, idleTools()...)
	mustCall(b, kit, "reads")
	return kit, nc
}

func mustCall(b *testing.B, k *tool.Kit, name string) { mustCallWith(b, k, name, `{}`) }

func mustCallWith(b *testing.B, k *tool.Kit, name, args string) {
	res, err := k.Call(context.Background(), &tool.Call{Name: name, Args: json.RawMessage(args)})
	if err != nil || res.Err != nil {
		b.Fatal(err, res)
	}
}

// BenchmarkOneCall is what one call takes, one after another: here, at a worker, and what the bus takes alone for two
// requests that nobody reads, which is the least that a call of two trips can take.
func BenchmarkOneCall(b *testing.B) {
	here := localKit(b)
	there, nc := remote(b, 1, 16)
	for _, name := range []string{"reads", "writes", "shows", "takes"} {
		args := `{}`
		if name == "takes" {
			args = `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
		}
		b.Run("here/"+name, func(b *testing.B) { each(b, func() { mustCallWith(b, here, name, args) }) })
		b.Run("worker/"+name, func(b *testing.B) { each(b, func() { mustCallWith(b, there, name, args) }) })
	}
	b.Run("bus", func(b *testing.B) {
		body := make([]byte, 300)
		each(b, func() {
			for range 2 {
				if _, err := nc.Request(bareSubject, body, time.Minute); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// each times what is done again and again, and says what half of it and all but a hundredth took.
func each(b *testing.B, do func()) {
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		do()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkBusy is how many calls a second of five milliseconds go through so many slots, here and at workers, with twice
// as many callers.
func BenchmarkBusy(b *testing.B) {
	const slots = 4
	for _, workers := range []int{1, 2, 4, 8} {
		for _, where := range []string{"here", "workers"} {
			b.Run(fmt.Sprintf("%dx%d/%s", workers, slots, where), func(b *testing.B) {
				kit, callers := localKit(b), workers*slots
				if where == "workers" {
					kit, callers = remoteKit(b, workers, slots), 2*workers*slots
				}
				b.ResetTimer()
				storm(b, kit, "sleeps", callers)
			})
		}
	}
}

// BenchmarkGateway is how many calls of tools that do nothing a gateway takes, and what of this machine it and the server
// take for each.
func BenchmarkGateway(b *testing.B) {
	for _, name := range []string{"reads", "writes"} {
		b.Run(name, func(b *testing.B) {
			kit := remoteKit(b, 2, 16)
			before := processorTime(b)
			b.ResetTimer()
			storm(b, kit, name, 32)
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "CPU-µs/op")
		})
	}
}

// storm makes b.N calls, so many at once.
func storm(b *testing.B, kit *tool.Kit, name string, callers int) {
	todo := make(chan struct{}, callers)
	began := time.Now()
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range todo {
				mustCall(b, kit, name)
			}
		})
	}
	for range b.N {
		todo <- struct{}{}
	}
	close(todo)
	all.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "calls/s")
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPack is what the bytes of a result cost, both ways.
func BenchmarkPack(b *testing.B) {
	r := tool.NewResult(tool.Image{MIME: "image/png", Data: bytes.Repeat([]byte("x"), 8<<20)})
	for _, how := range []string{"packed", "json"} {
		b.Run(how, func(b *testing.B) {
			for b.Loop() {
				if err := bothWays(r, how == "json"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// bothWays writes a result and reads it back.
func bothWays(r *tool.Result, asJSON bool) error {
	if asJSON {
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, &tool.Result{})
	}
	raw, err := tool.Pack(r)
	if err != nil {
		return err
	}
	_, err = tool.Unpack(raw)
	return err
}
