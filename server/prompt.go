package server

import (
	"context"
	"encoding/json"
	"strings"

	rawjson "helve/internal/json"
)

// promptNames are the public names of the upstreams' prompts: their own, and server__name where an earlier one has that.
func promptNames(items []item) map[string]item {
	out := map[string]item{}
	for _, it := range items {
		name := it.key
		if _, taken := out[name]; taken {
			name = it.up.Name() + "__" + it.key
		}
		if _, taken := out[name]; !taken {
			out[name] = it
		}
	}
	return out
}

func listPrompts(ctx context.Context, r *request) (json.RawMessage, error) {
	if c := rawjson.Get(r.params, "cursor"); c != nil && string(c) != jsonNull {
		return nil, errorf(codeInvalidParams, "invalid params: unknown cursor: list again from the start")
	}
	home, err := r.room(ctx)
	if err != nil {
		return nil, err
	}
	r.live = home
	defer home.begin(r)()
	items := home.items(ctx, kindPrompts)
	names := promptNames(items)
	all := []json.RawMessage{}
	for _, it := range items {
		for _, name := range []string{it.key, it.up.Name() + "__" + it.key} {
			if n, ok := names[name]; ok && n.up.Name() == it.up.Name() && n.key == it.key {
				all = append(all, rawjson.Set(it.raw, "name", rawjson.Quote(name)))
				break
			}
		}
	}
	return r.complete(rawjson.Join([]rawjson.Member{{Key: "prompts", Value: joined(all)}}), true), nil
}

func getPrompt(ctx context.Context, r *request) (json.RawMessage, error) {
	name, ok := rawjson.String(rawjson.Get(r.params, "name"))
	if !ok {
		return nil, errorf(codeInvalidParams, `invalid params: "name" is missing`)
	}
	home, err := r.room(ctx)
	if err != nil {
		return nil, err
	}
	r.live = home
	defer home.begin(r)()
	it, ok := promptNames(home.items(ctx, kindPrompts))[name]
	if !ok {
		return nil, errorf(codeInvalidParams, "unknown prompt %.80q", name)
	}
	params := rawjson.Set(r.passed(), "name", rawjson.Quote(it.key))
	res, err := it.up.Request(ctx, home.session, r.method, params)
	if err != nil {
		return nil, err
	}
	return r.complete(res, false), nil
}

// complete is completion/complete: of our own templates, and of the upstreams' prompts and templates.
func complete(ctx context.Context, r *request) (json.RawMessage, error) {
	ref := rawjson.Get(r.params, "ref")
	kind, _ := rawjson.String(rawjson.Get(ref, "type"))
	home, err := r.room(ctx)
	if err != nil {
		return nil, err
	}
	r.live = home
	defer home.begin(r)()
	switch kind {
	case "ref/prompt":
		name, _ := rawjson.String(rawjson.Get(ref, "name"))
		it, ok := promptNames(home.items(ctx, kindPrompts))[name]
		if !ok {
			return nil, errorf(codeInvalidParams, "unknown prompt %.80q", name)
		}
		return r.completeBy(ctx, home, it, rawjson.Set(ref, "name", rawjson.Quote(it.key)))
	case "ref/resource":
		uri, _ := rawjson.String(rawjson.Get(ref, "uri"))
		if strings.HasPrefix(uri, fileScheme) && r.peer.srv.o.Files != nil {
			return r.completeFile(ctx, home)
		}
		for _, it := range home.items(ctx, kindTemplates) {
			if it.key == uri {
				return r.completeBy(ctx, home, it, ref)
			}
		}
		return r.complete(completions(nil), false), nil
	}
	return nil, errorf(codeInvalidParams, `invalid params: "ref" must be of type ref/prompt or ref/resource`)
}

func (r *request) completeBy(ctx context.Context, home *room, it item, ref json.RawMessage) (json.RawMessage, error) {
	res, err := it.up.Request(ctx, home.session, r.method, rawjson.Set(r.passed(), "ref", ref))
	if err != nil {
		return nil, err
	}
	return r.complete(res, false), nil
}

func (r *request) completeFile(ctx context.Context, home *room) (json.RawMessage, error) {
	if _, bad := home.kit.View().Lookup("read"); bad != nil { // who may not read does not learn what there is
		return r.complete(completions(nil), false), nil
	}
	prefix, _ := rawjson.String(rawjson.Get(rawjson.Get(r.params, "argument"), "value"))
	paths, err := r.peer.srv.o.Files.Complete(ctx, home.session, prefix, maxCompletions)
	if err != nil {
		return nil, err
	}
	return r.complete(completions(paths), false), nil
}

func completions(values []string) json.RawMessage {
	if values == nil {
		values = []string{}
	}
	return encodePlain(map[string]any{"completion": map[string]any{"values": values, "hasMore": len(values) == maxCompletions}})
}
