package upstream

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/tool"
	"helve/tooltest"
)

func TestAServersToolsAreListedAndCalledByEverySpelling(t *testing.T) {
	k := attached(t, newSource(t, stdioConfig("good"), Options{}))
	for _, name := range []string{"mcp__srv__echo", "mcp__srv/echo", "srv__echo", "srv/echo", "srv.echo", "mcp_srv_echo", "echo", "functions.mcp__srv__echo"} {
		res := run(t, k, &tool.Call{Name: name, Args: json.RawMessage(`{"text":"hi"}`)})
		if res.Err != nil || res.Text() != "hi" {
			t.Errorf("%s: %q, %v", name, res.Text(), res.Err)
		}
	}
}

func TestASourceKeepsThePromises(t *testing.T) {
	tooltest.CheckSource(t, newSource(t, stdioConfig("good"), Options{StateDir: t.TempDir(), CacheDir: t.TempDir()}))
}

func TestAToolKeepsThePromises(t *testing.T) {
	s := newSource(t, stdioConfig("good"), Options{})
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if res := say1(t, attached(t, newSource(t, stdioConfig("good"), Options{})), "up"); res.Err != nil {
		t.Fatal(res.Err)
	}
	tooltest.Check(t, tools[0], &tool.Call{Args: json.RawMessage(`{"text":"x"}`)})
}

// R1.14, R1.16: the title, the definition as the server sent it, its own name in calls.
func TestADefinitionIsPassedOnByteForByte(t *testing.T) {
	s := newSource(t, stdioConfig("good"), Options{})
	tools, err := s.Tools(t.Context())
	if err != nil || len(tools) != 1 {
		t.Fatal(tools, err)
	}
	sp := tools[0].Spec()
	if string(sp.Wire) != echoTool {
		t.Errorf("wire %s\nwant %s", sp.Wire, echoTool)
	}
	if sp.Title != "echo (srv MCP Server)" || sp.Origin != (tool.Origin{Kind: tool.MCP, Server: "srv", Name: "echo"}) {
		t.Errorf("%q, %+v", sp.Title, sp.Origin)
	}
	if sp.ReadOnly {
		t.Error("a hint of a server that nobody trusts made its tool read-only (⚑19)")
	}
}

func TestAllPagesAreRead(t *testing.T) {
	for mode, want := range map[string]int{"pages": 5, "cursor": 1, "endless": 0} {
		s := newSource(t, stdioConfig(mode), Options{})
		tools, err := s.Tools(t.Context())
		if err != nil || len(tools) != want {
			t.Errorf("%s: %d tools, %v, want %d", mode, len(tools), err, want)
		}
	}
}

// A server whose cursor comes back has nothing more to say, and is not asked a thousand times.
func TestACursorThatComesBackEndsTheList(t *testing.T) {
	pages := filepath.Join(t.TempDir(), "pages")
	s := newSource(t, stdioConfig("cursor:"+pages), Options{})
	if tools, err := s.Tools(t.Context()); err != nil || len(tools) != 1 {
		t.Fatal(tools, err)
	}
	asked, err := os.ReadFile(pages)
	if n := strings.Count(string(asked), "\n"); err != nil || n != 2 {
		t.Errorf("asked for %d pages, want 2: %v", n, err)
	}
}

func TestServersThatDoNotKnowTheNewEraAreSpokenWithInTheOld(t *testing.T) {
	for _, mode := range []string{"good", "legacyonly", "diesofnew"} {
		cache := t.TempDir()
		s := newSource(t, stdioConfig(mode), Options{CacheDir: cache})
		if _, err := s.Tools(t.Context()); err != nil {
			t.Errorf("%s: %v", mode, err)
			continue
		}
		if a, _ := s.About(t.Context()); a.Protocol != "2025-06-18" || a.Name != "test" || a.Instructions != "be kind" {
			t.Errorf("%s: %+v", mode, a)
		}
		s.Close()
		again := newSource(t, stdioConfig(mode), Options{CacheDir: cache})
		again.lists.common.recall()
		if l := again.lists.common.recall(); l == nil || l.About.Stateless() {
			t.Errorf("%s: the protocol was not remembered: %+v", mode, l)
		}
	}
}

func TestTheListIsRememberedAndNothingIsStarted(t *testing.T) {
	cache := t.TempDir()
	first := newSource(t, stdioConfig("good"), Options{CacheDir: cache})
	if _, err := first.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.Close()
	second := newSource(t, stdioConfig("good"), Options{CacheDir: cache, Launch: refusing{}})
	tools, err := second.Tools(t.Context())
	if err != nil || len(tools) != 1 {
		t.Fatal(tools, err)
	}
	if _, err := second.Tools(t.Context()); err == nil {
		t.Error("a second listing, which is to ask the server, did not start it")
	}
}

func TestARememberedDefinitionKeepsItsBytes(t *testing.T) {
	def := `{"name":"a",  "description":"1 < 2 & \u00e4", "n": 1.50 }`
	l := &listing{Server: "s", At: time.Now(), Tools: []json.RawMessage{json.RawMessage(def), json.RawMessage(echoTool)}}
	b, err := l.encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := parseListing(b)
	if err != nil || len(back.Tools) != 2 || string(back.Tools[0]) != def || back.Server != "s" || back.digest() != l.digest() {
		t.Errorf("%s, %v", b, err)
	}
}

type refusing struct{}

func (refusing) Launch(Command) (Process, error) { return nil, os.ErrPermission }

func TestTroubleAtTheStartIsSaidWithTheServersOwnWords(t *testing.T) {
	for mode, want := range map[string]string{
		"dead:xyz": "cannot find module xyz", "mute": "did not answer within", "silent": "did not answer within", "future": "2099-01-01", "nolist": "database is down", "longline": "of more than",
	} {
		c := stdioConfig(mode)
		if want == "did not answer within" {
			c.StartTimeout = 2 * time.Second
		}
		s := newSource(t, c, Options{})
		start := time.Now()
		_, err := s.Tools(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "srv") {
			t.Errorf("%s: %v, want %q", mode, err, want)
		}
		if d := time.Since(start); d > ample {
			t.Errorf("%s: took %v", mode, d)
		}
	}
}

func TestNoiseOnStdoutIsLeftOut(t *testing.T) {
	for _, mode := range []string{"noise", "stderr", "child", "storm"} {
		k := attached(t, newSource(t, stdioConfig(mode), Options{}))
		if res := say1(t, k, "hi"); res.Err != nil || res.Text() != "hi" {
			t.Errorf("%s: %q, %v", mode, res.Text(), res.Err)
		}
	}
}

func TestACrashInMidCallIsToldAndNothingIsSentTwice(t *testing.T) {
	s := newSource(t, stdioConfig("crash"), Options{})
	k := attached(t, s)
	for range 3 {
		res := say1(t, k, "hi")
		if res.Err == nil || res.Err.Code != tool.Execution || !strings.Contains(res.Text(), "out of cheese") && !strings.Contains(res.Text(), "is down") {
			t.Errorf("%v: %s", res.Err, res.Text())
		}
	}
}

func TestACallThatHangsEndsAtItsDeadlineAndTheServerIsTold(t *testing.T) {
	told := filepath.Join(t.TempDir(), "told")
	c := stdioConfig("late-answer:" + told)
	c.Timeout = 300 * time.Millisecond
	k := attached(t, newSource(t, c, Options{}))
	res := say1(t, k, "hi")
	if res.Err == nil || res.Err.Code != tool.TimedOut {
		t.Fatalf("%v", res.Err)
	}
	soon(t, "the server is told", func() bool {
		b, _ := os.ReadFile(told)
		return strings.Contains(string(b), "notifications/cancelled")
	})
}

func TestAnswersWithOddIDsMeanNothing(t *testing.T) {
	k := attached(t, newSource(t, stdioConfig("ids"), Options{}))
	for range 3 {
		if res := say1(t, k, "x"); res.Err != nil || res.Text() != "first" {
			t.Errorf("%q, %v", res.Text(), res.Err)
		}
	}
	k = attached(t, newSource(t, stdioConfig("dupkeys"), Options{}))
	if res := say1(t, k, "x"); res.Err != nil || res.Text() != "x" {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
}

func TestATenMegabyteLineArrives(t *testing.T) {
	k := attached(t, newSource(t, stdioConfig("big"), Options{}))
	if res := say1(t, k, ""); res.Err != nil || len(res.Text()) < 10<<20-100 {
		t.Errorf("%d bytes, %v", len(res.Text()), res.Err)
	}
}

func TestTheEnvironmentIsAllowListed(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "hunter2")
	file := filepath.Join(t.TempDir(), "key")
	os.WriteFile(file, []byte("from a file\n"), 0o600)
	c := stdioConfig("env")
	c.Env["GIVEN"] = "x-${env:SECRET_TOKEN}"
	c.Env["FILED"] = "${file:" + file + "}"
	k := attached(t, newSource(t, c, Options{}))
	env := strings.Split(say1(t, k, "").Text(), "\n")
	if slices.Contains(env, "SECRET_TOKEN=hunter2") {
		t.Error("the server sees a variable that nobody gave it")
	}
	for _, want := range []string{"GIVEN=x-hunter2", "FILED=from a file"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in %q", want, env)
		}
	}
	c.Env["GIVEN"] = "${env:NOT_THERE}"
	if _, err := newSource(t, c, Options{}).Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "NOT_THERE") {
		t.Errorf("%v", err)
	}
}
