package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// A Kind is the first byte of a frame, and of a reply.
type Kind byte

// The frames of a run, and OK of replies.
const (
	FrameBegins   Kind = 'S' // it begins, or asks whether it may
	FrameLives    Kind = 'B'
	FrameProgress Kind = 'P'
	FrameQuestion Kind = 'Q'
	FrameNotice   Kind = 'N' // a word to the client that wants no answer
	FrameTask     Kind = 'T' // it goes on for long: see tool.Call.Task
	FramePiece    Kind = 'C' // of the result
	FrameLast     Kind = 'D' // piece of the result
	FrameFull     Kind = 'F' // no slot, did not begin
	FrameRefused  Kind = 'X' // did not begin and will not: an error of a tool
	ReplyOK       Kind = 'J'
)

const (
	// PieceSize is what one message brings of a result: brokers take a MiB by default.
	PieceSize = 512 << 10
	// MostResult is the largest result.
	MostResult = 64 << 20
	// SmallestPiece is the least that a piece brings that is not the last: a result in pieces of one byte would cost
	// the gateway a message for each.
	SmallestPiece = 1 << 10
)

// Frame is a frame with its body.
func Frame(k Kind, body []byte) []byte { return append([]byte{byte(k)}, body...) }

// OpenFrame is the kind of a frame and its body.
func OpenFrame(b []byte) (Kind, []byte, error) {
	if len(b) == 0 {
		return 0, nil, errors.New("an empty frame")
	}
	switch k := Kind(b[0]); k {
	case FrameBegins, FrameLives, FrameProgress, FrameQuestion, FrameNotice, FrameTask,
		FramePiece, FrameLast, FrameFull, FrameRefused, ReplyOK:
		return k, b[1:], nil
	}
	return 0, nil, fmt.Errorf("a frame of the unknown kind %q", b[0])
}

// Pieces are the frames of a packed result, one after another in the same memory: a frame is gone when the next is
// asked for. The first piece has number 0: who gets it once more begins anew.
func Pieces(result []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		frame := make([]byte, 0, pieceHead+min(len(result), PieceSize))
		for n := uint32(0); ; n++ {
			kind, piece := FrameLast, result
			if len(result) > PieceSize {
				kind, piece = FramePiece, result[:PieceSize]
			}
			frame = append(frame[:0], byte(kind))
			frame = binary.BigEndian.AppendUint32(frame, n)
			frame = append(frame, piece...)
			if !yield(frame) || kind == FrameLast {
				return
			}
			result = result[len(piece):]
		}
	}
}

// pieceHead is what stands before a piece: the frame's kind, and the piece's number.
const pieceHead = 1 + 4

// ErrGap says that a piece is missing: the whole has to be asked for again.
var ErrGap = errors.New("a piece of the result is missing")

// An Assembler puts the pieces of a result together. The zero value is ready. It keeps the memory of the pieces.
type Assembler struct {
	got  [][]byte
	size int
}

// Add takes the body of a frame of kind FramePiece or FrameLast. The result is there with the last.
func (a *Assembler) Add(k Kind, body []byte) (result []byte, err error) {
	if len(body) < 4 {
		return nil, errors.New("a piece without its number")
	}
	n, piece := binary.BigEndian.Uint32(body), body[4:]
	switch {
	case n == 0:
		a.got, a.size = nil, 0
	case int(n) != len(a.got):
		a.got, a.size = nil, 0
		return nil, ErrGap
	}
	if k == FramePiece && len(piece) < SmallestPiece {
		return nil, fmt.Errorf("a piece of %d bytes that is not the last", len(piece))
	}
	if a.size+len(piece) > MostResult {
		return nil, fmt.Errorf("the result is larger than %d MiB", MostResult>>20)
	}
	if k == FrameLast && n == 0 {
		return piece, nil // the usual case is not copied
	}
	a.got, a.size = append(a.got, piece), a.size+len(piece)
	if k != FrameLast {
		return nil, nil
	}
	whole := slices.Concat(a.got...)
	a.got, a.size = nil, 0
	return whole, nil
}
