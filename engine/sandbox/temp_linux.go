package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// keptPlace is where Options.Temp is found.
const keptPlace = "/tmp"

// copyKept copies the temporary directory that outlives the command, before others cover it.
func (p *plan) copyKept() error {
	if p.Kept == "" {
		return nil
	}
	t, err := copyTree(p.Kept, attrSafe)
	if err != nil {
		return err
	}
	p.kept = &t
	return nil
}

// runBytes is the size of a private /run: what programs leave there are sockets and numbers of processes.
const runBytes = 1 << 20

// mountTemp gives the sandbox temporary directories of its own. They are kept in memory and end with it.
func (p plan) mountTemp() error {
	if p.Level == Light {
		return nil // it has those of the machine
	}
	for _, d := range tempDirs {
		st, err := os.Lstat(d)
		if err != nil || !st.IsDir() {
			continue // absent, or /var/run as a link
		}
		if d == keptPlace && p.kept != nil {
			if err := p.kept.mountAt(d); err != nil {
				return err
			}
			continue
		}
		mode, size := "1777", p.Limits.TempBytes
		if d == "/run" || d == "/var/run" {
			mode, size = "755", runBytes
		}
		err = mountTmpfs(d, fmt.Sprintf("mode=%s,size=%d", mode, size))
		if err != nil {
			return err
		}
	}
	return nil
}

func mountTmpfs(path, options string) error {
	err := unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options)
	if err != nil {
		return fmt.Errorf("mount a private %s: %w", path, err)
	}
	return nil
}
