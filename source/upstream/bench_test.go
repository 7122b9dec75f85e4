package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/internal/rpc"
	"helve/tool"
)

// ten are ten servers, of which one is dead, one is mute and one never gets ready.
func ten(t testing.TB, cache string) []*Source {
	var out []*Source
	for i := range 10 {
		mode := "good"
		switch i {
		case 3:
			mode = "dead:x"
		case 5:
			mode = "mute"
		case 7:
			mode = "late:/nowhere"
		}
		c := stdioConfig(mode)
		if c.Name = fmt.Sprintf("s%d", i); i == 5 || i == 7 {
			c.StartTimeout = 3 * time.Second
		}
		out = append(out, newSource(t, c, Options{CacheDir: cache}))
	}
	return out
}

// Ten servers side by side: the seven good ones are usable as soon as each is ready, the bad ones cost their own deadline.
func TestBadServersCostTheOthersNothing(t *testing.T) {
	cache := t.TempDir()
	r := &tool.Registry{}
	defer r.Close()
	start := time.Now()
	var wg sync.WaitGroup
	for _, s := range ten(t, cache) {
		wg.Go(func() { r.Attach(t.Context(), s) })
	}
	soon(t, "seven tools are there", func() bool { return r.View().Len() == 7 })
	ready := time.Since(start)
	k := r.Kit(tool.KitOptions{Policy: allow{}})
	for i := range 10 {
		if i != 3 && i != 5 && i != 7 {
			if res := run(t, k, &tool.Call{Name: fmt.Sprintf("mcp__s%d__echo", i), Args: json.RawMessage(`{"text":"x"}`)}); res.Text() != "x" {
				t.Errorf("s%d: %v", i, res.Err)
			}
		}
	}
	used := time.Since(start)
	wg.Wait()
	t.Logf("seven were there after %v, all were called after %v, the last bad one was given up after %v", ready, used, time.Since(start))
	missing := 0
	for _, st := range r.Sources() {
		if st.Missing {
			missing++
			t.Log(st.Name, st.Err)
		}
	}
	if missing != 3 {
		t.Errorf("%d sources are missing, want 3", missing)
	}
}

// The list of the ten from what was remembered: the seven good ones come without being started, the mute and the slow one are not waited
// for again, the dead one is tried and dies.
func BenchmarkTheListOfTenServersFromCache(b *testing.B) {
	cache := b.TempDir()
	for i, s := range ten(b, cache) {
		switch i {
		case 3:
			continue
		case 5, 7:
			s.book().Try().Failed("it did not answer within 10s")
			continue
		}
		s.lists.common.memorize(&listing{Server: s.key, About: About{Protocol: rpc.Session}, Tools: []json.RawMessage{json.RawMessage(echoTool)}, At: time.Now()})
	}
	b.ReportAllocs()
	for b.Loop() {
		r := &tool.Registry{}
		var wg sync.WaitGroup
		for _, s := range ten(b, cache) {
			wg.Go(func() { r.Attach(b.Context(), s) })
		}
		wg.Wait()
		if r.View().Len() != 7 {
			b.Fatal(r.View().Len())
		}
		r.Close()
	}
}

func thousand() *listing {
	l := &listing{Server: "x", At: time.Now()}
	for i := range 1000 {
		l.Tools = append(l.Tools, fmt.Appendf(nil, `{"name":"tool_%d","title":"Tool %d","description":"Does the thing number %d, and does it well: first it looks, then it leaps.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"where it is"},"n":{"type":"integer","minimum":0},"tags":{"type":"array","items":{"type":"string"}}},"required":["path"]},"annotations":{"readOnlyHint":true}}`, i, i, i))
	}
	return l
}

// Our own time for a thousand tools: reading, guarding, pinning, naming, registering.
func BenchmarkDiscoveryOf1000Tools(b *testing.B) {
	for _, pinned := range []bool{false, true} {
		b.Run(fmt.Sprintf("pinned=%v", pinned), func(b *testing.B) {
			c := stdioConfig("good")
			o := Options{}
			if pinned {
				o.StateDir = b.TempDir()
			}
			s := newSource(b, c, o)
			l := thousand()
			s.lists.common.tools(l) // pins them
			b.ReportAllocs()
			for b.Loop() {
				r := &tool.Registry{}
				if err := r.Set("srv", s.lists.common.tools(l)); err != nil || r.View().Len() != 1000 {
					b.Fatal(err)
				}
			}
		})
	}
}

// One call through kit, source, pipe and server and back, and the share of a bare exchange of lines in it.
func BenchmarkACall(b *testing.B) {
	for _, size := range []int{20, 96 << 10} {
		args, _ := json.Marshal(map[string]string{"text": strings.Repeat("x", size)})
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			k := attached(b, newSource(b, stdioConfig("good"), Options{}))
			c := &tool.Call{Name: "mcp__srv__echo", Args: args}
			b.ReportAllocs()
			for b.Loop() {
				if res, err := k.Call(context.Background(), c); err != nil || res.Err != nil {
					b.Fatal(err, res.Err)
				}
			}
		})
		b.Run(fmt.Sprintf("%dB-bare", size), func(b *testing.B) {
			p, err := openStdio(plainLauncher{}, Command{Argv: []string{stdioConfig("").Command}, Env: []string{behaviour + "=good"}}, io.Discard)
			if err != nil {
				b.Fatal(err)
			}
			defer p.close()
			in, _ := p.proc.Pipe()
			line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":%s}}`+"\n", args)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := in.Write(line); err != nil {
					b.Fatal(err)
				}
				if _, err := p.out.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A result of 96 KB, and a bare exchange of the same.
func BenchmarkAResultOf96KB(b *testing.B) {
	b.Run("call", func(b *testing.B) {
		k := attached(b, newSource(b, stdioConfig("kb:96"), Options{}))
		b.ReportAllocs()
		for b.Loop() {
			if res, err := k.Call(context.Background(), &tool.Call{Name: "mcp__srv__echo"}); err != nil || res.Err != nil {
				b.Fatal(err, res.Err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		p, err := openStdio(plainLauncher{}, Command{Argv: []string{stdioConfig("").Command}, Env: []string{behaviour + "=kb:96"}}, io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		defer p.close()
		in, _ := p.proc.Pipe()
		line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}` + "\n")
		for b.Loop() {
			if _, err := in.Write(line); err != nil {
				b.Fatal(err)
			}
			if _, err := p.out.Next(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Sixteen calls in flight on one connection.
func BenchmarkCallsInFlight(b *testing.B) {
	k := attached(b, newSource(b, stdioConfig("good"), Options{}))
	b.SetParallelism(8)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		c := &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(`{"text":"x"}`)}
		for pb.Next() {
			if res, err := k.Call(context.Background(), c); err != nil || res.Err != nil {
				b.Error(err)
				return
			}
		}
	})
}
