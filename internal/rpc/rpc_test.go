package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAMessageIsSplitAndNothingInItChanges(t *testing.T) {
	m, bad := Parse([]byte(` { "params" : {"b":1.0, "a":[]} ,"id": "x","method":"tools/list", "jsonrpc":"2.0","extra":1}`))
	want := &Message{ID: json.RawMessage(`"x"`), Method: "tools/list", Params: json.RawMessage(`{"b":1.0, "a":[]}`)}
	if d := cmp.Diff(want, m); d != "" || bad != nil {
		t.Error(d, bad)
	}
}

// Who must keep the rules is told what is wrong, under the id if there is one; who need not is understood as far as that goes.
func TestStrictAndLooseReadersDifferInWhatTheyPassOver(t *testing.T) {
	for line, want := range map[string]struct {
		code  int // of the strict reader; 0: it takes it
		id    string
		loose bool
	}{
		``:                                {CodeParse, "", false},
		`1`:                               {CodeInvalidRequest, "", false},
		`[]`:                              {CodeInvalidRequest, "", false},
		`{"id":1`:                         {CodeParse, "", false},
		`{"jsonrpc":"2.0","id":1,"id":2}`: {CodeInvalidRequest, "", false},
		`{"jsonrpc":"1.0","id":1}`:        {CodeInvalidRequest, "1", false},
		`{"jsonrpc":"2.0"}`:               {CodeInvalidRequest, "", false},
		`{"jsonrpc":"2.0","id":7}`:        {CodeInvalidRequest, "7", true},
		`{"jsonrpc":"2.0","id":1.5}`:      {CodeInvalidRequest, "null", true},
		`{"jsonrpc":"2.0","id":"a","result":{},"error":null}`:  {0, `"a"`, true},
		`{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`:    {CodeInvalidRequest, "1", true},
		`{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}`:   {CodeInvalidParams, "1", true},
		`{"jsonrpc":"2.0","id":1,"method":"m","params":null}`:  {0, "1", true},
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xffb\"}": {CodeParse, "", true},
	} {
		m, bad := Parse([]byte(line))
		code, id := 0, ""
		if bad != nil {
			code = bad.Code
		}
		if m != nil {
			id = string(m.ID)
		}
		if code != want.code || id != want.id {
			t.Errorf("%s: code %d, id %s; want %d, %s", line, code, id, want.code, want.id)
		}
		if got := ParseLoosely([]byte(line)) != nil; got != want.loose {
			t.Errorf("%s: read loosely %v, want %v", line, got, want.loose)
		}
	}
}

func TestWhatIsWrittenIsOneLine(t *testing.T) {
	params := json.RawMessage("{\n\"a\": \"\\n\"\r\n}")
	one := json.RawMessage("1")
	for _, c := range []struct {
		m    Message
		want string
	}{
		{Message{Method: "n", Params: params}, `{"jsonrpc":"2.0","method":"n","params":{ "a": "\n"  }}`},
		{Message{ID: one, Method: "n"}, `{"jsonrpc":"2.0","id":1,"method":"n"}`},
		{Message{ID: json.RawMessage(`"x"`), Result: params}, `{"jsonrpc":"2.0","id":"x","result":{ "a": "\n"  }}`},
		{Message{ID: one}, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{Message{Err: &Error{Code: 1}}, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`},
		{Message{ID: one, Err: &Error{Code: 1, Data: json.RawMessage("{")}}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`},
	} {
		if got := string(c.m.Encode()); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// joined connects two peers by pipes, each with a handler.
func joined(t *testing.T, a, b Handler) (*Peer, *Peer) {
	t.Helper()
	left := func(h Handler, in io.Reader, out io.Writer) *Peer {
		w := NewLineWriter(out, 0)
		p := NewPeer(h, Options{Requests: 4, Calls: 4, Out: w})
		go func() {
			lines := NewLineReader(in, 1<<20)
			for {
				line, err := lines.Next()
				if err != nil {
					p.End(err)
					return
				}
				if m := ParseLoosely(line); m != nil {
					p.Receive(m, w)
				}
			}
		}()
		return p
	}
	inA, outB := io.Pipe()
	inB, outA := io.Pipe()
	pa, pb := left(a, inA, outA), left(b, inB, outB)
	t.Cleanup(func() {
		outA.Close()
		outB.Close()
		pa.Wait()
		pb.Wait()
	})
	return pa, pb
}

// A handler of tests serves every request by one function.
type served struct {
	serve  func(ctx context.Context, r *Request) (json.RawMessage, error)
	notice func(method string)
}

type servedOne struct {
	h served
	r *Request
}

func (h served) Accept(r *Request) (Service, *Error) { return servedOne{h, r}, nil }
func (h served) Notice(method string, _ json.RawMessage) {
	if h.notice != nil {
		h.notice(method)
	}
}
func (s servedOne) Serve(ctx context.Context) (Answer, error) {
	res, err := s.h.serve(ctx, s.r)
	return Answer{Result: res}, err
}

// A call goes out, progress comes on the way, the answer at the end; an error keeps its code.
func TestACallHasProgressAndOneAnswer(t *testing.T) {
	var far *Peer
	echo := served{serve: func(ctx context.Context, r *Request) (json.RawMessage, error) {
		if r.Method == "fails" {
			return nil, &Error{Code: 17, Message: "no", Data: json.RawMessage(`[1]`)}
		}
		far.Tell(ctx, r.Out, NoticeProgress, json.RawMessage(`{"progressToken":`+string(r.ID)+`,"progress":3,"message":"half"}`))
		return r.Params, nil
	}}
	near, p := joined(t, served{}, echo)
	far = p
	var told Progress
	res, err := near.Call(t.Context(), &Call{Method: "echo", Params: json.RawMessage(`{"a":1}`), Progress: func(p Progress) { told = p }})
	if string(res) != `{"a":1}` || err != nil || told.Done != 3 || told.Message != "half" {
		t.Errorf("%s, %v, %+v", res, err, told)
	}
	_, err = near.Call(t.Context(), &Call{Method: "fails"})
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != 17 || string(e.Data) != `[1]` {
		t.Errorf("%v", err)
	}
}

// Who no longer waits says so, and the other side stops; what it answers then goes nowhere.
func TestACallThatNobodyWaitsForIsCancelledThere(t *testing.T) {
	started, stopped := make(chan struct{}), make(chan struct{})
	near, _ := joined(t, served{}, served{serve: func(ctx context.Context, _ *Request) (json.RawMessage, error) {
		close(started)
		<-ctx.Done()
		close(stopped)
		return nil, ctx.Err()
	}})
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-started; stop() }()
	if _, err := near.Call(ctx, &Call{Method: "slow"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-stopped
}

// The end of a connection fails the calls under way, and says that they may have run.
func TestTheEndOfAConnectionFailsItsCalls(t *testing.T) {
	started := make(chan struct{})
	near, far := joined(t, served{}, served{serve: func(ctx context.Context, _ *Request) (json.RawMessage, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	go func() {
		<-started
		near.End(io.ErrUnexpectedEOF)
		far.End(io.EOF)
	}()
	_, err := near.Call(t.Context(), &Call{Method: "slow"})
	if !errors.Is(err, ErrBroken) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if _, err := near.Call(t.Context(), &Call{Method: "late"}); err == nil || errors.Is(err, ErrBroken) {
		t.Errorf("a call after the end: %v", err)
	}
}

// More requests than the bound, and an id that is in use, are refused; what runs is not disturbed. A panic ends its request only.
func TestRequestsAreBoundedAndApart(t *testing.T) {
	release := make(chan struct{})
	p := NewPeer(served{serve: func(_ context.Context, r *Request) (json.RawMessage, error) {
		if r.Method == "panics" {
			panic("a bug")
		}
		<-release
		return nil, nil
	}}, Options{Requests: 2})
	answers := make(chan string, 8)
	out := outFunc(func(m *Message) { answers <- string(m.Encode()) })
	for _, id := range []string{"1", "1", "2", "3"} {
		p.Receive(&Message{ID: json.RawMessage(id), Method: "waits"}, out)
	}
	for _, want := range []string{"the id 1 is in use", "too many requests"} {
		if got := <-answers; !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	close(release)
	<-answers
	<-answers
	p.Receive(&Message{ID: json.RawMessage("4"), Method: "panics"}, out)
	if got := <-answers; !strings.Contains(got, "internal error: a bug") {
		t.Error(got)
	}
	p.End(io.EOF)
	p.Wait()
}

type outFunc func(*Message)

func (f outFunc) Send(_ context.Context, m *Message) error   { f(m); return nil }
func (f outFunc) Answer(_ context.Context, m *Message) error { f(m); return nil }

func TestALineThatIsTooLongIsSkipped(t *testing.T) {
	l := NewLineReader(strings.NewReader("\n  a  \r\n"+strings.Repeat("x", 200_000)+"\nb\n\nlast"), 100_000)
	var got []string
	for {
		line, err := l.Next()
		if errors.Is(err, ErrLong) {
			got = append(got, "long")
			err = l.Skip()
		} else if err == nil {
			got = append(got, string(line))
		}
		if err != nil {
			break
		}
	}
	if d := cmp.Diff([]string{"a", "long", "b", "last"}, got); d != "" {
		t.Error(d)
	}
}

func TestEventsComeBackAsTheyWereWritten(t *testing.T) {
	var b bytes.Buffer
	b.Write(AppendOpening(nil, "1-0", 500*time.Millisecond))
	b.Write(AppendEvent(nil, "1-1", []byte(`{"a":1}`)))
	b.WriteString(": alive\n\ndata: x\ndata: y\nevent: endpoint\nretry: 999999999\n\n")
	b.Write(AppendEvent(nil, "", []byte(`{}`)))
	var got []Event
	err := ReadEvents(&b, 1000, func(e Event) bool { got = append(got, e); return true })
	want := []Event{
		{ID: "1-0", Retry: 500 * time.Millisecond},
		{ID: "1-1", Name: "message", Data: []byte(`{"a":1}`)},
		{Name: "endpoint", Retry: time.Minute, Data: []byte("x\ny")},
		{Name: "message", Data: []byte("{}")},
	}
	if d := cmp.Diff(want, got); d != "" || !errors.Is(err, io.EOF) {
		t.Error(d, err)
	}
	if err := ReadEvents(strings.NewReader("data: "+strings.Repeat("x", 100)+"\n"), 50, nil); !errors.Is(err, ErrLong) {
		t.Error(err)
	}
}

func TestHeadersHoldAnyText(t *testing.T) {
	for _, s := range []string{"plain", " spaces ", "käse", "a\nb", "=?base64?eA==?=", ""} {
		quoted, _ := json.Marshal(s)
		h, ok := EncodeHeader(quoted)
		got, fine := DecodeHeader(h)
		if !ok || !fine || got != s || strings.ContainsAny(h, "\n") {
			t.Errorf("%q: header %q, back %q", s, h, got)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"read","arguments":{"file_path":"a.go"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzParse holds the reader against encoding/json: what one takes for a member, the other does, and what is split can be put together.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`, `{"jsonrpc":"2.0","id":"a","result":[1,{}]}`,
		`{"i\u0064":1,"jsonrpc":"2.0"}`, `{"ID":1}`, `{"jsonrpc":"2.0","id":1,"error":null}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		m := ParseLoosely([]byte(line))
		if strict, bad := Parse([]byte(line)); bad == nil && m == nil {
			t.Fatalf("%q: the strict reader takes it, the loose one does not: %+v", line, strict)
		}
		if m == nil || !json.Valid([]byte(line)) {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatalf("%q is split and is none: %v", line, err)
		}
		for key, got := range map[string]json.RawMessage{"id": m.ID, "params": m.Params, "result": m.Result} {
			if string(got) != string(want[key]) {
				t.Errorf("%q: %s is %s, want %s", line, key, got, want[key])
			}
		}
		if m.ID != nil && !json.Valid(m.Encode()) {
			t.Errorf("%q: what is put together is no JSON: %s", line, m.Encode())
		}
	})
}
