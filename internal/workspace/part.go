package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"helve/engine/stub"
	"helve/internal/config"
	"helve/internal/version"
	"helve/tool"
)

// A Part is something that a workspace may have beside files, searches, bash, the policy and the history: a program
// links the parts that it names. Of two with a key in common the later takes the place of the earlier. Its methods are
// called while a workspace is opened, one after the other.
type Part interface {
	// Keys are the keys of the configuration that are the part's own. Without the part they are an error.
	Keys() []string
	// Open brings what the part is for to a workspace that is being opened. An error ends the opening.
	Open(ctx context.Context, s *Site) error
}

// imports are the parts of this module, by the keys that they have.
func imports(key string) string {
	switch key {
	case "code", "diagnostics":
		return "parts/code"
	case "fetch":
		return "parts/web"
	case "mcp_servers":
		return "parts/mcp"
	case "discovery":
		return "parts/discovery"
	case "script":
		return "parts/script"
	}
	return ""
}

// partKeys are the keys that only a part understands. The bus is the program helve's own.
func partKeys() []string {
	return []string{"bus", "code", "diagnostics", "discovery", "fetch", "mcp_servers", "script"}
}

// partsOf are the parts of a workspace: of two with a key in common the later.
func partsOf(all []Part) []Part {
	var out []Part
	for i, p := range all {
		later := slices.ContainsFunc(all[i+1:], func(q Part) bool {
			return slices.ContainsFunc(q.Keys(), func(key string) bool { return slices.Contains(p.Keys(), key) })
		})
		if !later {
			out = append(out, p)
		}
	}
	return out
}

// furtherKeys are those of parts that the configuration does not know by itself.
func furtherKeys(parts []Part) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.Keys()...)
	}
	return out
}

// checkParts tells of keys that are there for a part which the program does not have: what they ask for would not
// happen.
func checkParts(parts []Part, s *settings, tolerant bool, say messages) error {
	have := furtherKeys(parts)
	var errs []error
	for _, key := range partKeys() {
		i := slices.IndexFunc(s.Layers, func(l config.Layer) bool { return l.Has(key) })
		if i < 0 || slices.Contains(have, key) {
			continue
		}
		err := fmt.Errorf("%s: %s: %s", s.Layers[i].At(key), key, unlinked(key))
		if !tolerant {
			errs = append(errs, err)
			continue
		}
		say.warn("%v", err)
	}
	return errors.Join(errs...)
}

// unlinked says what is missing for a key.
func unlinked(key string) string {
	at := imports(key)
	if at == "" {
		return "this program does not have it, the program helve does"
	}
	at = version.Module() + "/" + at
	return fmt.Sprintf("this program does not have it: import %q, and name its Part in Options.Parts", at)
}

// openParts has each part bring what it is for.
func (w *Assembly) openParts(ctx context.Context) error {
	for _, p := range w.o.Parts { // before others ask for it while they are opened
		if t, ok := p.(Telling); ok {
			w.o.Telemetry = t.Telemetry()
		}
	}
	for _, p := range w.o.Parts {
		if err := p.Open(ctx, &Site{w}); err != nil {
			return err
		}
	}
	return nil
}

// A Site is a workspace that is being opened, as its parts see it. It is used during Part.Open only.
type Site struct{ w *Assembly }

// Dirs are the folders that the tools work in, the workspace's first, with links resolved.
func (s *Site) Dirs() []string { return s.w.Dirs() }

// Environ is the person's environment, as os.Environ gives it.
func (s *Site) Environ() []string { return slices.Clone(s.w.o.Environ) }

// Log hears of what is wrong and goes on all the same.
func (s *Site) Log() *slog.Logger { return s.w.o.Log }

// Value is what the configuration says of a key of the part's, with all layers together; nil: nothing.
func (s *Site) Value(key string) json.RawMessage {
	v, _ := s.w.conf.opened.Get(key)
	return v
}

// Add brings tools. They are judged like all others.
func (s *Site) Add(tools ...tool.Tool) { s.w.brought.tools = append(s.w.brought.tools, tools...) }

// AddSources brings sources of tools, which are listed with all others.
func (s *Site) AddSources(sources ...tool.Source) {
	s.w.brought.sources = append(s.w.brought.sources, sources...)
}

// Around brings a middleware around every call, inside the record of calls and outside the configuration's hooks.
func (s *Site) Around(f func(tool.Caller) tool.Caller) {
	s.w.brought.around = append(s.w.brought.around, f)
}

// Close notes what the end of the workspace has to do. The last that was noted is done first.
func (s *Site) Close(f func() error) { s.w.brought.close = append(s.w.brought.close, f) }

// brought is what parts have brought to a workspace.
type brought struct {
	own     []tool.Tool // that stand beside those of package builtin
	tools   []tool.Tool
	sources []tool.Source
	around  []func(tool.Caller) tool.Caller
	close   []func() error

	later     func() ([]tool.Source, error)       // after relocate; nil: none
	relocate  Relocate                            // nil: the own tools work here
	shows     func(set string, t *tool.Spec) bool // nil: a profile lists all of them
	breaks    Breaks                              // nil: nobody knows what a change breaks
	functions func(*tool.View) []stub.Function    // nil: there are no scripts
	patience  map[string]time.Duration            // of sources: how long their listing may take
	servers   Servers                             // nil: there are none
	findings  []func() []Finding
	things    map[reflect.Type]any // what a part finds again by its type
}

// end ends what the parts have begun, the last first.
func (b *brought) end() error {
	var errs []error
	for _, f := range slices.Backward(b.close) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// broken asks the part that knows code what a change breaks.
func (b *brought) broken(ctx context.Context, path string) func(context.Context) (broke []string, unchecked string) {
	if b.breaks == nil {
		return nil
	}
	return b.breaks(ctx, path)
}
