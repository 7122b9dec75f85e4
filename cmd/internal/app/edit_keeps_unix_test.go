//go:build linux || darwin

package app_test

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const keptAttribute = "user.helve-kept"

// setAttribute gives a file an extended attribute and, for root, another owner; false where the file system has no attributes.
func setAttribute(path string) bool {
	os.Chown(path, 12345, 23456) // root only: else the owner is ours and stays so
	return unix.Setxattr(path, keptAttribute, []byte("yes"), 0) == nil
}

func hasAttribute(path string) bool {
	b := make([]byte, 8)
	n, err := unix.Getxattr(path, keptAttribute, b)
	return err == nil && string(b[:n]) == "yes"
}

func owner(fi os.FileInfo) string {
	st := fi.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d", st.Uid, st.Gid)
}
