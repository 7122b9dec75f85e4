package exact

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const (
	// maxMessage bounds one message of a server, in bytes: a thousand definitions are 200 kB.
	maxMessage = 16 << 20
	// maxHeaders bounds the headers before a message: servers send one or two.
	maxHeaders = 16
	// headerBytes bounds one header.
	headerBytes = 4 << 10
)

var errFrame = errors.New("no message of a language server")

// readFrame reads one message: headers, of which one says the length, an empty line, and the message.
func readFrame(r *bufio.Reader) ([]byte, error) {
	size := -1
	for range maxHeaders {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("%w: a header of more than %d bytes", errFrame, r.Size())
		}
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 && size >= 0 {
			return readBody(r, size)
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return nil, fmt.Errorf("%w: %.80q", errFrame, line)
		}
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue
		}
		size, err = strconv.Atoi(string(bytes.TrimSpace(value)))
		if err != nil || size < 0 || size > maxMessage {
			return nil, fmt.Errorf("%w: a length of %.80q", errFrame, value)
		}
	}
	return nil, fmt.Errorf("%w: more than %d headers", errFrame, maxHeaders)
}

// readBody reads the message itself. Memory grows with what comes, not with what was announced.
func readBody(r io.Reader, size int) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.CopyN(&b, r, int64(size))
	if err == io.EOF && n < int64(size) {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}

// frame is a message with its header.
func frame(message []byte) []byte {
	head := "Content-Length: " + strconv.Itoa(len(message)) + "\r\n\r\n"
	return append([]byte(head), message...)
}
