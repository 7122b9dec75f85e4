package command

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Keyring is where the system keeps secrets of its user. It may ask them to unlock it, and wait for that.
type Keyring interface {
	// Secret is the one of a name. ErrNoSecret: it has none; ErrNoKeyring: there is no keyring.
	Secret(name string) (string, error)
	Keep(name, secret string) error
	Forget(name string) error // ErrNoSecret likewise
}

var (
	ErrNoSecret  = errors.New("it is not in the keyring")
	ErrNoKeyring = errors.New("there is no keyring here")
)

// ringTime bounds the waiting for a keyring: a person may have to look up how it is unlocked.
const ringTime = time.Minute

// ringName is what the keyring calls the key of a provider: openai-responses is another way to speak to openai.
func ringName(p Provider) string {
	if p.Name == "openai-responses" && !p.Own {
		return "openai"
	}
	return p.Name
}

// ringed asks the keyring. One that never answers is left waiting until the process ends: its libraries take no
// context.
func (s Streams) ringed(ctx context.Context, ask func(Keyring) (string, error)) (string, error) {
	if s.Keyring == nil {
		return "", ErrNoKeyring
	}
	ctx, stop := context.WithTimeout(ctx, ringTime)
	defer stop()
	type answer struct {
		secret string
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		secret, err := ask(s.Keyring)
		answered <- answer{secret, err}
	}()
	select {
	case a := <-answered:
		return a.secret, a.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", fmt.Errorf("the keyring did not answer in %s", ringTime)
		}
		return "", ctx.Err()
	}
}

// ringKey is the key of a provider that the keyring has; "": it has none.
func (s Streams) ringKey(ctx context.Context, p Provider) (string, error) {
	if p.Kind == "ollama" && !p.Own { // it wants none: nobody is to unlock a keyring for it
		return "", nil
	}
	key, err := s.ringed(ctx, func(ring Keyring) (string, error) { return ring.Secret(ringName(p)) })
	switch {
	case errors.Is(err, ErrNoSecret), errors.Is(err, ErrNoKeyring):
		return "", nil
	case err != nil:
		return "", &ringError{fmt.Errorf("the keyring does not say whether it has the key of %s: %w", p.Name, err)}
	}
	return key, nil
}

// A ringError is a keyring that is there and does not answer. What wants no key goes on without.
type ringError struct{ error }

func (e *ringError) Unwrap() error { return e.error }

// KeepKey has the keyring keep the key of a provider.
func (s Streams) KeepKey(ctx context.Context, p Provider, key string) error {
	_, err := s.ringed(ctx, func(ring Keyring) (string, error) { return "", ring.Keep(ringName(p), key) })
	return err
}

// ForgetKey has the keyring forget the key of a provider. ErrNoSecret: it has none.
func (s Streams) ForgetKey(ctx context.Context, p Provider) error {
	_, err := s.ringed(ctx, func(ring Keyring) (string, error) { return "", ring.Forget(ringName(p)) })
	return err
}
