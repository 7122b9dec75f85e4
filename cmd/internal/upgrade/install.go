package upgrade

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"helve/cmd/internal/command"
)

// unchanged ends the words of what went wrong before the program was touched.
const unchanged = ": what was there is unchanged"

// tryTime is what a new program may take to tell its version.
const tryTime = 30 * time.Second

// install puts the program of an offer in the place of another: written beside it, tried there, and renamed, so that
// whoever runs the old one keeps it, and whatever goes wrong leaves it whole.
func (s source) install(ctx context.Context, o offer, place string) error {
	if runtime.GOOS == "windows" {
		return command.Failed(errors.New("a running program cannot be replaced on Windows: " +
			"unpack the release's .zip over it, or use Scoop"))
	}
	text, err := s.read(ctx, o.file, mostFile)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != o.sum {
		return command.Failed(fmt.Errorf("%s has the SHA-256 %x, the release says %s%s", o.file, sum, o.sum, unchanged))
	}
	next, err := write(text, filepath.Dir(place))
	if err != nil {
		return command.Failed(fmt.Errorf("%s: %w%s", place, err, unchanged))
	}
	defer os.Remove(next) // gone already where all went well
	if err := try(ctx, next, o.version); err != nil {
		return command.Failed(fmt.Errorf("%s: %w%s", o.file, err, unchanged))
	}
	if err := os.Rename(next, place); err != nil {
		return command.Failed(fmt.Errorf("%w%s", err, unchanged))
	}
	return nil
}

// write writes the program of an archive into a folder, under a name of its own.
func write(archive []byte, dir string) (string, error) {
	program, err := programIn(archive)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".helve.new-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, program)
	err = errors.Join(err, f.Chmod(0o755), f.Sync(), f.Close())
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// programIn finds helve in an archive.
func programIn(archive []byte) (io.Reader, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(io.LimitReader(z, mostFile))
	for {
		h, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("there is no helve in the archive: %w", err)
		}
		if h.Typeflag == tar.TypeReg && path.Base(h.Name) == "helve" {
			return files, nil
		}
	}
}

// try starts a program, which must say that it is the version.
func try(ctx context.Context, program, version string) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "version").Output()
	if err != nil {
		return fmt.Errorf("it does not run on this machine: %w", err)
	}
	if !strings.HasPrefix(string(out), "helve "+version+" ") {
		return fmt.Errorf("it says that it is %q", strings.TrimSpace(string(out)))
	}
	return nil
}
