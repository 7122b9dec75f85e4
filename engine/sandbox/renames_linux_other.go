//go:build linux && !amd64

package sandbox

import "golang.org/x/sys/unix"

// renameCalls are the calls that give a directory another name.
var renameCalls = []uint32{unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}

// linkCalls are the calls that give a file a second name.
var linkCalls = []uint32{unix.SYS_LINKAT}

// onlyPathsLink would be one of these that takes no directories; this machine has none.
const onlyPathsLink = -1

// onlyPaths would be one of them that takes no directories; this machine has none.
const onlyPaths = -1

// oldMakeCalls would be further ones that make a name; this machine has none.
var oldMakeCalls []makeCall

// oldCreate would be one of these that always makes a file.
const oldCreate = 1<<32 - 1
