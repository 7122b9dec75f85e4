//go:build linux || darwin

package fsroot

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttrs bounds an attribute list and an attribute's value: Linux takes 64 KiB of each; macOS has
// longer resource forks, and a file with one is refused rather than stripped of it.
const maxAttrs = 64 << 10

// KeepAttrs copies the extended attributes, access lists among them, that the new file does not
// have already.
func KeepAttrs(to, from *os.File) error {
	buf := make([]byte, maxAttrs)
	n, err := unix.Flistxattr(int(from.Fd()), buf)
	if err == unix.ENOTSUP || n == 0 && err == nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list extended attributes: %w", err)
	}
	for _, name := range strings.Split(strings.TrimRight(string(buf[:n]), "\x00"), "\x00") {
		if followsContent(name) {
			continue
		}
		if err := KeepAttr(to, from, name); err != nil {
			return fmt.Errorf("extended attribute %s: %w", name, err)
		}
	}
	return nil
}

// followsContent names the attributes that vouch for the old bytes: the kernel drops them on a
// write too.
func followsContent(name string) bool {
	switch name {
	case "security.ima", "security.evm", "security.capability", "com.apple.provenance":
		return true
	}
	return false
}

// KeepAttr copies one attribute, if it is not there already.
func KeepAttr(to, from *os.File, name string) error {
	buf := make([]byte, maxAttrs)
	n, err := unix.Fgetxattr(int(from.Fd()), name, buf)
	if err != nil {
		return err
	}
	have := make([]byte, maxAttrs)
	m, err := unix.Fgetxattr(int(to.Fd()), name, have)
	if err == nil && bytes.Equal(buf[:n], have[:m]) {
		return nil
	}
	return unix.Fsetxattr(int(to.Fd()), name, buf[:n], 0)
}
