package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"

	"helve/agent"
	"helve/internal/config"
)

// A ModelRequest says which model a run wants.
type ModelRequest struct {
	Name    string // PROVIDER/NAME
	Kind    string // what the provider's server speaks: one of Kinds
	BaseURL string // "" means the provider's own
	Key     string // "none" where the server wants none
	Header  http.Header

	Thinking int // tokens that it may think in; 0: its own
}

// Kinds are what the servers of models speak.
func Kinds() []string { return config.ProviderKinds() }

// A Provider is where models are, and what it takes to ask them.
type Provider struct {
	Name    string
	Kind    string
	BaseURL string   // "": its own
	KeyEnv  []string // the variables that may hold its key, the usual one first
	Command []string // prints its key; nil: nothing does
	Header  http.Header
	Own     bool // it stands in the configuration
}

// ollamaHost is where Ollama listens if nobody says otherwise.
const ollamaHost = "http://127.0.0.1:11434"

// ProviderOf is a provider by its name: the configuration's, else one of Kinds; ok is false where there is none.
func (s Streams) ProviderOf(read *config.Config, name string) (p Provider, ok bool) {
	own, given := read.Providers[name]
	p = Provider{Name: name, Kind: name, Own: given}
	if given {
		p.Kind, p.BaseURL, p.Command = own.Kind, own.BaseURL, own.KeyCommand
		if p.Kind == "" {
			p.Kind = "openai" // what servers of other makers speak
			if slices.Contains(Kinds(), name) {
				p.Kind = name
			}
		}
		p.Header = http.Header{}
		for name, value := range own.Headers {
			p.Header.Set(name, value)
		}
	}
	if !slices.Contains(Kinds(), p.Kind) {
		return p, false
	}
	switch {
	case own.KeyEnv != "":
		p.KeyEnv = []string{own.KeyEnv}
	case name == p.Kind:
		p.KeyEnv = KeyVariables(p.Kind)
	}
	if p.BaseURL == "" {
		p.BaseURL = s.baseOf(name)
	}
	return p, true
}

// baseOf is where the environment says that a provider is; "": it does not say.
func (s Streams) baseOf(name string) string {
	switch name {
	case "openai", "openai-responses":
		return s.Getenv("OPENAI_BASE_URL")
	case "anthropic":
		return s.Getenv("ANTHROPIC_BASE_URL")
	case "gemini":
		return s.Getenv("GOOGLE_GEMINI_BASE_URL")
	case "ollama":
		host := s.Getenv("OLLAMA_HOST")
		if host == "" {
			return ollamaHost
		}
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
		return strings.TrimSuffix(host, "/")
	}
	return ""
}

const (
	// keyTime bounds a key_command: a password manager that waits for a finger has that long.
	keyTime = 30 * time.Second
	// maxKey bounds a key, in bytes.
	maxKey = 16 << 10
)

// Where keys come from.
const (
	KeyFromEnv     = "env"
	KeyFromCommand = "command"
	KeyFromKeyring = "keyring"
	KeyFromNowhere = "none"
)

// KeyPlace is where the key of a provider comes from. No command is run. What the configuration says comes before the
// keyring: nobody is to unlock one for a key that is elsewhere.
func (s Streams) KeyPlace(ctx context.Context, p Provider) (string, error) {
	switch {
	case s.envKey(p) != "":
		return KeyFromEnv, nil
	case len(p.Command) > 0:
		return KeyFromCommand, nil
	}
	key, err := s.ringKey(ctx, p)
	if key != "" {
		return KeyFromKeyring, nil
	}
	return KeyFromNowhere, err
}

func (s Streams) envKey(p Provider) string {
	for _, name := range p.KeyEnv {
		if key := strings.TrimSpace(s.Getenv(name)); key != "" {
			return key
		}
	}
	return ""
}

// Key is the key of a provider; "" where nothing has one.
func (s Streams) Key(ctx context.Context, p Provider) (string, error) {
	switch key := s.envKey(p); {
	case key != "":
		return key, nil
	case len(p.Command) == 0:
		return s.ringKey(ctx, p)
	}
	ctx, stop := context.WithTimeout(ctx, keyTime)
	defer stop()
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	cmd.Env, cmd.WaitDelay = s.Environ, time.Second
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{&out, maxKey}, &limited{&talk, maxKey}
	err := cmd.Run()
	key := strings.TrimSpace(out.String())
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the key_command of %s did not end in %s", p.Name, keyTime)
	case err != nil:
		said := Brief(strings.TrimSpace(talk.String()))
		return "", fmt.Errorf("the key_command of %s failed: %w: %s", p.Name, err, said)
	case key == "":
		return "", fmt.Errorf("the key_command of %s printed nothing", p.Name)
	case strings.ContainsAny(key, "\n\r"):
		return "", fmt.Errorf("the key_command of %s printed more than one line: want the key alone", p.Name)
	}
	return key, nil
}

// limited takes so many bytes, and drops the rest.
type limited struct {
	to   *bytes.Buffer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	kept := b[:min(len(b), l.left)]
	l.left -= len(kept)
	l.to.Write(kept)
	return len(b), nil
}

// ModelName is what a word means: an alias of the configuration, or PROVIDER/NAME.
func ModelName(read *config.Config, word string) string {
	if read.Models != nil {
		if meant, ok := read.Models.Aliases[word]; ok {
			return meant
		}
	}
	return word
}

// A named model goes by the name that it was asked for by, whatever speaks for it.
type named struct {
	agent.Model
	name string
}

func (m named) Name() string { return m.name }

// Model makes the model of that name or alias, with the key that it was made with. base is another address than the
// provider's; "": that one. An error that wraps no other says what to do.
func (s Streams) Model(ctx context.Context, read *config.Config, word, base string) (agent.Model, string, error) {
	name := ModelName(read, word)
	if wrong, next, _ := read.StrangeModel(name); wrong != "" {
		return nil, "", fmt.Errorf("%s\nhint: %s", wrong, next)
	}
	provider, _, _ := strings.Cut(name, "/")
	p, ok := s.ProviderOf(read, provider)
	if !ok { // one of the configuration, that does not say what it speaks
		return nil, "", fmt.Errorf("providers.%s says no kind\nhint: helve config set -g providers.%s "+
			"'{\"kind\":\"openai\", …}': %s", Brief(provider), Brief(provider), strings.Join(Kinds(), ", "))
	}
	if base != "" {
		p.BaseURL = base
	}
	wanted := base == "" && p.Kind != "ollama" && !(p.Own && p.BaseURL != "" && len(p.KeyEnv) == 0)
	key, err := s.Key(ctx, p)
	if _, silent := errors.AsType[*ringError](err); silent && !wanted && ctx.Err() == nil {
		err = nil
	}
	if err != nil {
		return nil, "", err
	}
	if key == "" && wanted {
		return nil, "", noKey(p)
	}
	if s.Models == nil {
		return nil, "", errors.New("no models are linked into this program")
	}
	request := ModelRequest{Name: name, Kind: p.Kind, BaseURL: p.BaseURL, Key: key, Header: p.Header}
	if read.Models != nil {
		request.Thinking = read.Models.Thinking
	}
	if key == "" { // the server wants none, the wire format does
		request.Key = "none"
	}
	m, err := s.Models(ctx, request)
	if err != nil {
		return nil, "", err
	}
	return named{m, name}, key, nil
}

// noKey says that the key of a provider is missing, and what would bring it.
func noKey(p Provider) error {
	if len(p.KeyEnv) == 0 {
		return fmt.Errorf("no key for %s\nhint: helve models key set %s has the system's keyring keep it, or "+
			"providers.%s.key_env or key_command says where it is", p.Name, p.Name, p.Name)
	}
	return fmt.Errorf("no key for %s: the variable %s is not set\n"+
		"hint: set it, have the keyring keep it (helve models key set %s) or providers.%s.key_command bring it, "+
		"or name a server that wants no key with --base-url",
		p.Name, p.KeyEnv[0], p.Name, p.Name)
}
