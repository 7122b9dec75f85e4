package files

import (
	"bytes"
	endian "encoding/binary"
	"errors"
)

var errCutImage = errors.New("the image is cut short")

// wholeImage refuses an image whose end is missing: a provider rejects the whole request for it, and each that
// follows in the conversation.
func wholeImage(data []byte, mime string) error {
	whole := true
	switch mime {
	case "image/png":
		whole = wholePNG(data)
	case "image/jpeg":
		whole = wholeJPEG(data)
	case "image/gif":
		_, whole = gifFrames(data)
	case "image/webp":
		whole = wholeWebP(data)
	}
	if !whole {
		return errCutImage
	}
	return nil
}

// wholeWebP compares the size that the head states. Some writers leave the last byte out, which only fills up.
func wholeWebP(data []byte) bool {
	return len(data) >= 12 && int64(endian.LittleEndian.Uint32(data[4:]))+8 <= int64(len(data))+1
}

// wholePNG goes from chunk to chunk until the last one.
func wholePNG(data []byte) bool {
	for at := uint64(8); at+12 <= uint64(len(data)); {
		size := uint64(endian.BigEndian.Uint32(data[at:]))
		name := string(data[at+4 : at+8])
		at += 12 + size // size and name before the content, a checksum behind it
		if name == "IEND" {
			return at <= uint64(len(data))
		}
	}
	return false
}

// wholeJPEG looks for the end behind the segments of the head, which may hold a small picture with an end of its own.
func wholeJPEG(data []byte) bool {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		switch data[at+1] {
		case 0xff: // fills up
			at++
		case 0xda: // the picture itself begins
			return bytes.Contains(data[at:], []byte("\xff\xd9"))
		default:
			at += 2 + int(endian.BigEndian.Uint16(data[at+2:]))
		}
	}
	return false
}

// gifFrames counts the pictures of a GIF, and tells whether it comes to its end.
func gifFrames(data []byte) (frames int, whole bool) {
	r := gifReader{data}
	head := r.take(13)
	if head == nil {
		return 0, false
	}
	r.table(head[10])
	for {
		switch r.byte() {
		case 0x2c:
			about := r.take(9)
			if about == nil {
				return frames, false
			}
			r.table(about[8])
			r.byte() // of the codes' size
			frames++
		case 0x21:
			r.byte() // the kind of extension
		case 0x3b:
			return frames, true
		default:
			return frames, false
		}
		r.blocks()
	}
}

// A gifReader passes over the parts of a GIF; at its end it gives nothing.
type gifReader struct{ left []byte }

// take is the next n bytes; nil where there are fewer, and from then on.
func (r *gifReader) take(n int) []byte {
	if n > len(r.left) {
		r.left = nil
		return nil
	}
	out := r.left[:n]
	r.left = r.left[n:]
	return out
}

// byte is the next byte; 0 at the end, which ends blocks and is the beginning of no part.
func (r *gifReader) byte() byte {
	b := r.take(1)
	if b != nil {
		return b[0]
	}
	return 0
}

// table passes a table of colours, if the flags announce one.
func (r *gifReader) table(flags byte) {
	if flags&0x80 != 0 {
		r.take(3 << (flags&7 + 1))
	}
}

// blocks passes blocks of data up to the empty one.
func (r *gifReader) blocks() {
	for n := r.byte(); n > 0; n = r.byte() {
		r.take(int(n))
	}
}
