package server

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

const (
	// skillFile is the file of a skill by which it is named.
	skillFile = "SKILL.md"
	// skillScheme is how addresses of skills begin by convention. Others are allowed.
	skillScheme = "skill://"
)

// list is a whole list, ours first (nil: there are none). Of two with one key
// the first stays: the key is how they are asked for.
func (v *visit) list(
	ctx context.Context, k kind, ours func(*conversation) []json.RawMessage,
) (json.RawMessage, error) {
	seen := map[string]bool{}
	var all []json.RawMessage
	if ours != nil {
		all = ours(v.conv)
	}
	for _, raw := range all {
		if key, ok := rawjson.String(rawjson.Get(raw, k.key)); ok {
			seen[key] = true
		}
	}
	for _, it := range v.conv.items(ctx, k) {
		if !seen[it.key] {
			seen[it.key] = true
			all = append(all, it.raw)
		}
	}
	out := []rawjson.Member{{Key: k.member, Value: joined(all)}}
	return v.complete(rawjson.Join(out), true), nil
}

// upstreamsFor are those to ask for a resource: who listed it, or the skill that
// it is a file of, who has a template that fits, and then all the others: a
// server need not list what it can read.
func (c *conversation) upstreamsFor(ctx context.Context, uri string) []Upstream {
	var out []Upstream
	if it := skillWith(c.skillsNear(ctx, uri), uri); it != nil {
		out = append(out, it.up)
	}
	for _, it := range c.items(ctx, kindResources) {
		if it.key == uri {
			out = append(out, it.up)
		}
	}
	for _, it := range c.items(ctx, kindTemplates) {
		if fits(it.key, uri) {
			out = append(out, it.up)
		}
	}
	out = append(out, c.srv.o.Upstreams()...)
	var once []Upstream
	for _, u := range out {
		if !slices.ContainsFunc(once, func(x Upstream) bool { return x.Name() == u.Name() }) {
			once = append(once, u)
		}
	}
	return once
}

// fits tells whether an address can come of a template: the literal text
// before, between and behind its expressions is in it in order. The server that
// made the template decides.
func fits(template, uri string) bool {
	rest := uri
	for first := true; ; first = false {
		lit, after, more := strings.Cut(template, "{")
		i := strings.Index(rest, lit)
		if i < 0 || first && i != 0 {
			return false
		}
		if !more {
			return strings.HasSuffix(rest, lit)
		}
		rest = rest[i+len(lit):]
		if _, template, more = strings.Cut(after, "}"); !more {
			return false
		}
	}
}

// forward asks one upstream after the other until one knows.
func (v *visit) forward(
	ctx context.Context, ups []Upstream, uri string,
) (json.RawMessage, error) {
	for _, u := range ups {
		res, err := u.Request(ctx, v.conv.session, v.Method, v.passed())
		if err == nil {
			return v.complete(res, true), nil
		}
		code := rpc.AsError(err).Code
		if len(ups) == 1 {
			if code == rpc.CodeNotFound && uri != "" {
				return nil, v.notFound(uri) // the protocols have codes of their own for it
			}
			return nil, err
		}
		switch code {
		case rpc.CodeMethodNotFound, rpc.CodeNotFound, rpc.CodeInvalidParams, 0: // the next one may know
		default:
			return nil, err
		}
	}
	return nil, v.notFound(uri)
}

// skillWith is the skill that an address is in, or names as a folder; nil for none.
func skillWith(skills []item, uri string) *item {
	for i, it := range skills {
		folder, ok := strings.CutSuffix(it.key, "/"+skillFile)
		if ok && (uri == folder || strings.HasPrefix(uri, folder+"/")) {
			return &skills[i]
		}
	}
	return nil
}

// skillsNear are the skills among which an address may be. They are asked for only where it looks like one of a
// skill: most resources are none, and most clients know nothing of skills.
func (c *conversation) skillsNear(ctx context.Context, uri string) []item {
	if strings.HasPrefix(uri, skillScheme) {
		return c.items(ctx, kindSkills)
	}
	known, _ := c.routes.known(kindSkills.method)
	return known
}
