package sandbox

import "golang.org/x/sys/unix"

// renameCalls are the calls that give a directory another name.
var renameCalls = []uint32{unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}

// onlyPaths is the one of them that takes no directories.
const onlyPaths = unix.SYS_RENAME
