package proc

import (
	"errors"
	"os"
)

// stdinFile is the null device, or a file of no lasting name that holds the input: no goroutine has to feed it.
func stdinFile(dir string, data []byte) (*os.File, error) {
	if data == nil {
		return os.Open(os.DevNull)
	}
	f, err := tempFile(dir)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return fromStart(f)
}
