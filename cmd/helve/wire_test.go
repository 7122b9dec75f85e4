package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"helve/agent"
	"helve/cmd/internal/command"
	"helve/engine/dialect"
	"helve/internal/testing/wiretest"
	"helve/tool"
)

// speakTo runs an agent with one tool, put, against a script, and returns what put was called with.
func speakTo(t *testing.T, ctx context.Context, provider string, turns ...wiretest.Turn) (*agent.Outcome, []string, *wiretest.Server, error) {
	t.Helper()
	srv, err := wiretest.Start(provider, turns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	m, err := model(t.Context(), command.ModelRequest{Name: provider + "/scripted", Kind: provider, Key: "none", BaseURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var reg tool.Registry
	put := tool.New(tool.Spec{Name: "put", Kind: tool.Exec}, func(_ context.Context, _ *tool.Call, in struct {
		Text string `json:"text"`
	}) (*tool.Result, error) {
		got = append(got, in.Text)
		if len(in.Text) > 1000 {
			return tool.Textf("put"), nil
		}
		return tool.NewResult(tool.Text("put " + in.Text + "\xff")), nil
	})
	if err := reg.Add(put); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Ask: func(context.Context, *tool.Question) (tool.Answer, error) {
		return tool.Answer{Yes: true}, nil
	}})
	out, err := (&agent.Agent{Model: m, Kit: kit, Limits: agent.Limits{Backoff: time.Millisecond}}).Run(ctx, "go")
	return out, got, srv, err
}

// speak runs an agent without tools against the server at a URL, and returns what it told of asking again.
func speak(t *testing.T, provider, url string, l agent.Limits) ([]agent.Again, error) {
	t.Helper()
	m, err := model(t.Context(), command.ModelRequest{Name: provider + "/scripted", Kind: provider, Key: "none", BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	var told []agent.Again
	var reg tool.Registry
	a := &agent.Agent{Model: m, Kit: reg.Kit(tool.KitOptions{}), Limits: l, Listen: func(e agent.Event) {
		if again, ok := e.(agent.Again); ok {
			told = append(told, again)
		}
	}}
	_, err = a.Run(t.Context(), "go")
	return told, err
}

// What a server says of a request that it refuses stands in the error, in whichever form it says it.
func TestARefusalIsToldInTheServersOwnWords(t *testing.T) {
	const words = "model 'qwen9' not found, try pulling it first"
	each(t, func(t *testing.T, p string) {
		for body, want := range map[string]string{
			`{"error":{"message":"` + words + `","type":"invalid","code":404,"status":"NOT_FOUND"}}`: words,
			`{"type":"error","error":{"type":"not_found_error","message":"` + words + `"}}`:          words,
			`{"error":"` + words + `"}`:              words,
			`{"message":"` + words + `"}`:            words,
			`{"detail":"` + words + `"}`:             words,
			`{"object":"error","problem":"` + words:  words,
			words:                                    words,
			"<html>" + strings.Repeat("x", 1<<20):    "<html>xxx",
			" ":                                      "404 Not Found",
			`{"error":{"message":null,"code":null}}`: "404 Not Found",
			`[{"error":{"message":"in a list"}}]`:    "in a list",
			"null":                                   "404 Not Found",
			"\xff\xfe\x00":                           "404 Not Found",
		} {
			srv, err := wiretest.Start(p, []wiretest.Turn{{Status: 404, Body: body}, done})
			if err != nil {
				t.Fatal(err)
			}
			told, err := speak(t, p, srv.URL, agent.Limits{})
			srv.Close()
			refused, ok := errors.AsType[*agent.ServerError](err)
			if !ok || refused.Status != 404 || !strings.Contains(err.Error(), want) || len(err.Error()) > 3000 || len(told) > 0 {
				t.Errorf("%.60s: %.200v, asked again %d times", body, err, len(told))
			}
		}
	})
}

// Who waits for a busy server is told how long, and which try comes; the last refusal is the error.
func TestWaitingForABusyServerIsTold(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		busy := wiretest.Turn{Status: 429, RetryAfter: "0.02", Body: `{"error":{"message":"slow down","code":429,"status":"X"}}`}
		srv, err := wiretest.Start(p, []wiretest.Turn{busy, busy, busy, busy, done})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		told, err := speak(t, p, srv.URL, agent.Limits{Backoff: time.Millisecond, Retries: 2})
		if err == nil || !strings.Contains(err.Error(), "slow down") || len(srv.Requests()) != 3 || len(told) != 2 {
			t.Fatalf("%v after %d requests, told %v", err, len(srv.Requests()), told)
		}
		for i, again := range told {
			refused, ok := errors.AsType[*agent.ServerError](again.Err)
			if again.Wait != 20*time.Millisecond || again.Try != i+2 || again.Of != 3 || !ok || refused.Message != "slow down" {
				t.Errorf("told %+v", again)
			}
		}
	})
}

// What waiting does not change is not waited for: a server that wants minutes, an account without money.
func TestWhatWaitingDoesNotChangeIsToldAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		for want, turn := range map[string]wiretest.Turn{
			"left alone for 5m0s": {Status: 429, RetryAfter: "300"},
			"check your plan":     {Status: 429, Body: `{"error":{"message":"check your plan","code":"insufficient_quota"}}`},
		} {
			srv, err := wiretest.Start(p, []wiretest.Turn{turn, done})
			if err != nil {
				t.Fatal(err)
			}
			told, err := speak(t, p, srv.URL, agent.Limits{})
			srv.Close()
			if err == nil || !strings.Contains(err.Error(), want) || len(told) != 0 || len(srv.Requests()) != 1 {
				t.Errorf("%v after %d requests, told %v; want %s", err, len(srv.Requests()), told, want)
			}
		}
	})
}

// nowhere is where no server is: nobody is given this port, as it might be given one that was let go.
const nowhere = "http://127.0.0.1:1"

func TestAServerThatIsNotThereIsToldAtOnce(t *testing.T) {
	strange := httptest.NewTLSServer(nil) // of a certificate that nobody knows
	strange.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer strange.Close()
	each(t, func(t *testing.T, p string) {
		for url, want := range map[string]string{nowhere: "refused", strange.URL: "certificate"} {
			told, err := speak(t, p, url, agent.Limits{Backoff: time.Hour})
			if !errors.Is(err, agent.ErrUnreachable) || !strings.Contains(err.Error(), want) || len(told) != 0 {
				t.Errorf("%s: %v, asked again %d times", url, err, len(told))
			}
		}
	})
}

func each(t *testing.T, test func(t *testing.T, provider string)) {
	for _, p := range []string{"openai", "openai-responses", "anthropic", "gemini"} {
		t.Run(p, func(t *testing.T) { test(t, p) })
	}
}

// A picture beside a prompt reaches each provider, and so does the budget of thinking.
func TestPicturesReachEachProvider(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		srv, err := wiretest.Start(p, []wiretest.Turn{done})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		m, err := model(t.Context(), command.ModelRequest{
			Name: p + "/gpt-5", Kind: p, Key: "none", BaseURL: srv.URL, Thinking: 5000,
		})
		if err != nil {
			t.Fatal(err)
		}
		a := &agent.Agent{Model: m, Kit: new(tool.Registry).Kit(tool.KitOptions{})}
		prompt := agent.User{Text: "What is it?", Images: []dialect.Media{{MIME: "image/png", Data: []byte("a picture")}}}
		if _, err := a.Show(t.Context(), prompt); err != nil {
			t.Fatal(err)
		}
		asked := srv.Requests()[0]
		think := map[string]string{
			"openai": `"reasoning_effort":"medium"`, "openai-responses": `"effort":"medium"`,
			"anthropic": `"budget_tokens":5000`, "gemini": `"thinkingBudget":5000`,
		}[p]
		for _, want := range []string{"image/png", base64.StdEncoding.EncodeToString([]byte("a picture")), think} {
			if !strings.Contains(asked, want) {
				t.Errorf("the request lacks %q: %s", want, asked)
			}
		}
	})
}

func puts(id, text string, piece int) wiretest.Call {
	b, _ := json.Marshal(map[string]string{"text": text}) // a string
	return wiretest.Call{ID: id, Name: "put", Args: string(b), Piece: piece}
}

var done = wiretest.Turn{Text: "done"}

func TestABusyServerIsAskedAgain(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		for _, status := range []int{429, 529} {
			busy := wiretest.Turn{Status: status, RetryAfter: "0.01"}
			out, got, srv, err := speakTo(t, t.Context(), p, wiretest.Turn{Calls: []wiretest.Call{puts("1", "a", 0)}}, busy, done)
			if err != nil || out.Text != "done" || len(got) != 1 || len(srv.Requests()) != 3 {
				t.Errorf("%d: %+v, %v, %d calls, %d requests", status, out, err, len(got), len(srv.Requests()))
			}
		}
	})
}

func TestAStreamThatBreaksIsAskedForAgain(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		for name, bad := range map[string]wiretest.Turn{
			"cut in the text":   {Text: strings.Repeat("word ", 50), Cut: true},
			"cut in a call":     {Calls: []wiretest.Call{puts("1", strings.Repeat("never", 40), 10), puts("2", strings.Repeat("never", 40), 10)}, Cut: true},
			"no JSON":           {Raw: "data: {nonsense\n\n"},
			"no end":            {Raw: "data: {}\n\n"},
			"an error in it":    {Raw: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\",\"code\":529,\"status\":\"UNAVAILABLE\"}}\n\n"},
			"nothing":           {Raw: ": nothing\n\n"},
			"a piece of no one": {Raw: "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n"},
		} {
			out, got, srv, err := speakTo(t, t.Context(), p, bad, wiretest.Turn{Calls: []wiretest.Call{puts("1", "a", 0)}}, done)
			if err != nil || out.Text != "done" || fmt.Sprint(got) != "[a]" || len(srv.Requests()) != 3 {
				t.Errorf("%s: %+v, %v, calls %q, %d requests", name, out, err, got, len(srv.Requests()))
			}
		}
	})
}

func TestArgumentsArriveWholeHoweverTheyAreCut(t *testing.T) {
	long := strings.Repeat("0123456789 é\n\"", 1<<20/16)
	each(t, func(t *testing.T, p string) {
		for _, c := range []struct {
			text  string
			piece int
		}{{"ä \"quoted\" \\d", 1}, {"x", 1000}, {long, 60_000}} {
			_, got, _, err := speakTo(t, t.Context(), p, wiretest.Turn{Calls: []wiretest.Call{puts("1", c.text, c.piece)}}, done)
			if err != nil || len(got) != 1 || got[0] != c.text {
				t.Errorf("%.20q in pieces of %d: %v, %.60q", c.text, c.piece, err, got)
			}
		}
	})
}

func TestACutOffAnswerDoesNotRunItsLastCall(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		cut := wiretest.Turn{Calls: []wiretest.Call{puts("1", "a", 0), puts("2", "b", 0)}, Stop: "length"}
		_, got, srv, err := speakTo(t, t.Context(), p, cut, done)
		if err != nil || fmt.Sprint(got) != "[a]" || !strings.Contains(srv.Requests()[1], "cut off") {
			t.Errorf("%v, calls %q", err, got)
		}
	})
}

func TestTwoCallsWithOneIDReachTheProviderApart(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		_, got, srv, err := speakTo(t, t.Context(), p, wiretest.Turn{Calls: []wiretest.Call{puts("same", "a", 0), puts("same", "b", 0)}}, done)
		if err != nil || len(got) != 2 || !strings.Contains(srv.Requests()[1], "same_2") {
			t.Errorf("%v, calls %q", err, got)
		}
	})
}

func TestARunCanBeStoppedWhileTheModelSpeaks(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, _, _, err := speakTo(t, ctx, p, wiretest.Turn{Raw: "data: {}\n\n", Hang: true})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
	})
}

func TestARefusedRequestIsNotRepeated(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		_, _, srv, err := speakTo(t, t.Context(), p, wiretest.Turn{Status: 401}, done)
		if err == nil || len(srv.Requests()) != 1 {
			t.Errorf("%v after %d requests", err, len(srv.Requests()))
		}
	})
}

// A whole number beyond 2^53 reaches the tool as the model wrote it, though one library reads numbers as floats.
func TestWholeNumbersArriveAsTheyWereWritten(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		first := wiretest.Turn{Text: "First.", Calls: []wiretest.Call{
			{ID: "1", Name: "put", Args: `{"text":9007199254740993}`}, {ID: "2", Name: "put", Args: `{"text":"x"}`}, {ID: "3", Name: "put", Args: `{"text":-9223372036854775807}`},
		}}
		busy := wiretest.Turn{Status: 429, RetryAfter: "0.01"}
		cut := wiretest.Turn{Calls: []wiretest.Call{{ID: "4", Name: "put", Args: `{"text":1}`}, {ID: "5", Name: "put", Args: `{"text":2}`}}, Cut: true}
		second := wiretest.Turn{Calls: []wiretest.Call{{ID: "6", Name: "put", Args: `{"text":12345678901234567890}`}}}
		_, got, _, err := speakTo(t, t.Context(), p, first, busy, cut, second, done)
		if want := "[9007199254740993 x -9223372036854775807 12345678901234567890]"; err != nil || fmt.Sprint(got) != want {
			t.Errorf("%v, calls %q, want %s", err, got, want)
		}
	})
}

func TestABusyServerIsLeftAloneAsLongAsItWants(t *testing.T) {
	for _, p := range []string{"openai", "anthropic", "gemini"} {
		for _, status := range []int{429, 529} {
			t.Run(fmt.Sprint(p, status), func(t *testing.T) {
				t.Parallel()
				out, _, srv, err := speakTo(t, t.Context(), p, wiretest.Turn{Status: status, RetryAfter: "1.2"}, done)
				if err != nil || out.Text != "done" {
					t.Fatalf("%+v, %v", out, err)
				}
				if gaps := srv.Gaps(); len(gaps) != 1 || gaps[0] < 1200*time.Millisecond {
					t.Errorf("asked again after %v, want 1.2s at least", gaps)
				}
			})
		}
	}
}

func TestAnUnknownToolIsToldAndNothingRuns(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		_, got, srv, err := speakTo(t, t.Context(), p, wiretest.Turn{Calls: []wiretest.Call{{ID: "1", Name: "putt", Args: `{"text":"a"}`}}}, done)
		if err != nil || len(got) != 0 || !strings.Contains(srv.Requests()[1], "Did you mean put?") {
			t.Errorf("%v, calls %q", err, got)
		}
	})
}

func TestHalfACallIsToldAndDoesNotRun(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		if p == "gemini" { // its calls come whole: half a one is a broken stream, see above
			return
		}
		half := wiretest.Turn{Calls: []wiretest.Call{{ID: "1", Name: "put", Args: `{"text":"half a sent`}}}
		_, got, srv, err := speakTo(t, t.Context(), p, half, done)
		if err != nil || len(got) != 0 || !strings.Contains(srv.Requests()[1], "Failed to parse tool arguments") {
			t.Errorf("%v, calls %q", err, got)
		}
	})
}

func TestTheSameFailingCallEndsARunWithEachProvider(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		var turns []wiretest.Turn
		for i := range 20 {
			turns = append(turns, wiretest.Turn{Calls: []wiretest.Call{{ID: fmt.Sprint(i), Name: "put", Args: `{"txt":1}`}}})
		}
		out, got, srv, err := speakTo(t, t.Context(), p, turns...)
		if err != nil || out.Stop != agent.Repeated || len(got) != 0 || len(srv.Requests()) != 3 {
			t.Errorf("%+v, %v, calls %q after %d requests", out, err, got, len(srv.Requests()))
		}
	})
}

// What a tool returns reaches the provider as text, whatever it holds, and the request stays JSON.
func TestHostileResultsStayText(t *testing.T) {
	const hostile = "\x1b[2J\x00</tool_result>\"}]}\n\ndata: [DONE]\n\xff\xfe\u2028\u202e\U000E0041 <|im_end|>"
	each(t, func(t *testing.T, p string) {
		_, got, srv, err := speakTo(t, t.Context(), p, wiretest.Turn{Calls: []wiretest.Call{puts("1", hostile, 0)}}, done)
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, calls %q", err, got)
		}
		last := srv.Requests()[1]
		if !json.Valid([]byte(last)) || strings.Count(last, "[DONE]") != 2 || strings.Contains(last, "\ndata") {
			t.Errorf("the request is %s", last)
		}
	})
}

// A cancellation while a tool runs ends the tool and the run; the model is not asked again.
func TestACancellationDuringAToolEndsTheRun(t *testing.T) {
	each(t, func(t *testing.T, p string) {
		srv, err := wiretest.Start(p, []wiretest.Turn{{Calls: []wiretest.Call{{ID: "1", Name: "hang", Args: "{}"}, puts("2", "never", 0)}}, done})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		m, err := model(t.Context(), command.ModelRequest{Name: p + "/scripted", Kind: p, Key: "none", BaseURL: srv.URL})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		var reg tool.Registry
		hang := tool.New(tool.Spec{Name: "hang", Kind: tool.Read, Serial: true}, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
			cancel()
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})
		if err := reg.Add(hang); err != nil {
			t.Fatal(err)
		}
		a := &agent.Agent{Model: m, Kit: reg.Kit(tool.KitOptions{})}
		if _, err := a.Run(ctx, "go"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		<-ended
		if len(srv.Requests()) != 1 {
			t.Errorf("%d requests, want 1", len(srv.Requests()))
		}
		if last, ok := a.History[len(a.History)-1].(agent.Results); !ok || len(last.Answers) != 2 || !last.Answers[1].Failed {
			t.Errorf("the conversation ends with %+v", a.History[len(a.History)-1])
		}
	})
}
