// Bench-run measures helve run with a model that answers at once: how long it takes from the start to the first
// request, beside helve serve's start → tools/list in the same rounds, and whether a turn's own time and the memory
// stay as they were in a conversation of thousands of turns with calls of tools, in which older messages are summed up
// again and again.
//
//	go run ./scripts/bench-run [-rounds 20] [-turns 3000] HELVE
//
// It fails where the first request takes longer than 150 ms, where the last tenth of the turns takes a fifth longer
// than the second, or where the memory grew by half since then. Three times the list are wanted: that is
// told alone, as a machine that does much else does not reach it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"
)

// What is wanted.
const (
	mostFirst  = 150 * time.Millisecond
	mostLists  = 3.0 // times helve serve's start → list
	mostGrowth = 1.2 // of a turn's own time
	mostMemory = 1.5
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench-run:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("bench-run", flag.ContinueOnError)
	rounds := f.Int("rounds", 20, "starts of each kind")
	turns := f.Int("turns", 3000, "prompts of the long conversation")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 || *rounds < 1 || *turns < 20 {
		return errors.New("want the program helve, at least one round and 20 turns")
	}
	work, err := os.MkdirTemp("", "bench-run-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	m := serveModel()
	defer m.http.Close()
	b := &bench{helve: f.Arg(0), work: work, model: m, out: out}
	var errs []error
	for _, files := range []int{300, 5000} {
		errs = append(errs, b.starts(ctx, files, *rounds))
	}
	return errors.Join(append(errs, b.long(ctx, *turns))...)
}

// A bench is what is measured, and where.
type bench struct {
	helve, work string
	model       *model
	out         io.Writer
}

// starts measures starts in a workspace of so many files, of the two in turn.
func (b *bench) starts(ctx context.Context, files, rounds int) error {
	dir, err := b.workspace(files)
	if err != nil {
		return err
	}
	var first, list []time.Duration
	for i := range rounds + 1 {
		asked, err := b.firstRequest(ctx, dir)
		if err != nil {
			return err
		}
		listed, err := b.firstList(ctx, dir)
		if err != nil {
			return err
		}
		if i > 0 { // the first one fills caches
			first, list = append(first, asked), append(list, listed)
		}
	}
	a, l := median(first), median(list)
	times := float64(a) / float64(l)
	const told = "%4d files: start → first request %5.1f ms (%.1f to %.1f), " +
		"helve serve start → list %5.1f ms: %.2f times\n"
	fmt.Fprintf(b.out, told, files, ms(a), ms(slices.Min(first)), ms(slices.Max(first)), ms(l), times)
	if times > mostLists {
		fmt.Fprintf(b.out, "that is more than the %.0f times that are wanted\n", mostLists)
	}
	if a > mostFirst {
		return fmt.Errorf("%d files: the first request took %v; want %v at most", files, a, mostFirst)
	}
	return nil
}

// long measures a long conversation.
func (b *bench) long(ctx context.Context, turns int) error {
	dir, err := b.workspace(300)
	if err != nil {
		return err
	}
	c, err := b.converse(ctx, dir)
	if err != nil {
		return err
	}
	defer c.end()
	var times []time.Duration
	var memory []int64
	tenth := turns / 10
	for n := range tenth * 10 {
		took, err := c.turn(n)
		if err != nil {
			return fmt.Errorf("turn %d: %w", n, err)
		}
		times = append(times, took)
		if (n+1)%tenth == 0 {
			rss := c.memory()
			memory = append(memory, rss)
			part := times[n+1-tenth:]
			fmt.Fprintf(b.out, "turns %5d to %5d: median %5.1f ms, mean %5.1f ms, %4d MB, %d summaries\n",
				n+2-tenth, n+1, ms(median(part)), ms(mean(part)), rss>>20, b.model.summaries.Load())
		}
	}
	if b.model.summaries.Load() < 10 {
		return errors.New("older messages were not summed up in each tenth: it was no long conversation")
	}
	// The first tenth begins with an empty conversation: the second is the first one like all others.
	early, late := mean(times[tenth:2*tenth]), mean(times[9*tenth:])
	growth, more := float64(late)/float64(early), float64(memory[9])/float64(memory[1])
	fmt.Fprintf(b.out, "the last tenth beside the second: a turn's own time %.2f, the memory %.2f\n", growth, more)
	if growth > mostGrowth || more > mostMemory {
		const grows = "a turn takes %.2f times as long, and the memory is %.2f; want %.1f and %.1f"
		return fmt.Errorf(grows, growth, more, mostGrowth, mostMemory)
	}
	return nil
}

func median(list []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

func mean(list []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range list {
		sum += d
	}
	return sum / time.Duration(len(list))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
