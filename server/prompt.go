package server

import (
	"context"
	"encoding/json"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// maxCompletions is what the protocol lets one answer hold.
const maxCompletions = 100

// promptNames are the public names of the upstreams' prompts: their own, and
// server__name where an earlier one has that.
func promptNames(items []item) map[string]item {
	out := map[string]item{}
	for _, it := range items {
		name := it.key
		if _, taken := out[name]; taken {
			name = it.qualified()
		}
		if _, taken := out[name]; !taken {
			out[name] = it
		}
	}
	return out
}

func (it item) qualified() string { return it.up.Name() + "__" + it.key }

// listPrompts is prompts/list. A prompt whose two names are both taken is left
// out: nobody could ask for it.
func listPrompts(ctx context.Context, v *visit) (json.RawMessage, error) {
	items := v.conv.items(ctx, kindPrompts)
	names := promptNames(items)
	all := []json.RawMessage{}
	for _, it := range items {
		for _, name := range []string{it.key, it.qualified()} {
			n, ok := names[name]
			if ok && n.up.Name() == it.up.Name() && n.key == it.key {
				all = append(all, rawjson.Set(it.raw, "name", rawjson.Quote(name)))
				break
			}
		}
	}
	out := []rawjson.Member{{Key: "prompts", Value: joined(all)}}
	return v.complete(rawjson.Join(out), true), nil
}

// getPrompt passes prompts/get to the server that listed the prompt, under its own
// name for it.
func getPrompt(ctx context.Context, r *request) (json.RawMessage, error) {
	name, ok := rawjson.String(rawjson.Get(r.Params, "name"))
	if !ok {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, `invalid params: "name" is missing`)
	}
	return attached(func(ctx context.Context, v *visit) (json.RawMessage, error) {
		it, ok := promptNames(v.conv.items(ctx, kindPrompts))[name]
		if !ok {
			return nil, unknownPrompt(name)
		}
		params := rawjson.Set(v.passed(), "name", rawjson.Quote(it.key))
		res, err := it.up.Request(ctx, v.conv.session, v.Method, params)
		if err != nil {
			return nil, err
		}
		return v.complete(res, false), nil
	})(ctx, r)
}

func unknownPrompt(name string) *rpc.Error {
	return rpc.Errorf(rpc.CodeInvalidParams, "unknown prompt %.80q", name)
}

// complete is completion/complete: of our own templates, and of the upstreams'
// prompts and templates.
func complete(ctx context.Context, v *visit) (json.RawMessage, error) {
	ref := rawjson.Get(v.Params, "ref")
	what, _ := rawjson.String(rawjson.Get(ref, "type"))
	switch what {
	case "ref/prompt":
		name, _ := rawjson.String(rawjson.Get(ref, "name"))
		it, ok := promptNames(v.conv.items(ctx, kindPrompts))[name]
		if !ok {
			return nil, unknownPrompt(name)
		}
		return v.completeBy(ctx, it, rawjson.Set(ref, "name", rawjson.Quote(it.key)))
	case "ref/resource":
		return v.completeResource(ctx, ref)
	}
	return nil, rpc.Errorf(rpc.CodeInvalidParams,
		`invalid params: "ref" must be of type ref/prompt or ref/resource`)
}

func (v *visit) completeResource(
	ctx context.Context, ref json.RawMessage,
) (json.RawMessage, error) {
	uri, _ := rawjson.String(rawjson.Get(ref, "uri"))
	if strings.HasPrefix(uri, fileScheme) && v.conn.srv.o.Files != nil {
		return v.completeFile(ctx)
	}
	for _, it := range v.conv.items(ctx, kindTemplates) {
		if it.key == uri {
			return v.completeBy(ctx, it, ref)
		}
	}
	return v.complete(completions(nil), false), nil
}

func (v *visit) completeBy(
	ctx context.Context, it item, ref json.RawMessage,
) (json.RawMessage, error) {
	res, err := it.up.Request(ctx, v.conv.session, v.Method, rawjson.Set(v.passed(), "ref", ref))
	if err != nil {
		return nil, err
	}
	return v.complete(res, false), nil
}

func (v *visit) completeFile(ctx context.Context) (json.RawMessage, error) {
	_, bad := v.conv.kit.View().Lookup("read")
	if bad != nil { // who may not read does not learn what there is
		return v.complete(completions(nil), false), nil
	}
	prefix, _ := rawjson.String(rawjson.Get(rawjson.Get(v.Params, "argument"), "value"))
	paths, err := v.conn.srv.o.Files.Complete(ctx, v.conv.session, prefix, maxCompletions)
	if err != nil {
		return nil, err
	}
	return v.complete(completions(paths), false), nil
}

func completions(values []string) json.RawMessage {
	if values == nil {
		values = []string{}
	}
	return encodePlain(map[string]any{"completion": map[string]any{
		"values":  values,
		"hasMore": len(values) == maxCompletions,
	}})
}
