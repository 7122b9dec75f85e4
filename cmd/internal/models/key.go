package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
)

// maxKey bounds a key, in bytes: the smallest of the systems' keyrings takes that.
const maxKey = 2560

func keyCommand(c *command.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Keep the keys of providers in the system's keyring",
		Long: `Keep the keys of providers in the system's keyring: the Secret Service of Linux desktops (GNOME Keyring,
KWallet, KeePassXC), the keychain of macOS, the credentials of Windows. A key of the environment comes first, and
then what key_command of the configuration prints.`,
		Args: func(_ *cobra.Command, args []string) error {
			return command.Usage("models key: want set PROVIDER or rm PROVIDER")
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	one := func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 { // what is too much may be the key: it is not said again
			return command.Usage("models key %s: want one provider, and the key on standard input\n"+
				"hint: helve models key %s --help", cmd.Name(), cmd.Name())
		}
		return nil
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "set PROVIDER",
		Short: "Have the keyring keep a key",
		Long: `Have the keyring keep the key of a provider. It is typed at the terminal, where it is not shown, or read from
standard input: one line. It is no word of the command line, which other programs see.`,
		Example: `  helve models key set anthropic
  pass show anthropic | helve models key set anthropic`,
		Args: one,
		RunE: func(cmd *cobra.Command, args []string) error {
			return keep(cmd.Context(), c.Streams(), c.Flags.Common, args[0])
		},
	}, &cobra.Command{
		Use:   "rm PROVIDER",
		Short: "Have the keyring forget a key",
		Args:  one,
		RunE: func(cmd *cobra.Command, args []string) error {
			return forget(cmd.Context(), c.Streams(), c.Flags.Common, args[0])
		},
	})
	return cmd
}

// keep puts a key into the keyring, and says what comes before it.
func keep(ctx context.Context, s command.Streams, common command.Common, name string) error {
	const cmd = "models key set"
	p, err := named(s, common, cmd, name)
	if err != nil {
		return err
	}
	key, err := readKey(ctx, s, cmd, name)
	if err != nil {
		return err
	}
	if err := s.KeepKey(ctx, p, key); err != nil {
		return ringFailed(cmd, p, err)
	}
	s.Say("the keyring has the key of %s", p.Name)
	switch place, _ := s.KeyPlace(ctx, p); place { // what the keyring said just now is no error
	case command.KeyFromEnv:
		s.Note("the environment has another one, which comes first: %s", strings.Join(p.KeyEnv, ", "))
	case command.KeyFromCommand:
		s.Note("providers.%s.key_command comes first", p.Name)
	}
	return nil
}

// forget takes a key out of the keyring.
func forget(ctx context.Context, s command.Streams, common command.Common, name string) error {
	const cmd = "models key rm"
	p, err := named(s, common, cmd, name)
	if err != nil {
		return err
	}
	if err := s.ForgetKey(ctx, p); err != nil {
		return ringFailed(cmd, p, err)
	}
	s.Say("the keyring has no key of %s any more", p.Name)
	return nil
}

func named(s command.Streams, common command.Common, cmd, name string) (command.Provider, error) {
	read, err := common.LoadHere(s)
	if err != nil {
		return command.Provider{}, err
	}
	return provider(s, read, cmd, name)
}

// readKey is the key that is typed, or that comes on standard input.
func readKey(ctx context.Context, s command.Streams, cmd, name string) (string, error) {
	var text string
	var err error
	if terminal.Is(s.Stdin) {
		text, err = s.Terminal().Secret(ctx, "The key of "+name+": ")
	} else {
		var all []byte
		all, err = io.ReadAll(io.LimitReader(s.Stdin, maxKey+3)) // it may end in CRLF
		text = string(all)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "", &command.ExitError{Status: command.ExitInterrupted, Err: errors.New("interrupted")}
	case err != nil:
		return "", err
	}
	key := strings.TrimSpace(text)
	switch {
	case key == "":
		return "", command.Usage("%s: no key came\nhint: type it, or have standard input bring it", cmd)
	case strings.ContainsAny(key, "\r\n"):
		return "", command.Usage("%s: more than one line came: want the key alone", cmd)
	case len(key) > maxKey:
		return "", command.Usage("%s: a key has at most %d bytes", cmd, maxKey)
	}
	return key, nil
}

// ringFailed says what a keyring did not do, and what does without one.
func ringFailed(cmd string, p command.Provider, err error) error {
	switch {
	case errors.Is(err, command.ErrNoSecret):
		return command.Failed(fmt.Errorf("%s: the keyring has no key of %s", cmd, p.Name))
	case errors.Is(err, command.ErrNoKeyring):
		next := "have providers." + p.Name + ".key_command print the key"
		if len(p.KeyEnv) > 0 {
			next = "set " + p.KeyEnv[0] + ", or " + next
		}
		return command.Failed(fmt.Errorf("%s: %w\nhint: %s", cmd, err, next))
	}
	return command.Failed(fmt.Errorf("%s: %w", cmd, err))
}
