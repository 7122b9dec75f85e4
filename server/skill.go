package server

import (
	"context"
	"encoding/json"
	"path"
	"sort"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// Skills are folders of instructions that servers offer as resources, by the extension
// io.modelcontextprotocol/skills. Those of all servers behind this one are one list here; this server has none
// of its own.

// folderType is the media type of a folder in a listing of one.
const folderType = "inode/directory"

// A skill is what a server says of one. The members are as they came.
type skill struct {
	URI         string          `json:"uri"` // of its SKILL.md
	Frontmatter json.RawMessage `json:"frontmatter"`
	Resources   json.RawMessage `json:"resources"` // an array of its files, or "dynamic"
}

// listSkills is skills/list: those of all servers. Of two with one address the first stays, as with resources.
func listSkills(ctx context.Context, v *visit) (json.RawMessage, error) {
	return v.list(ctx, kindSkills, nil)
}

// getSkill is skills/get: what the server that has a skill says of it, which it need not have listed.
func getSkill(ctx context.Context, v *visit, uri string) (json.RawMessage, error) {
	res, err := v.forward(ctx, v.conv.upstreamsFor(ctx, uri), uri)
	if err != nil {
		return nil, asUnknown(err)
	}
	return res, nil
}

// asUnknown is the error of a request for something that nobody has: the extension has one code for it in every
// protocol.
func asUnknown(err error) error {
	e := rpc.AsError(err)
	if e.Code != rpc.CodeNotFound && e.Code != rpc.CodeMethodNotFound {
		return err
	}
	return &rpc.Error{Code: rpc.CodeInvalidParams, Message: e.Message, Data: e.Data}
}

// readDirectory is resources/directory/read: what a folder of a skill holds. For a server that lists its skills
// with their files, and cannot list folders, the answer is made of that.
func readDirectory(ctx context.Context, v *visit, uri string) (json.RawMessage, error) {
	it := skillWith(v.conv.items(ctx, kindSkills), uri)
	if it == nil {
		res, err := v.forward(ctx, v.conv.upstreamsFor(ctx, uri), uri)
		if err != nil {
			return nil, asUnknown(err)
		}
		return res, nil
	}
	res, err := it.up.Request(ctx, v.conv.session, v.Method, v.passed())
	if err == nil {
		return v.complete(res, true), nil
	}
	if rpc.AsError(err).Code != rpc.CodeMethodNotFound {
		return nil, asUnknown(err)
	}
	if err := onePage(v.Params); err != nil {
		return nil, err
	}
	children := it.children(uri)
	if children == nil {
		return nil, asUnknown(v.notFound(uri))
	}
	out := []rawjson.Member{{Key: "resources", Value: joined(children)}}
	return v.complete(rawjson.Join(out), true), nil
}

// A child is what a folder holds, as resources/list shows it.
type child struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
	MIME string `json:"mimeType,omitempty"`
	Size *int64 `json:"size,omitempty"`
}

// children are what a folder of a skill holds by the list of the skill's files, in order; nil where that list has no
// such folder.
func (it *item) children(uri string) []json.RawMessage {
	var s skill
	var files []struct {
		URI  string `json:"uri"`
		Size *int64 `json:"size"`
	}
	if json.Unmarshal(it.raw, &s) != nil || json.Unmarshal(s.Resources, &files) != nil {
		return nil // its files are not known
	}
	folder := strings.TrimSuffix(uri, "/") + "/"
	found := map[string]child{}
	for _, f := range files {
		below, ok := strings.CutPrefix(f.URI, folder)
		if !ok || below == "" {
			continue
		}
		name, _, deeper := strings.Cut(below, "/")
		c := child{URI: folder + name, Name: name, Size: f.Size}
		switch {
		case deeper:
			c.MIME, c.Size = folderType, nil
		case path.Ext(name) == ".md":
			c.MIME = "text/markdown"
		}
		found[name] = c
	}
	var all []child
	for _, c := range found {
		all = append(all, c)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	var out []json.RawMessage
	for _, c := range all {
		out = append(out, encodePlain(c))
	}
	return out
}
