package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"helve/internal/json"
	"helve/internal/names"
	"helve/internal/standin"
)

// CodebaseIndexFile names disabled tools, for the codebase index and for us.
const CodebaseIndexFile = ".mcp-codebase-index.toml"

// MCPFile is where other hosts keep a project's servers.
const MCPFile = ".mcp.json"

// Dir is the folder of a project's own configuration. No search goes upwards: what lies above the
// workspace may be another's.
const Dir = ".helve"

// loadProject reads the workspace's files, highest first.
func (l *loader) loadProject() {
	standin.Clear(l.o.Workspace)
	dir := filepath.Join(l.o.Workspace, Dir)
	for _, base := range []string{"config.local", "config"} {
		if n := l.config("project", dir, base); n != nil {
			l.project = append(l.project, n)
		}
	}
	if n := l.codebaseIndex(); n != nil {
		l.project = append(l.project, n)
	}
	if n := l.mcpFile(); n != nil {
		l.project = append(l.project, n)
	}
}

// codebaseIndex reads the disabled tools of CodebaseIndexFile. Whatever is wrong with it is a
// warning and an empty list.
func (l *loader) codebaseIndex() *json.Node {
	path := filepath.Join(l.o.Workspace, CodebaseIndexFile)
	at := Place{Layer: "project", File: path}
	text, err := l.read(path)
	if missing(err) {
		return nil
	}
	var root json.Node
	if err == nil {
		l.found(path, text)
		root, err = l.places.parse(text, at)
	}
	if err != nil {
		l.warn("%v: its disabled_tools are ignored", err)
		return nil
	}
	disabled := root.Get("disabled_tools")
	if disabled == nil {
		return nil
	}
	names, err := stringsOf(disabled)
	if err != nil {
		l.warn("%s: disabled_tools: %v: ignored", l.places.of(disabled), err)
		return nil
	}
	out := object(&root)
	out.Set("disabled_tools", names)
	return &out
}

// stringsOf is a list of names, trimmed, without blanks.
func stringsOf(n *json.Node) (json.Node, error) {
	if n.Kind != json.KindArray {
		return json.Node{}, fmt.Errorf("want a list of strings, got %s", what(n))
	}
	out := list(n)
	for i := range n.Kids {
		it := &n.Kids[i]
		if !it.IsString() {
			return json.Node{}, fmt.Errorf("want a list of strings, got %s in it", what(it))
		}
		if name := strings.TrimSpace(it.Text); name != "" {
			out.Kids = append(out.Kids, text(name, it))
		}
	}
	return out, nil
}

// mcpFile reads MCPFile's servers. It is another's file: keys that we do not know are none of our
// business.
func (l *loader) mcpFile() *json.Node {
	path := filepath.Join(l.o.Workspace, MCPFile)
	text, err := l.read(path)
	if missing(err) {
		return nil
	}
	var root json.Node
	if err == nil {
		l.found(path, text)
		root, err = l.places.parse(text, Place{Layer: "project", File: path})
	}
	if err != nil {
		l.fail(err, l.o.Tolerant)
		return nil
	}
	servers := l.hostServers(&root)
	if servers == nil {
		return nil
	}
	// A server that is none for us is left out; the others count.
	ours := each(servers, func(theirs *json.Node) *json.Node {
		if theirs.Kind != json.KindObject {
			l.warn("%s: %s: want an object, got %s: ignored", l.places.of(theirs), theirs.Name, what(theirs))
			return nil
		}
		server, on := hostServer(theirs)
		if !on || startsUs(theirs) {
			return nil
		}
		return &server
	})
	out := object(&root)
	out.Set("mcp_servers", ours)
	l.check(&out, l.o.Tolerant)
	return &out
}

// startsUs tells whether a server is helve itself in this workspace: the entry by which the host starts us. Behind
// ourselves, all tools would be there twice. With a folder of its own it is another workspace's.
func startsUs(server *json.Node) bool {
	command, args := server.Get("command"), server.Get("args")
	if command == nil || args == nil {
		return false
	}
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(command.Text)), ".exe")
	serves := slices.ContainsFunc(args.Kids, func(a json.Node) bool { return a.Text == "serve" })
	elsewhere := slices.ContainsFunc(args.Kids, func(a json.Node) bool {
		return strings.HasPrefix(a.Text, "-C") || a.Text == "--dir" || strings.HasPrefix(a.Text, "--dir=")
	})
	return (name == "helve" || name == "helve-full") && serves && !elsewhere
}

// hostServers is the object of servers in MCPFile, nil if it has none. Another spelling of its key is said: the hosts
// that the file is for read this one only.
func (l *loader) hostServers(root *json.Node) *json.Node {
	const key = "mcpServers"
	servers := root.Get(key)
	if servers != nil && servers.Kind == json.KindObject {
		return servers
	}
	if servers != nil {
		l.warn("%s: %s: want an object, got %s: ignored", l.places.of(servers), key, what(servers))
		return nil
	}
	for i := range root.Kids {
		kid := &root.Kids[i]
		switch {
		case kid.Kind != json.KindObject:
		case slices.Contains(serverKeys, names.Fold(kid.Name)):
			l.warn("%s: no server is read from %q: write %q", l.places.of(kid), shorten(kid.Name), key)
		case kid.Get("command") != nil, kid.Get("url") != nil:
			l.warn("%s: the server %q is not read: it belongs into an object %q", l.places.of(kid), shorten(kid.Name), key)
		}
	}
	return nil
}

// serverKeys are what an object of servers is called elsewhere, as names are compared.
var serverKeys = []string{"mcpservers", "mcpserver", "servers", "server", "contextservers", "mcp"}

// trust finds out whether a person accepted the workspace's configuration as it stands.
func (l *loader) trust() {
	l.c.Project, l.c.content = len(l.content) > 0, l.content
	l.c.Digest = contentDigest(l.content)
	l.c.Trusted = l.c.Project && l.o.Trusted != nil && l.o.Trusted(l.o.Workspace, l.c.Digest)
}

// contentDigest names the content of the files, "" for none.
func contentDigest(files []found) string {
	if len(files) == 0 {
		return ""
	}
	// As JSON, names and sums cannot run into each other.
	var plain []string
	for _, f := range files {
		sum := sha256.Sum256(f.text)
		plain = append(plain, f.name, hex.EncodeToString(sum[:]))
	}
	b, _ := stdjson.Marshal(plain)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// After is the digest of the project's content once the edit is made to what was loaded; "" where
// the edit met another content, so that nobody accepts what was not looked at.
func (c *Config) After(e Edit) string {
	name, err := filepath.Rel(c.Workspace, e.File)
	if err != nil || e.File == "" {
		return ""
	}
	name = filepath.ToSlash(name)
	files := slices.Clone(c.content)
	at := slices.IndexFunc(files, func(f found) bool { return f.name == name })
	switch {
	case at >= 0 && bytes.Equal(files[at].text, e.Before):
		files[at].text = e.After
	case at < 0 && e.Before == nil:
		files = append(files, found{name, e.After})
		sort.SliceStable(files, func(i, j int) bool { return rank(files[i].name) < rank(files[j].name) })
	default:
		return ""
	}
	return contentDigest(files)
}

// rank is the place of a file among those of a project, in the first of loadProject.
func rank(name string) int {
	first := []string{Dir + "/config.local.", Dir + "/config.", CodebaseIndexFile, MCPFile}
	return slices.IndexFunc(first, func(p string) bool { return strings.HasPrefix(name, p) })
}
