package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/command"
)

// outside are requests to the console as others make them: none may do anything, and none may read an answer.
func TestOthersReachNothingOfTheConsole(t *testing.T) {
	v := newVictim(t).put(userConfig, `{}`)
	for _, words := range [][]string{{"serve", "--http", "127.0.0.1:0", "--console", "--no-auth"}, {"console"}} {
		c := v.consoled(t, words...)
		port := c.base[strings.LastIndex(c.base, ":"):]
		for name, head := range map[string]map[string]string{
			"a name that leads here (DNS rebinding)":     {"Host": "evil.example" + port},
			"the same without a port":                    {"Host": "evil.example"},
			"a page elsewhere (CSRF)":                    {"Origin": "https://evil.example"},
			"a page of a sandboxed frame":                {"Origin": "null"},
			"another port of this machine":               {"Origin": "http://127.0.0.1:1"},
			"a page elsewhere, as the browser says it":   {"Sec-Fetch-Site": "cross-site"},
			"another port, as the browser says it":       {"Sec-Fetch-Site": "same-site"},
			"two origins":                                {"Origin": c.base + ", https://evil.example"},
			"localhost in place of the address, foreign": {"Origin": "http://localhost.evil.example" + port},
		} {
			for _, try := range []string{
				"GET state", "GET events?since=0", "GET audit", "GET servers", "POST answer", "POST play", "POST switch", "POST login", "POST link",
				"POST server-approve", "POST end",
			} {
				method, path, _ := strings.Cut(try, " ")
				status, body, resp := c.ask(method, path, `{}`, head)
				if status != 403 {
					t.Errorf("%s: %s: %s: %d %.80s", words[0], name, try, status, body)
				}
				for h := range resp.Header {
					if strings.HasPrefix(h, "Access-Control-") {
						t.Errorf("%s: %s: %s lets others read: %s", words[0], name, try, h)
					}
				}
			}
		}
		// A form of another page can send no JSON, and no browser asks before it sends what is none.
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
			if status, body, _ := c.ask("POST", "logout", `{}`, map[string]string{"Content-Type": kind}); status != 415 {
				t.Errorf("%s: a body of %q: %d %s", words[0], kind, status, body)
			}
		}
		if status, _, resp := c.ask("OPTIONS", "answer", "", map[string]string{
			"Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-helve-page",
		}); status < 400 || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: a question before a request is answered with %d %v", words[0], status, resp.Header)
		}
		if status, _, _ := c.ask("GET", "state", "", nil); status != 200 {
			t.Errorf("%s: the person is locked out: %d", words[0], status)
		}
		c.stop()
	}
}

// The word of the link is the person's alone: it stands in no log, no record and no answer, and nowhere when helve has ended.
func TestTheWordOfTheLinkIsInNoLog(t *testing.T) {
	v := newVictim(t).put("a.txt", "x\n").put(userConfig, `{}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console", "--log-level", "debug")
	_, word := c.lastLink()
	c.talk(t, "").call("read", map[string]any{"file_path": "a.txt"})
	for _, path := range []string{"state", "audit", "board", "sessions", "servers"} {
		if _, body, resp := c.ask("GET", path, "", nil); strings.Contains(body, word) || strings.Contains(body, c.key) || strings.Contains(fmt.Sprint(resp.Header), word) {
			t.Errorf("%s has it: %s", path, body)
		}
	}
	resp, err := http.Get(c.base + "/console/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Referrer-Policy"); got != "no-referrer" {
		t.Errorf("Referrer-Policy: %q", got)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}
	c.stop()
	said := c.said.String()
	if n := strings.Count(said, word); n != 0 || strings.Contains(said, c.key) || !strings.Contains(said, "/console/api/state") {
		t.Errorf("the word is said %d times:\n%s", n, said)
	}
	err = filepath.Walk(filepath.Dir(c.dir), func(path string, st os.FileInfo, err error) error {
		if err != nil || !st.Mode().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), word) || strings.Contains(string(b), c.key) {
			t.Errorf("%s has it", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A command is the agent's hand that reaches furthest. It talks to the port of the console, asks for a link, and looks for
// one in what helve wrote.
func TestACommandReachesNoLogin(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put(userConfig, `{"mode":"auto"}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console", "--approval", "console")
	agent := c.talk(t, "")
	host := strings.TrimPrefix(c.base, "http://")
	address, port, _ := strings.Cut(host, ":")
	for _, command := range []string{
		"exec 3<>/dev/tcp/" + address + "/" + port + "; printf 'GET /console/api/state HTTP/1.0\\r\\nHost: " + host + "\\r\\n\\r\\n' >&3; cat <&3",
		"curl -s -X POST -H 'Content-Type: application/json' -d '{}' " + c.base + "/console/api/link",
		"cat /proc/$PPID/fd/2 /proc/$PPID/environ /proc/1/environ",
		"cat " + c.linkFile() + " " + filepath.Dir(c.linkFile()) + "/*",
		"grep -r token= " + filepath.Dir(filepath.Dir(c.linkFile())) + " $HOME/.local",
	} {
		said := make(chan string, 1)
		go func() { said <- agent.call("bash", map[string]any{"command": command, "timeout": 5000}) }()
		text := c.unlessAsked(said)
		for _, found := range []string{"HTTP/1.1 ", "Content-Security-Policy", "not logged in", "#token=", c.key, c.token} {
			if strings.Contains(text, found) {
				t.Errorf("%s: %q in %s", command, found, text)
			}
		}
	}
	if n := len(consoleSaid.FindAllString(c.said.String(), -1)); n != 1 {
		t.Errorf("%d links were made", n)
	}
}

// unlessAsked is what a call says; a question about it is answered with no.
func (c *consoled) unlessAsked(said chan string) string {
	c.t.Helper()
	var text string
	eventually(c.t, "the call ends", func() bool {
		select {
		case text = <-said:
			return true
		default:
		}
		_, body, _ := c.ask("GET", "state", "", nil)
		var state struct{ Questions []waiting }
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			c.t.Fatal(err)
		}
		for _, q := range state.Questions {
			c.answer(q, `,"yes":false`)
		}
		return false
	})
	return text
}

// A console without a server shows what other processes do, such as a server on stdin and stdout, as they put it on record.
func TestAConsoleShowsTheCallsOfOtherProcesses(t *testing.T) {
	v := newVictim(t).put("a.txt", "x\n").put(userConfig, `{}`)
	if code, _, errs := v.run("call", "read", "file_path=a.txt"); code != command.ExitOK {
		t.Fatalf("%d %s", code, errs)
	}
	c := v.consoled(t, "console")
	shows := func(name string) bool {
		_, body, _ := c.ask("GET", "state", "", nil)
		var state struct {
			Calls []struct {
				Name      string
				Elsewhere bool
			}
		}
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, call := range state.Calls {
			if call.Name == name && call.Elsewhere {
				n++
			}
		}
		if n > 1 {
			t.Fatalf("%d times: %s", n, body)
		}
		return n == 1
	}
	eventually(t, "what was done before", func() bool { return shows("read") })
	if code, _, errs := v.run("call", "ls"); code != command.ExitOK {
		t.Fatalf("%d %s", code, errs)
	}
	eventually(t, "what is done now", func() bool { return shows("ls") })
	if status, body, _ := c.ask("POST", "play", `{"tool":"glob","args":{"pattern":"*.txt"}}`, nil); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	_, body, _ := c.ask("GET", "state", "", nil)
	if n := strings.Count(body, `"name":"glob"`); n != 1 {
		t.Errorf("one's own call is shown %d times: %s", n, body)
	}
}
