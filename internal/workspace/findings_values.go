package workspace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"helve/internal/config"
	"helve/internal/names"
	"helve/server"
	"helve/source/upstream"
)

// emptyChoices are entries of include_tools and exclude_tools that mean none of a server's tools. Of a server whose
// list nobody knows nothing can be said.
func (w *Assembly) emptyChoices() []Finding {
	var found []Finding
	for _, s := range w.servers {
		at := w.settings.At("mcp_servers", s.Name())
		for _, c := range s.Unmatched() {
			found = append(found, Finding{
				File:    at.File,
				Line:    at.Line,
				Key:     "mcp_servers." + s.Name(),
				Message: c.Key + ": " + emptyChoice(c, s),
				Certain: c.Err != nil,
			})
		}
	}
	return found
}

func emptyChoice(c upstream.Choice, s *upstream.Source) string {
	if c.Err != nil {
		return fmt.Sprintf("%q: %v", c.Text, c.Err)
	}
	text := fmt.Sprintf("%s has no tool %q", s.Name(), c.Text)
	if near := names.Near(c.Text, s.Known(), 1); len(near) > 0 {
		text += fmt.Sprintf(": did you mean %q?", near[0])
	}
	return text
}

// impossibleHosts are the entries of fetch.allow_private that no address can be.
func (w *Assembly) impossibleHosts() []Finding {
	if w.settings.Fetch == nil {
		return nil
	}
	at := w.settings.At("fetch", "allow_private")
	var found []Finding
	for _, host := range w.settings.Fetch.AllowPrivate {
		if err := config.CheckHost(host); err != nil {
			found = append(found, Finding{
				File:    at.File,
				Line:    at.Line,
				Key:     "fetch.allow_private",
				Message: err.Error(),
				Certain: true,
			})
		}
	}
	return found
}

// misspeltClients are names of client_profiles that are nearly those of known clients. One that says which clients it
// means, in info, is a client of its own.
func (w *Assembly) misspeltClients() []Finding {
	var known []string
	for _, p := range server.Profiles() {
		known = append(known, p.Name)
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(w.settings.ClientProfiles)) {
		if slices.Contains(known, name) || len(w.settings.ClientProfiles[name].Info) > 0 {
			continue
		}
		near := names.Near(name, known, 1)
		if len(near) == 0 {
			continue
		}
		at := w.settings.At("client_profiles", name)
		found = append(found, Finding{
			File:    at.File,
			Line:    at.Line,
			Key:     "client_profiles." + name,
			Message: fmt.Sprintf("no client %q is known: did you mean %q? One of that name says so in info", name, near[0]),
		})
	}
	return found
}

// base is the set of tools that a profile is made of: its own name, or what clients says of it.
func (s *settings) base() (string, error) {
	client, ok := s.Clients[s.Profile]
	if !ok {
		return s.Profile, nil
	}
	if client.Profile == "" {
		return profiles[0], nil
	}
	if slices.Contains(profiles, client.Profile) {
		return client.Profile, nil
	}
	hint := "want " + strings.Join(profiles, ", ")
	if near := names.Near(client.Profile, profiles, 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "?"
	}
	return "", fmt.Errorf("profile %q: there is no such set of tools\nhint: %s", client.Profile, hint)
}
