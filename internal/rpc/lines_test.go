package rpc

import (
	"bufio"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// A side that does not read for a while holds up no sender for long, and gets every byte in the end.
func TestASenderDoesNotWaitForASideThatReadsLater(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l := NewLineWriter(w, time.Minute)
	defer l.Close()
	long := strings.Repeat("x", 256<<10) // more than a pipe holds
	for _, method := range []string{long, "second", "third"} {
		if err := l.Send(context.Background(), &Message{Method: method}); err != nil {
			t.Fatal(err)
		}
	}
	in := bufio.NewReader(r)
	for _, method := range []string{long, "second", "third"} {
		line, err := in.ReadString('\n')
		if err != nil || line != `{"jsonrpc":"2.0","method":"`+method+"\"}\n" {
			t.Fatalf("%d bytes, %v; want the message %.10s", len(line), err, method)
		}
	}
	if err := l.Send(context.Background(), &Message{Method: "fourth"}); err != nil {
		t.Fatal(err)
	}
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "fourth") {
		t.Errorf("%q, %v", line, err)
	}
}

// A side that reads nothing for longer than the bound is told to be gone.
func TestASideThatNeverReadsBreaksTheWriter(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l := NewLineWriter(w, 2*patience)
	defer l.Close()
	err = l.Send(context.Background(), &Message{Method: strings.Repeat("x", 256<<10)})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-l.Broken():
	case <-time.After(time.Minute):
		t.Fatal("it is not broken after a minute")
	}
	if err := l.Send(context.Background(), &Message{Method: "x"}); err == nil {
		t.Error("a broken writer took a message")
	}
}
