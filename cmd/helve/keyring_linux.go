package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/godbus/dbus/v5"

	"helve/cmd/internal/command"
)

// ringHere tells whether there is a session bus, at which keyrings are. The library would start one that stays.
func ringHere() error {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return nil
	}
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err != nil { // where it looks
		return command.ErrNoKeyring
	}
	return nil
}

// isNoRing tells of a bus that knows no keyring, or that is gone.
func isNoRing(err error) bool {
	said, ok := errors.AsType[dbus.Error](err)
	if ok {
		const errs = "org.freedesktop.DBus.Error."
		return said.Name == errs+"ServiceUnknown" || said.Name == errs+"NameHasNoOwner"
	}
	return errors.Is(err, os.ErrNotExist)
}
