package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"helve/internal/wire"
)

// pieces are the frames of a result.
func pieces(result []byte) (out [][]byte) {
	for f := range wire.Pieces(result) {
		out = append(out, slices.Clone(f))
	}
	return out
}

func TestAResultInPiecesIsTheSame(t *testing.T) {
	for _, size := range []int{0, 1, wire.PieceSize, wire.PieceSize + 1, 3*wire.PieceSize + 7} {
		want := bytes.Repeat([]byte("x"), size)
		var a wire.Assembler
		var got []byte
		frames := pieces(want)
		for i, f := range frames {
			k, body, err := wire.OpenFrame(f)
			if err != nil {
				t.Fatal(err)
			}
			got, err = a.Add(k, body)
			if err != nil || got != nil && i < len(frames)-1 {
				t.Fatalf("%d bytes, frame %d: %v", size, i, err)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes became %d", size, len(got))
		}
	}
}

func TestAMissingPieceIsFoundAndTheWholeCanComeAgain(t *testing.T) {
	want := bytes.Repeat([]byte("y"), 3*wire.PieceSize)
	frames := pieces(want)
	var a wire.Assembler
	add := func(f []byte) ([]byte, error) {
		k, body, err := wire.OpenFrame(f)
		if err != nil {
			t.Fatal(err)
		}
		return a.Add(k, body)
	}
	if _, err := add(frames[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := add(frames[2]); !errors.Is(err, wire.ErrGap) {
		t.Fatalf("%v, want %v", err, wire.ErrGap)
	}
	var got []byte
	for _, f := range frames {
		var err error
		if got, err = add(f); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

func TestPiecesThatAreTooManyOrTooSmallAreRefused(t *testing.T) {
	var a wire.Assembler
	if _, err := a.Add(wire.FramePiece, []byte("\x00\x00\x00\x00x")); err == nil {
		t.Error("a result may come byte by byte")
	}
	frames := pieces(make([]byte, wire.MostResult+1))
	var err error
	for _, f := range frames {
		k, body, _ := wire.OpenFrame(f)
		if _, err = a.Add(k, body); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("a result of any size is taken")
	}
}

func TestTheArgumentsOfARequestArriveAsTheyWereWritten(t *testing.T) {
	for _, args := range []string{"", "{}", `{ "html": "<b>",  "n": 1e3 }`, "no JSON \x00"} {
		want := wire.Run{Run: "r", Request: wire.Request{Call: json.RawMessage(`{"name":"x"}`), Definition: "d"}, Left: 5}
		got, err := wire.ParseRun(wire.EncodeRequest(want, json.RawMessage(args)))
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Args) != args || got.Run != "r" || got.Definition != "d" || string(got.Call) != `{"name":"x"}` || got.Left != 5 {
			t.Errorf("%q became %+v", args, got)
		}
	}
	for _, b := range []string{"", "\x00\x00\x00", "\x00\x00\x00\x05{}", "\xff\xff\xff\xff{}", "\x00\x00\x00\x02[]", "{}{}{}"} {
		if r, err := wire.ParseRequest([]byte(b)); err == nil {
			t.Errorf("%q is read as %+v", b, r)
		}
	}
}

func TestNamesThatWouldBePatternsOfSubjectsAreRefused(t *testing.T) {
	for _, id := range []string{"", "*", ">", "a.b", "A", "a b", strings.Repeat("a", 65), "ä"} {
		if wire.ValidID(id) {
			t.Errorf("%q is taken for an ID", id)
		}
		b := wire.Encode(wire.Member{Instance: id, Slots: 1})
		if _, err := wire.ParseMember(b); err == nil {
			t.Errorf("a member may be called %q", id)
		}
	}
	if id := wire.NewID(); !wire.ValidID(id) {
		t.Errorf("an ID of our own is refused: %q", id)
	}
	if got := wire.RunOf(wire.Gateway("g1", wire.RunTail("r7"))); got != "r7" {
		t.Errorf("the run of a subject is %q", got)
	}
}

func TestAJobThatCannotBeIsRefused(t *testing.T) {
	many := make([]wire.Effect, 100_000)
	digest := strings.Repeat("0", 32)
	for name, j := range map[string]wire.Job{
		"effects without end":      {Digest: digest, Effects: many},
		"a long title":             {Digest: digest, Title: strings.Repeat("x", 1<<20)},
		"a digest of other length": {Digest: "00"},
		"no digest":                {},
	} {
		if _, err := wire.ParseJob(wire.Encode(j)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestQuestionsThatCannotBeAreRefused(t *testing.T) {
	ask := func(method, params string) *wire.Ask {
		return &wire.Ask{Method: method, Params: json.RawMessage(params)}
	}
	for name, q := range map[string]wire.Question{
		"without a number": {Ask: ask("roots/list", "")},
		"to nobody":        {N: 1},
		"to two":           {N: 1, Late: &wire.Late{}, Ask: ask("roots/list", "")},
		"of no method":     {N: 1, Ask: ask("", "{}")},
		"of a line":        {N: 1, Ask: ask("roots\nlist", "{}")},
		"of a long method": {N: 1, Ask: ask(strings.Repeat("x", 200), "{}")},
		"with a list":      {N: 1, Ask: ask("roots/list", "[]")},
		"of two MiB":       {N: 1, Ask: ask("x", `{"x":"`+strings.Repeat("x", 2<<20)+`"}`)},
	} {
		if _, err := wire.ParseQuestion(wire.Encode(q)); err == nil {
			t.Errorf("a question %s is taken", name)
		}
	}
	for _, q := range []wire.Question{{N: 1, Ask: ask("roots/list", "")}, {N: 2, Ask: ask("a/b", "{}")}, {N: 3, Late: &wire.Late{}}} {
		if _, err := wire.ParseQuestion(wire.Encode(q)); err != nil {
			t.Error(err)
		}
	}
	if _, err := wire.ParseNotice(wire.Encode(ask("*", ""))); err == nil {
		t.Error("a notification may have any name")
	}
}

func FuzzMessagesAreReadOrRefused(f *testing.F) {
	f.Add(wire.Encode(wire.Member{Instance: "a", Slots: 1}))
	f.Add(wire.Encode(wire.Job{Digest: strings.Repeat("0", 32), Effects: []wire.Effect{{Kind: "read", Target: "a"}}}))
	f.Add(wire.EncodeRequest(wire.Run{Run: "a"}, json.RawMessage(`{"x":1}`)))
	f.Add(wire.Frame(wire.FramePiece, []byte("\x00\x00\x00\x01abc")))
	f.Add(wire.Encode(wire.Question{N: 1, Ask: &wire.Ask{Method: "roots/list", Params: json.RawMessage("{}")}}))
	f.Add([]byte(`{"instance":"a","slots":1e99}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		wire.ParseMember(b)
		wire.ParseJob(b)
		wire.ParseDefinitions(b)
		wire.ParseRun(b)
		wire.ParseRequest(b)
		wire.ParseQuestion(b)
		wire.ParseNotice(b)
		wire.ParseTools(b, 0)
		wire.Decode[wire.AnswerTo](b)
		k, body, err := wire.OpenFrame(b)
		if err != nil {
			return
		}
		var a wire.Assembler
		a.Add(k, body)
	})
}
