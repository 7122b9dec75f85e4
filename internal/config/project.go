package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// CodebaseIndexFile is the file of seed 3 that names disabled tools (R3.5).
const CodebaseIndexFile = ".mcp-codebase-index.toml"

// MCPFile is where other hosts keep a project's servers.
const MCPFile = ".mcp.json"

// Dir is the folder of a project's own configuration. No search goes upwards: what lies above the workspace may be another's.
const Dir = ".helve"

// loadProject reads the workspace's files, highest first.
func (l *loader) loadProject() {
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

// codebaseIndex reads the disabled tools of CodebaseIndexFile. Whatever is wrong with it is a warning and an empty list (R3.6).
func (l *loader) codebaseIndex() *node {
	path := filepath.Join(l.o.Workspace, CodebaseIndexFile)
	at := Place{Layer: "project", File: path}
	text, err := readFile(path)
	if missing(err) {
		return nil
	}
	var root *node
	if err == nil {
		l.found(path, text)
		root, err = parse(text, at)
	}
	if err != nil {
		l.warn("%v: its disabled_tools are ignored", err)
		return nil
	}
	list := root.get("disabled_tools")
	if list == nil {
		return nil
	}
	names, err := stringsOf(list)
	if err != nil {
		l.warn("%s: disabled_tools: %v: ignored", list.at, err)
		return nil
	}
	out := &node{at: at}
	out.set("disabled_tools", names)
	return out
}

// stringsOf is a list of names, trimmed, without blanks.
func stringsOf(n *node) (*node, error) {
	if n.kind != array {
		return nil, fmt.Errorf("want a list of strings, got %s", n.what())
	}
	out := &node{kind: array, at: n.at}
	for _, it := range n.items {
		s, ok := it.str()
		if !ok {
			return nil, fmt.Errorf("want a list of strings, got %s in it", it.what())
		}
		if s = strings.TrimSpace(s); s != "" {
			out.items = append(out.items, &node{kind: scalar, at: it.at, text: quote(s)})
		}
	}
	return out, nil
}

// mcpFile reads MCPFile's servers. It is another's file: keys that we do not know are none of our business.
func (l *loader) mcpFile() *node {
	path := filepath.Join(l.o.Workspace, MCPFile)
	text, err := readFile(path)
	if missing(err) {
		return nil
	}
	if err != nil {
		l.fail(err, l.o.Tolerant)
		return nil
	}
	l.found(path, text)
	root, err := parse(text, Place{Layer: "project", File: path})
	if err != nil {
		l.fail(err, l.o.Tolerant)
		return nil
	}
	servers := root.get("mcpServers")
	if servers == nil || servers.kind != object {
		return nil
	}
	out, ours := &node{at: root.at}, &node{at: servers.at}
	for _, s := range servers.fields {
		if s.val.kind != object {
			continue
		}
		if server := hostServer(s.val); server != nil {
			ours.set(s.name, server)
		}
	}
	out.set("mcp_servers", ours)
	l.check(out, l.o.Tolerant)
	return out
}

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
	var plain []string
	for _, f := range files {
		sum := sha256.Sum256(f.text)
		plain = append(plain, f.name, hex.EncodeToString(sum[:]))
	}
	b, _ := json.Marshal(plain)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// After is the digest of the project's content once the edit is made to what was loaded; "" where the edit met another content, so that
// nobody accepts what was not looked at.
func (c *Config) After(e Edit) string {
	name, err := filepath.Rel(c.Workspace, e.File)
	if err != nil || e.File == "" {
		return ""
	}
	name = filepath.ToSlash(name)
	files, at := slices.Clone(c.content), slices.IndexFunc(c.content, func(f found) bool { return f.name == name })
	switch {
	case at >= 0 && bytes.Equal(files[at].text, e.Before):
		files[at].text = e.After
	case at < 0 && e.Before == nil:
		files = append(files, found{name, e.After})
		slices.SortStableFunc(files, func(x, y found) int { return cmp.Compare(rank(x.name), rank(y.name)) })
	default:
		return ""
	}
	return contentDigest(files)
}

// rank is the place of a file among those of a project, in the order of loadProject.
func rank(name string) int {
	return slices.IndexFunc([]string{Dir + "/config.local.", Dir + "/config.", CodebaseIndexFile, MCPFile}, func(p string) bool { return strings.HasPrefix(name, p) })
}
