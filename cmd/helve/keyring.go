package main

import (
	"errors"

	"github.com/zalando/go-keyring"

	"helve/cmd/internal/command"
)

// ringService is under what the system's keyring keeps what is helve's.
const ringService = "helve"

// A systemRing is the keyring of the system.
type systemRing struct{}

var _ command.Keyring = systemRing{}

func (systemRing) Secret(name string) (secret string, err error) {
	if err := ringHere(); err != nil {
		return "", err
	}
	secret, err = keyring.Get(ringService, name)
	return secret, ringError(err)
}

func (systemRing) Keep(name, secret string) error {
	if err := ringHere(); err != nil {
		return err
	}
	return ringError(keyring.Set(ringService, name, secret))
}

func (systemRing) Forget(name string) error {
	if err := ringHere(); err != nil {
		return err
	}
	return ringError(keyring.Delete(ringService, name))
}

// ringError is an error of the library in the words of the command line.
func ringError(err error) error {
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return command.ErrNoSecret
	case errors.Is(err, keyring.ErrUnsupportedPlatform), isNoRing(err):
		return command.ErrNoKeyring
	}
	return err
}
