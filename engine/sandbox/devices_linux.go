package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// devices that every program may use.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// copyDevices copies the harmless devices before devices are switched off everywhere. One that this machine does not
// have is not missed. A terminal that the session has is nobody's here.
func (p plan) copyDevices() []tree {
	var list []tree
	for _, name := range devices {
		if p.Shared && name == "tty" {
			continue
		}
		t, err := copyTree("/dev/"+name, unix.MOUNT_ATTR_NOSUID)
		if err == nil {
			list = append(list, t)
		}
	}
	return list
}

// deviceLinks are what programs expect in /dev in addition to devices.
var deviceLinks = [][2]string{
	{"/dev/fd", "/proc/self/fd"},
	{"/dev/stdin", "/proc/self/fd/0"},
	{"/dev/stdout", "/proc/self/fd/1"},
	{"/dev/stderr", "/proc/self/fd/2"},
	{"/dev/ptmx", "pts/ptmx"},
}

// mountDevices builds a /dev that holds the harmless devices only.
func mountDevices(devs []tree) error {
	err := mountTmpfs("/dev", "mode=755,size=64k")
	if err != nil {
		return err
	}
	for _, t := range devs {
		makeFile(t.path, 0o600)
		if err := t.mount(); err != nil {
			return err
		}
	}
	for _, l := range deviceLinks {
		if err := os.Symlink(l[1], l[0]); err != nil {
			return err
		}
	}
	for _, d := range []string{"/dev/shm", "/dev/pts"} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	err = mountTmpfs("/dev/shm", "mode=1777,size=64m")
	if err != nil {
		return err
	}
	const own = "newinstance,ptmxmode=0666,mode=620"
	err = unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, own)
	if err != nil {
		return fmt.Errorf("mount private terminals: %w", err)
	}
	return freeze("/dev")
}
