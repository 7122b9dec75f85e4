package exact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"helve/engine/code"
)

// A fake is a server in memory. It greets, and then does what behave says for each question.
type fake struct {
	behave func(f *fakeConn, m *message)
	greet  func(f *fakeConn, m *message) // nil: as a server does
	starts atomic.Int32
	ends   atomic.Int32
}

// fakeConn is one start of it.
type fakeConn struct {
	root string
	out  io.Writer
	stop func() // as if it had crashed

	mu   sync.Mutex
	seen []string // methods, in their order
}

func (f *fakeConn) raw(text string) { io.WriteString(f.out, text) }

func (f *fakeConn) send(m string) { f.raw(string(frame([]byte(m)))) }

func (f *fakeConn) result(m *message, result string) {
	f.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

// defined answers with a place.
func (f *fakeConn) defined(m *message, path string, line, column int) {
	f.result(m, fmt.Sprintf(`{"uri":%q,"range":{"start":{"line":%d,"character":%d}}}`, fileURI(path), line, column))
}

func (f *fake) start(*server) (*process, error) {
	f.starts.Add(1)
	hereIn, in := io.Pipe()
	out, hereOut := io.Pipe()
	var done sync.WaitGroup
	stop := func() { hereIn.Close(); hereOut.Close() }
	c := &fakeConn{out: hereOut, stop: stop}
	done.Go(func() {
		r := bufio.NewReader(hereIn)
		for {
			data, err := readFrame(r)
			if err != nil {
				return
			}
			m := &message{}
			if json.Unmarshal(data, m) != nil {
				return
			}
			c.mu.Lock()
			c.seen = append(c.seen, m.Method)
			c.mu.Unlock()
			switch {
			case m.Method == "initialize" && f.greet != nil:
				f.greet(c, m)
			case m.Method == "initialize":
				var p struct {
					RootURI string `json:"rootUri"`
				}
				json.Unmarshal(m.Params, &p)
				c.root = filePath(p.RootURI)
				c.result(m, `{"capabilities":{}}`)
			case m.Method == "textDocument/definition":
				f.behave(c, m)
			}
		}
	})
	return &process{in: in, out: out, close: func() {
		stop()
		in.Close()
		out.Close()
		done.Wait()
		f.ends.Add(1)
	}}, nil
}

// gates are two classes of Python with a method of one name, and a caller of which nobody knows.
var gates = map[string]string{
	"gate.py": "class Gate:\n    def unlock(self): pass\n",
	"safe.py": "class Safe:\n    def unlock(self): pass\n",
	"use.py":  "def go(a):\n    a.unlock()\n",
}

const bothGates = "use.py#go ambiguous(2)"

func ask(t *testing.T, f *fake, o Options) (*Checker, *code.Index) {
	t.Helper()
	o.start = f.start
	o.list = []server{{program: "fake", languages: []code.Language{code.Python}, settings: `{"a":1}`}}
	_, c, x := workspace(t, o, gates)
	return c, x
}

func TestAServerIsStartedOnceWhenItIsNeededAndEndedAtTheEnd(t *testing.T) {
	f := &fake{behave: func(c *fakeConn, m *message) { c.defined(m, c.root+"/gate.py", 1, 8) }}
	c, x := ask(t, f, Options{})
	if users(t, x, "gate.py#Gate"); f.starts.Load() != 0 {
		t.Error("it was started for a question that leaves nothing open")
	}
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	eventually(t, x, "Safe.unlock", "")
	if f.starts.Load() != 1 || f.ends.Load() != 0 {
		t.Errorf("%d starts, %d ends", f.starts.Load(), f.ends.Load())
	}
	c.Close()
	c.Close()
	if f.ends.Load() != 1 {
		t.Error("it goes on after Close")
	}
	if got := users(t, x, "Safe.unlock"); got != bothGates || f.starts.Load() != 1 {
		t.Errorf("after Close: %s, %d starts", got, f.starts.Load())
	}
}

func TestAServerWithoutQuestionsIsEnded(t *testing.T) {
	f := &fake{behave: func(c *fakeConn, m *message) { c.defined(m, c.root+"/gate.py", 1, 8) }}
	_, x := ask(t, f, Options{Idle: time.Millisecond})
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	for end := time.Now().Add(patience); f.ends.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it still runs")
		}
	}
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	if f.starts.Load() < 2 {
		t.Error("it was not started again")
	}
}

// TestAServerThatFailsChangesNoAnswerAndIsLeftAlone: three failures are enough.
func TestAServerThatFailsChangesNoAnswerAndIsLeftAlone(t *testing.T) {
	garbage := func(text string) func(*fakeConn, *message) {
		return func(c *fakeConn, _ *message) { c.raw(text) }
	}
	for name, f := range map[string]*fake{
		"crashes":             {behave: func(c *fakeConn, _ *message) { c.stop() }},
		"crashes at once":     {greet: func(c *fakeConn, _ *message) { c.stop() }},
		"refuses to start":    {greet: func(c *fakeConn, m *message) { c.send(`{"id":1,"error":{"code":1,"message":"no"}}`) }},
		"writes words":        {behave: garbage("panic: no more\n\n")},
		"a length of words":   {behave: garbage("Content-Length: many\r\n\r\n{}")},
		"a length of 1 TB":    {behave: garbage("Content-Length: 1099511627776\r\n\r\n{}")},
		"a negative length":   {behave: garbage("Content-Length: -1\r\n\r\n{}")},
		"no JSON":             {behave: garbage("Content-Length: 4\r\n\r\nnone")},
		"deep JSON":           {behave: func(c *fakeConn, _ *message) { c.send(strings.Repeat("[", 1<<20)) }},
		"endless headers":     {behave: garbage(strings.Repeat("X: 1\r\n", 100))},
		"a header of 64 kB":   {behave: garbage(strings.Repeat("x", 64<<10))},
		"a message cut short": {behave: func(c *fakeConn, _ *message) { c.raw("Content-Length: 10\r\n\r\n{"); c.stop() }},
		"floods": {behave: func(c *fakeConn, _ *message) {
			noise := frame([]byte(`{"method":"window/logMessage","params":"` + strings.Repeat("x", 1<<20) + `"}`))
			for range 40 {
				if _, err := c.out.Write(noise); err != nil {
					return
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told atomic.Int32
			_, x := ask(t, f, Options{Notice: func(string, error) { told.Add(1) }})
			for after, end := 0, time.Now().Add(3*patience); after < 2 && time.Now().Before(end); { // a slow machine floods slowly
				if told.Load() > 0 {
					after++
				}
				if got := users(t, x, "Gate.unlock"); got != bothGates {
					t.Fatalf("users %s, want %s", got, bothGates)
				}
			}
			if f.starts.Load() != maxFailures || f.ends.Load() != maxFailures || told.Load() != 1 {
				t.Errorf("%d starts, %d ends, told %d times", f.starts.Load(), f.ends.Load(), told.Load())
			}
		})
	}
}

func TestAServerThatHangsChangesNoAnswerAndIsEnded(t *testing.T) {
	f := &fake{behave: func(*fakeConn, *message) {}}
	c, x := ask(t, f, Options{})
	if got := users(t, x, "Gate.unlock"); got != bothGates {
		t.Errorf("users %s, want %s", got, bothGates)
	}
	c.servers[0].silent = maxSilent - 1
	for end := time.Now().Add(patience); f.ends.Load() == 0; { // a question whose time is over before the server began does not count
		if time.Now().After(end) {
			t.Fatal("it still runs")
		}
		users(t, x, "Gate.unlock")
	}
}

// TestAServerThatLiesIsNotBelieved: what it says of places that do not exist changes nothing.
func TestAServerThatLiesIsNotBelieved(t *testing.T) {
	for name, lie := range map[string]func(c *fakeConn, m *message){
		"nothing":           func(c *fakeConn, m *message) { c.result(m, `null`) },
		"no places":         func(c *fakeConn, m *message) { c.result(m, `[]`) },
		"an error":          func(c *fakeConn, m *message) { c.send(`{"id":` + string(m.ID) + `,"error":{"code":1,"message":"no"}}`) },
		"a word":            func(c *fakeConn, m *message) { c.result(m, `"gate.py"`) },
		"no address":        func(c *fakeConn, m *message) { c.result(m, `[{"uri":"gate.py"}]`) },
		"the network":       func(c *fakeConn, m *message) { c.result(m, `[{"uri":"http://localhost/gate.py"}]`) },
		"another host":      func(c *fakeConn, m *message) { c.result(m, `[{"uri":"file://there/gate.py"}]`) },
		"a way out and in":  func(c *fakeConn, m *message) { c.defined(m, c.root+"/../"+"gone/gate.py/../../x/../gate.py", 1, 8) },
		"behind the end":    func(c *fakeConn, m *message) { c.defined(m, c.root+"/gate.py", 1<<40, 8) },
		"a negative line":   func(c *fakeConn, m *message) { c.defined(m, c.root+"/gate.py", -1, -8) },
		"another name":      func(c *fakeConn, m *message) { c.defined(m, c.root+"/gate.py", 0, 6) },
		"the use itself":    func(c *fakeConn, m *message) { c.defined(m, c.root+"/use.py", 1, 6) },
		"a thousand places": func(c *fakeConn, m *message) { c.result(m, "["+strings.Repeat(`{"uri":"file:///x"},`, 1000)+`{}]`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answered := make(chan bool, 100)
			_, x := ask(t, &fake{behave: func(c *fakeConn, m *message) { lie(c, m); answered <- true }}, Options{})
			for asked, end := 0, time.Now().Add(patience); asked < 2; { // the first questions may be over before it began
				if time.Now().After(end) {
					t.Fatal("it was not asked")
				}
				if len(answered) > 0 {
					asked++
				}
				if got := users(t, x, "Gate.unlock"); name != "a way out and in" && got != bothGates {
					t.Errorf("users %q, want %s", got, bothGates)
				}
			}
		})
	}
}

// TestAServerThatAnswersForAnotherVersionIsNotBelieved: it goes on saying where the name was before the file changed.
func TestAServerThatAnswersForAnotherVersionIsNotBelieved(t *testing.T) {
	f := &fake{behave: func(c *fakeConn, m *message) { c.defined(m, c.root+"/gate.py", 1, 8) }}
	o := Options{start: f.start, list: []server{{program: "fake", languages: []code.Language{code.Python}, settings: `{}`}}}
	dir, _, x := workspace(t, o, gates)
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	write(t, dir, "gate.py", "# first\n"+gates["gate.py"])
	eventually(t, x, "Gate.unlock", bothGates)
	write(t, dir, "gate.py", gates["gate.py"])
	eventually(t, x, "Gate.unlock", "use.py#go checked")
}

func TestAServerMayAskAndReport(t *testing.T) {
	said := make(chan string, 10)
	f := &fake{behave: func(c *fakeConn, m *message) {
		c.send(`{"method":"textDocument/publishDiagnostics","params":{}}`)
		c.send(`{"id":"who","method":"workspace/configuration","params":{"items":[{"section":"a"},{"section":"b"}]}}`)
		c.send(`{"id":7,"method":"client/registerCapability","params":{}}`)
		c.send(`{"id":99,"result":"for nobody"}`)
		c.defined(m, c.root+"/gate.py", 1, 8)
	}}
	start := f.start
	o := Options{}
	o.list = []server{{program: "fake", languages: []code.Language{code.Python}, settings: `{"a":1}`}}
	o.start = func(s *server) (*process, error) {
		p, err := start(s)
		p.in = listening{p.in, said}
		return p, err
	}
	_, _, x := workspace(t, o, gates)
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	for _, want := range []string{`{"jsonrpc":"2.0","id":"who","result":[{"a":1},{"a":1}]}`, `{"jsonrpc":"2.0","id":7,"result":null}`} {
		select {
		case got := <-said:
			if got != want {
				t.Errorf("answered %s, want %s", got, want)
			}
		case <-time.After(patience):
			t.Errorf("no answer, want %s", want)
		}
	}
}

// listening tells what answers are written.
type listening struct {
	io.WriteCloser
	said chan string
}

func (l listening) Write(b []byte) (int, error) {
	_, text, _ := bytes.Cut(b, []byte("\r\n\r\n"))
	if bytes.Contains(text, []byte(`"result"`)) {
		l.said <- string(text)
	}
	return l.WriteCloser.Write(b)
}

// TestAServerAnswersForTheTextThatIsAskedAbout: it is given that text, and told what changed.
func TestAServerAnswersForTheTextThatIsAskedAbout(t *testing.T) {
	texts := make(chan string, 100)
	f := &fake{behave: func(c *fakeConn, m *message) {
		c.mu.Lock()
		texts <- strings.Join(c.seen, " ")
		c.seen = nil
		c.mu.Unlock()
		c.defined(m, c.root+"/gate.py", 1, 8)
	}}
	o := Options{start: f.start, list: []server{{program: "fake", languages: []code.Language{code.Python}, settings: `{}`}}}
	dir, _, x := workspace(t, o, gates)
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	write(t, dir, "use.py", "# first\n"+gates["use.py"])
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	users(t, x, "Gate.unlock")
	for _, want := range []string{
		"initialize initialized textDocument/didOpen textDocument/definition",
		"textDocument/didClose workspace/didChangeWatchedFiles textDocument/didOpen textDocument/definition",
		"textDocument/definition",
	} {
		if got := <-texts; got != want {
			t.Errorf("said %s, want %s", got, want)
		}
	}
}

func TestQuestionsOfManyAreAnsweredOneAfterTheOther(t *testing.T) {
	f := &fake{behave: func(c *fakeConn, m *message) { c.defined(m, c.root+"/gate.py", 1, 8) }}
	_, x := ask(t, f, Options{})
	eventually(t, x, "Gate.unlock", "use.py#go checked")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { eventually(t, x, "Gate.unlock", "use.py#go checked") })
	}
	all.Wait()
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("content-length:2\r\nContent-Type: x\r\n\r\n{}Content-Length: 0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(data), headerBytes)
		for {
			m, err := readFrame(r)
			if err != nil {
				return
			}
			if len(m) > len(data) {
				t.Fatalf("%d bytes of %d", len(m), len(data))
			}
			again, err := readFrame(bufio.NewReader(bytes.NewReader(frame(m))))
			if err != nil || !bytes.Equal(again, m) {
				t.Fatalf("%q is read as %q, %v", m, again, err)
			}
		}
	})
}
