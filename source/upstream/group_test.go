package upstream

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/tool"
)

// held are the calls that the server of mode "asks" has not answered.
var held []json.RawMessage

// asksOrTells is what the server of mode "asks" answers; "": nothing.
func asksOrTells(text string, id json.RawMessage, in *bufio.Reader) string {
	switch text {
	case "hold":
		held = append(held, id)
		say(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"held"}}`)
		return ""
	case "ask":
		say(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}`)
		line, _ := in.ReadBytes('\n')
		var back request
		json.Unmarshal(line, &back)
		for _, id := range held {
			answer(id, fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, os.Getpid()))
		}
		held = nil
		return fmt.Sprintf("%d %s", os.Getpid(), back.Result)
	}
	return fmt.Sprint(os.Getpid())
}

// A person is a client that can be asked, and says how often it was.
type person struct {
	*tool.Session
	mu    sync.Mutex
	asked int
}

func askable(principal, client, capabilities string) *person {
	p := &person{}
	p.Session = &tool.Session{
		Principal:    principal,
		Client:       client,
		Capabilities: json.RawMessage(capabilities),
		Back: func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
			if strings.HasPrefix(method, "notifications/") {
				return nil, nil
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			p.asked++
			return json.RawMessage(`{"action":"accept","content":{"by":"` + client + `"}}`), nil
		},
	}
	return p
}

func (p *person) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// says calls the tool of mode "asks".
func (p *person) says(t *testing.T, k *tool.Kit, text string) string {
	t.Helper()
	res := run(t, k, &tool.Call{Name: "echo", Session: p.Session, Args: json.RawMessage(`{"text":"` + text + `"}`)})
	if res.Err != nil {
		t.Fatalf("%s: %v", text, res.Err)
	}
	return res.Text()
}

const elicits = `{"elicitation":{}}`

// Conversations of one principal whose clients can be asked for the same share a process until the server asks. Its first
// question reaches the conversation whose call runs, which keeps the process; each other one has its own from then on.
func TestAServerThatAskedIsSplit(t *testing.T) {
	s := newSource(t, stdioConfig("asks"), Options{})
	k := attached(t, s)
	ann, ann2, ann3 := askable("ann", "one", elicits), askable("ann", "two", elicits), askable("ann", "three", elicits)
	bob, other := askable("bob", "one", elicits), askable("ann", "one", `{"elicitation":{},"roots":{}}`)
	for _, p := range []*person{ann, ann2, ann3, bob, other} {
		defer p.Close()
	}
	first := ann.says(t, k, "pid")
	if second := ann2.says(t, k, "pid"); second != first {
		t.Errorf("two conversations of one principal: processes %s and %s", first, second)
	}
	if pid := bob.says(t, k, "pid"); pid == first {
		t.Error("two principals share a process")
	}
	if pid := other.says(t, k, "pid"); pid == first {
		t.Error("clients share a process of which the server was told different things")
	}
	if got, want := ann2.says(t, k, "ask"), first+` {"action":"accept","content":{"by":"two"}}`; got != want {
		t.Errorf("the question of the only call: %s, want %s", got, want)
	}
	if n := ann.count() + ann3.count() + bob.count() + other.count(); n != 0 || ann2.count() != 1 {
		t.Errorf("%d others were asked", n)
	}
	if pid := ann2.says(t, k, "pid"); pid != first {
		t.Errorf("who was asked has process %s now, and had %s", pid, first)
	}
	own, own3 := ann.says(t, k, "pid"), ann3.says(t, k, "pid")
	if own == first || own3 == first || own == own3 {
		t.Errorf("after the question: processes %s, %s and %s", first, own, own3)
	}
	ann.says(t, k, "ask")
	if ann.count() != 1 || ann2.count() != 1 {
		t.Errorf("asked %d and %d times", ann.count(), ann2.count())
	}
}

// A question while calls of two conversations run is cancelled, and nobody is asked.
func TestAQuestionThatMayBeAnybodysIsNobodys(t *testing.T) {
	heard := make(chan bool, 1)
	s := newSource(t, stdioConfig("asks"), Options{Notify: func(_ string, _ *tool.Session, method string, _ json.RawMessage) {
		if method == "notifications/resources/updated" {
			select {
			case heard <- true:
			default:
			}
		}
	}})
	k := attached(t, s)
	a, b := askable("ann", "a", elicits), askable("ann", "b", elicits)
	defer a.Close()
	defer b.Close()
	waits := make(chan string, 1)
	go func() { waits <- a.says(t, k, "hold") }()
	<-heard
	got := b.says(t, k, "ask")
	pid := <-waits
	if got != pid+` {"action":"cancel"}` || a.count()+b.count() != 0 {
		t.Errorf("%s; a was asked %d times, b %d", got, a.count(), b.count())
	}
	if again := b.says(t, k, "ask"); !strings.Contains(again, `"by":"b"`) || strings.HasPrefix(again, pid) {
		t.Errorf("the next time: %s", again)
	}
}

// What a session follows over a connection that it shares is followed until nobody wants it any more.
func TestWhatAnotherFollowsIsFollowedOn(t *testing.T) {
	l := &link{by: &dialer{server: &server{}}}
	a, b := &tool.Session{}, &tool.Session{}
	l.follows(a, "x")
	l.follows(b, "x")
	if !l.unfollows(a, "x") || l.unfollows(b, "x") || len(l.followed) != 0 {
		t.Errorf("followed: %v", l.followed)
	}
}

// A client has so many processes of a server that is split; the one that has rested for longest makes room.
func TestTheProcessThatRestedLongestMakesRoom(t *testing.T) {
	cfg := stdioConfig("pid")
	cfg.Share = "never"
	s := newSource(t, cfg, Options{Processes: NewProcesses(2, 3)})
	k := attached(t, s)
	pids := func() int { return len(s.State().PIDs) }
	var all []*person
	talk := func(principal, client string) *person {
		p := askable(principal, client, `{}`)
		all = append(all, p)
		p.says(t, k, "x")
		return p
	}
	defer func() {
		for _, p := range all {
			p.Close()
		}
	}()
	first := talk("ann", "c")
	pid := first.says(t, k, "x")
	talk("ann", "c")
	talk("ann", "c")
	if n := pids(); n != 2 {
		t.Errorf("%d processes of one client, want 2", n)
	}
	if again := first.says(t, k, "x"); again == pid {
		t.Error("the oldest was not ended")
	}
	talk("ann", "d") // another client
	if n := pids(); n != 3 {
		t.Errorf("%d processes of two clients, want 3", n)
	}
	talk("bob", "c")
	if n := pids(); n != 3 {
		t.Errorf("%d processes in all, want 3", n)
	}
}

// A process that works is not ended for another: who has no room hears which bound it was.
func TestAProcessThatWorksIsNotEnded(t *testing.T) {
	cfg := stdioConfig("hang")
	cfg.Share, cfg.StartTimeout = "never", 5*time.Second
	s := newSource(t, cfg, Options{Processes: NewProcesses(1, 9)})
	k := attached(t, s)
	a, b := askable("ann", "c", `{}`), askable("ann", "c", `{}`)
	defer a.Close()
	defer b.Close()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		defer close(done)
		k.Call(ctx, &tool.Call{Name: "echo", Session: a.Session})
	}()
	soon(t, "the first works", func() bool { return len(s.State().PIDs) == 1 })
	res := run(t, k, &tool.Call{Name: "echo", Session: b.Session})
	if res.Err == nil || !strings.Contains(res.Text(), "limits.server_processes_per_client") {
		t.Errorf("%v", res.Err)
	}
	stop()
	<-done
}

// Who comes to a session that is over starts nothing.
func TestASessionThatIsOverStartsNothing(t *testing.T) {
	cfg := stdioConfig("pid")
	cfg.Share = "never"
	s := newSource(t, cfg, Options{})
	k := attached(t, s)
	p := askable("ann", "c", elicits)
	p.Close()
	if res := run(t, k, &tool.Call{Name: "echo", Session: p.Session}); res.Err == nil || len(s.State().PIDs) > 0 {
		t.Errorf("%v, processes %v", res.Err, s.State().PIDs)
	}
}

// A client that is gone for now has no process; what it calls then has one again.
func TestAClientThatLeftHasNoProcess(t *testing.T) {
	cfg := stdioConfig("pid")
	cfg.Share = "never"
	s := newSource(t, cfg, Options{})
	k := attached(t, s)
	p := askable("ann", "c", elicits)
	defer p.Close()
	pid := p.says(t, k, "x")
	s.Left(p.Session)
	if n := len(s.State().PIDs); n != 0 {
		t.Errorf("%d processes", n)
	}
	s.Returned(p.Session)
	if again := p.says(t, k, "x"); again == pid {
		t.Error("it has the process that was ended")
	}
}
