package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"helve/cmd/internal/command"
	natspool "helve/source/nats"
)

// keyOf is the key in a file, and its public part.
func keyOf(file string) (_ nats.Option, public string, err error) {
	if file == "" {
		return nil, "", nil
	}
	option, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		return nil, "", fmt.Errorf("bus: key: %w", err)
	}
	var o nats.Options
	if err := option(&o); err != nil {
		return nil, "", fmt.Errorf("bus: key: %w", err)
	}
	return option, o.Nkey, nil
}

// private tells whether only its owner can read a key.
func private(file string) error {
	st, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("bus: key: %w", err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("bus: key: %s can be read by others: chmod 600 %s", file, file)
	}
	return nil
}

// signerOf signs what a gateway tells workers; nil: it signs nothing.
func signerOf(o command.BusOptions) (*natspool.Signer, error) {
	if o.TicketKey == "" {
		return nil, nil
	}
	signer, err := readSigner(o.TicketKey)
	if err != nil {
		return nil, err
	}
	if o.Key == "" {
		return signer, nil
	}
	_, public, err := keyOf(o.Key)
	if err == nil && public == signer.Public() {
		// A server has whoever connects sign what it says: it could say a ticket.
		err = errors.New("bus: key and ticket_key are one key, with which the server could have tickets signed: " +
			"helve nodes key makes another")
	}
	return signer, err
}

// readSigner has the key in a file sign.
func readSigner(file string) (*natspool.Signer, error) {
	if err := private(file); err != nil {
		return nil, err
	}
	seed, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("bus: key: %w", err)
	}
	pair, err := nkeys.ParseDecoratedUserNKey(seed) // as the client reads the key that it connects with
	if err != nil {
		return nil, fmt.Errorf("bus: key: %s: %w", file, err)
	}
	seed, err = pair.Seed()
	if err != nil {
		return nil, fmt.Errorf("bus: key: %s: %w", file, err)
	}
	return natspool.NewSigner(seed)
}

// TicketKey is the public part of the key in a file, which is made where there is none.
func (bus) TicketKey(file string) (string, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(file); err != nil {
			return "", err
		}
	}
	signer, err := readSigner(file)
	if err != nil {
		return "", err
	}
	return signer.Public(), nil
}

// makeKey makes a key in a file that nobody else can read.
func makeKey(file string) (err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	seed, err := pair.Seed()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(append(seed, '\n'))
	return err
}
