package config

import (
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	rawjson "helve/internal/json"
)

// secretPerm is all that a file with secrets may be to anybody: readable and writable for its owner.
const secretPerm = fs.FileMode(0o600)

// secretParts are where secrets stand in a configuration.
type secretParts struct {
	Servers map[string]struct {
		Env     map[string]string `json:"env" toml:"env"`
		Headers map[string]string `json:"headers" toml:"headers"`
		OAuth   struct {
			Secret string `json:"client_secret" toml:"client_secret"`
		} `json:"oauth" toml:"oauth"`
	} `json:"mcp_servers" toml:"mcp_servers"`
	Providers map[string]struct {
		Headers map[string]string `json:"headers" toml:"headers"`
	} `json:"providers" toml:"providers"`
}

// secret tells that a file's text holds what may be a secret: a variable or a header of a server or a provider, or the
// secret of an OAuth client, that is written out and no reference such as ${env:TOKEN}. A text that cannot be read may
// hold one.
func secret(file string, text []byte) bool {
	var parts secretParts
	var err error
	if strings.HasSuffix(file, ".toml") {
		err = toml.Unmarshal(text, &parts)
	} else if text, err = rawjson.Plain(text); err == nil {
		err = json.Unmarshal(text, &parts)
	}
	if err != nil {
		return true
	}
	for _, server := range parts.Servers {
		values := slices.Collect(maps.Values(server.Env))
		values = slices.AppendSeq(values, maps.Values(server.Headers))
		if slices.ContainsFunc(append(values, server.OAuth.Secret), writtenOut) {
			return true
		}
	}
	for _, provider := range parts.Providers {
		if slices.ContainsFunc(slices.Collect(maps.Values(provider.Headers)), writtenOut) {
			return true
		}
	}
	return false
}

func writtenOut(value string) bool { return value != "" && !strings.Contains(value, "${") }
