package sandbox

import "golang.org/x/sys/unix"

// renameCalls are the calls that give a directory another name.
var renameCalls = []uint32{unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}

// linkCalls are the calls that give a file a second name.
var linkCalls = []uint32{unix.SYS_LINK, unix.SYS_LINKAT}

// onlyPathsLink is the one of these that takes no directories.
const onlyPathsLink = unix.SYS_LINK

// onlyPaths is the one of them that takes no directories.
const onlyPaths = unix.SYS_RENAME
