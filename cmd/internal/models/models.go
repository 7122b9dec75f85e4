// Package models has the command that lists the models which providers offer, and keeps their keys in the keyring.
package models

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/redirect"
)

const (
	// listTime bounds the asking of one provider: a list takes a second at most, and nobody waits long for one.
	listTime = 20 * time.Second
	// maxList bounds a list, in bytes: the longest have some hundred kilobytes.
	maxList = 8 << 20
)

// A listed model is one that a provider offers.
type listed struct {
	ID       string `json:"id"` // PROVIDER/NAME
	Provider string `json:"provider"`
	Context  int64  `json:"context"` // tokens that it reads; 0: the provider does not say
	Key      string `json:"key"`     // where the key comes from: env, command, keyring or none
	Alias    string `json:"alias"`   // "": none
}

// options say what is listed.
type options struct {
	command.Common
	provider string // "": all that can be asked
	json     bool
}

// Command is helve models.
func Command(c *command.Line) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "The models that helve run can ask",
		Long: `Ask the providers which models they offer: those that have a key, those of the configuration
(providers), and Ollama where it runs. helve models key keeps keys in the system's keyring.

The model of helve run is --model, else that of the conversation, else "model" in the configuration;
models.aliases gives models short names, models.fallback says which take over.`,
		Example: `  helve models
  helve models ollama --json
  helve config set -g model anthropic/claude-sonnet-4-5`,
		Args: command.Between(0, 1, "one provider"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			if len(args) == 1 {
				o.provider = args[0]
			}
			return list(cmd.Context(), c.Streams(), o)
		},
	}
	command.JSONFlag(cmd, &o.json)
	cmd.AddCommand(keyCommand(c))
	return cmd
}

// list prints the models. A provider that was named and cannot be asked is a failure, another one a line.
func list(ctx context.Context, s command.Streams, o options) error {
	read, err := o.LoadHere(s)
	if err != nil {
		return err
	}
	asked, err := providers(ctx, s, read, o.provider)
	if err != nil {
		return err
	}
	found, failed := askAll(ctx, s, asked)
	for i, p := range asked {
		if failed[i] == nil {
			continue
		}
		if o.provider != "" {
			return command.Failed(fmt.Errorf("models: %s: %w", p.Name, failed[i]))
		}
		s.Note("%s: %s", p.Name, command.OneLine(failed[i].Error()))
	}
	out := slices.Concat(found...)
	name(out, read)
	slices.SortFunc(out, func(a, b listed) int { return cmp.Compare(a.ID, b.ID) })
	if o.json {
		return s.PrintJSON(append([]listed{}, out...))
	}
	if len(out) == 0 && len(asked) > 0 && !slices.ContainsFunc(failed, isError) {
		err := errors.New("models: the list is empty: no model is offered")
		return &command.ExitError{Status: command.ExitUnknown, Err: err}
	}
	if len(out) == 0 {
		return &command.ExitError{Status: command.ExitUnknown, Err: errors.New("models: no provider can be asked\n" +
			"hint: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, have the keyring keep a key " +
			"(helve models key set), or start Ollama")}
	}
	t := s.Table()
	for _, m := range out {
		context := ""
		if m.Context > 0 {
			context = strconv.FormatInt(m.Context, 10)
		}
		t.Row(command.Printable(m.ID), context, m.Key, m.Alias)
	}
	return t.Flush()
}

func isError(err error) bool { return err != nil }

// providers are those that are asked: the one of that name, or all that may answer.
func providers(
	ctx context.Context, s command.Streams, read *config.Config, only string,
) ([]command.Provider, error) {
	if only != "" {
		p, err := provider(s, read, "models", only)
		return []command.Provider{p}, err
	}
	var out []command.Provider
	// Its models are those of openai.
	kinds := slices.DeleteFunc(command.Kinds(), func(kind string) bool { return kind == "openai-responses" })
	names := append(kinds, slices.Collect(maps.Keys(read.Providers))...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		p, ok := s.ProviderOf(read, name)
		if !ok {
			continue
		}
		place, err := s.KeyPlace(ctx, p)
		if err != nil {
			s.Note("%s: %s", p.Name, command.OneLine(err.Error()))
		}
		if p.Own || p.Kind == "ollama" || place != command.KeyFromNowhere {
			out = append(out, p)
		}
	}
	return out, nil
}

// provider is the one of a name.
func provider(s command.Streams, read *config.Config, cmd, name string) (command.Provider, error) {
	p, ok := s.ProviderOf(read, name)
	if !ok {
		return p, command.Usage("%s: provider %q is not known\nhint: %s, or one of providers in your configuration",
			cmd, command.Brief(name), strings.Join(command.Kinds(), ", "))
	}
	return p, nil
}

// askAll asks all at the same time.
func askAll(ctx context.Context, s command.Streams, of []command.Provider) (found [][]listed, failed []error) {
	found, failed = make([][]listed, len(of)), make([]error, len(of))
	var wg sync.WaitGroup
	for i, p := range of {
		wg.Go(func() { found[i], failed[i] = ask(ctx, s, p) })
	}
	wg.Wait()
	return found, failed
}

// An answer is what providers list, each in its own members. An entry of another form is left out: others may be right.
type answer struct {
	Data   []json.RawMessage `json:"data"`   // OpenAI and those who speak as it does; Anthropic
	Models []json.RawMessage `json:"models"` // Gemini and Ollama
}

// An offered model is an entry of such a list.
type offered struct {
	ID      string `json:"id"`
	Length  int64  `json:"context_length"`
	Window  int64  `json:"context_window"`
	Longest int64  `json:"max_model_len"`
	Most    int64  `json:"max_input_tokens"`

	Name    string   `json:"name"` // of Gemini and Ollama
	Limit   int64    `json:"inputTokenLimit"`
	Methods []string `json:"supportedGenerationMethods"`
}

// ask asks one provider.
func ask(ctx context.Context, s command.Streams, p command.Provider) ([]listed, error) {
	key, err := s.Key(ctx, p)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, listTime)
	defer stop()
	r, err := request(ctx, p, key)
	if err != nil {
		return nil, err
	}
	body, err := fetch(r)
	if ctx.Err() == context.DeadlineExceeded {
		return nil, fmt.Errorf("no list of models within %d seconds", int(listTime.Seconds()))
	}
	if err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil || a.Data == nil && a.Models == nil && p.Kind != "ollama" {
		return nil, errors.New("the answer is no list of models")
	}
	place, err := s.KeyPlace(ctx, p)
	return a.models(p, place), err
}

// fetch is the body of an answer of 200. The key goes to no other server than the one that is asked.
func fetch(r *http.Request) ([]byte, error) {
	client := http.Client{CheckRedirect: redirect.Within}
	res, err := client.Do(r)
	if wrapped, is := errors.AsType[*url.Error](err); is && errors.Is(err, redirect.ErrElsewhere) {
		return nil, wrapped.Err
	}
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxList+1))
	switch {
	case err != nil:
		return nil, err
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server says %s: %s", res.Status, command.Brief(words(body)))
	case len(body) > maxList:
		return nil, fmt.Errorf("the list of models is longer than %d MiB", maxList>>20)
	}
	return body, nil
}

// words are the message of a refusal in the form that OpenAI, Anthropic and Gemini share, else all of it.
func words(body []byte) string {
	var refusal struct{ Error struct{ Message string } }
	if json.Unmarshal(body, &refusal) == nil && refusal.Error.Message != "" {
		return refusal.Error.Message
	}
	return string(body)
}

// request is the listing call of a kind of server.
func request(ctx context.Context, p command.Provider, key string) (*http.Request, error) {
	address, header := "", http.Header{}
	set := func(name, value string) {
		if key != "" {
			header.Set(name, value)
		}
	}
	base := strings.TrimSuffix(p.BaseURL, "/")
	switch p.Kind {
	case "openai", "openai-responses":
		address = cmp.Or(base, "https://api.openai.com/v1") + "/models"
		set("Authorization", "Bearer "+key)
	case "anthropic":
		address = cmp.Or(base, "https://api.anthropic.com") + "/v1/models?limit=1000"
		header.Set("Anthropic-Version", "2023-06-01")
		set("X-Api-Key", key)
	case "gemini":
		address = cmp.Or(base, "https://generativelanguage.googleapis.com") + "/v1beta/models?pageSize=1000"
		set("X-Goog-Api-Key", key)
	case "ollama":
		address = base + "/api/tags"
		set("Authorization", "Bearer "+key)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header = header
	for name, values := range p.Header {
		r.Header[name] = values
	}
	return r, nil
}

// models are those of an answer that can hold a conversation.
func (a answer) models(p command.Provider, key string) []listed {
	var out []listed
	for _, raw := range slices.Concat(a.Data, a.Models) {
		var m offered
		id := ""
		if json.Unmarshal(raw, &m) == nil {
			id = cmp.Or(m.ID, strings.TrimPrefix(m.Name, "models/"))
		}
		talks := m.Methods == nil || slices.Contains(m.Methods, "generateContent")
		if id == "" || !talks {
			continue
		}
		out = append(out, listed{
			ID: p.Name + "/" + id, Provider: p.Name, Key: key,
			Context: cmp.Or(m.Length, m.Window, m.Longest, m.Most, m.Limit),
		})
	}
	return out
}

// name adds the aliases of the configuration.
func name(list []listed, read *config.Config) {
	if read.Models == nil {
		return
	}
	for _, alias := range slices.Sorted(maps.Keys(read.Models.Aliases)) {
		for i := range list {
			if list[i].ID == read.Models.Aliases[alias] && list[i].Alias == "" {
				list[i].Alias = alias
			}
		}
	}
}
