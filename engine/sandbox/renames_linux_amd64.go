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

// oldMakeCalls are the calls that make a name and that only this machine still has.
var oldMakeCalls = []makeCall{
	{unix.SYS_OPEN, -1, 0, 1},
	{unix.SYS_CREAT, -1, 0, -1},
	{unix.SYS_MKDIR, -1, 0, -1},
	{unix.SYS_MKNOD, -1, 0, -1},
	{unix.SYS_SYMLINK, -1, 1, -1},
	{unix.SYS_LINK, -1, 1, -1},
	{unix.SYS_RENAME, -1, 1, -1},
}

// oldCreate is the one of these that always makes a file.
const oldCreate = unix.SYS_CREAT
