package server_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"helve/server"
	"helve/tool"
)

// One call through the server, its pipes included. Bar: ≤ 50 µs small, ≤ 1 ms at 96 KB.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{10, 6 << 10, 96 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			srv := server.New(opener(registry(b, say("echo", tool.Read)), tool.KitOptions{}), server.Options{})
			defer srv.Close()
			w := dial(b, srv)
			w.initialize(`{}`)
			arg := strings.Repeat("line of text\\n", size/14+1)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"%s"}}}`, arg)
				if !w.out.Scan() {
					b.Fatal(io.ErrUnexpectedEOF)
				}
			}
		})
	}
}

// The list of a view is encoded once.
func BenchmarkList(b *testing.B) {
	var tools []tool.Tool
	for i := range 100 {
		tools = append(tools, say(fmt.Sprint("tool_", i), tool.Read))
	}
	srv := server.New(opener(registry(b, tools...), tool.KitOptions{}), server.Options{Expose: server.ExposeAll})
	defer srv.Close()
	w := dial(b, srv)
	w.initialize(`{}`)
	b.ReportAllocs()
	for b.Loop() {
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if !w.out.Scan() {
			b.Fatal(io.ErrUnexpectedEOF)
		}
	}
}
