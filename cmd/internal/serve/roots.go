package serve

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helve/internal/workspace"
	"helve/server"
)

// rootsTime bounds asking a client for its roots: one that says it has some and then is silent must not keep the
// tools from it.
const rootsTime = 3 * time.Second

// folder is where the tools work: what -C or PROJECT_ROOT say, the working directory if it is configured as a
// project, else the first root of a client that started us. A client over HTTP does not choose what it may read.
// name is what the client calls it; "": it has no say.
func (v *served) folder(ctx context.Context, c server.Client) (dir, name string, err error) {
	if !v.fixed() {
		dir, name = firstRoot(ctx, c)
		if dir != "" {
			dir, err = workspace.Folder(dir)
			return dir, name, err
		}
	}
	dir, err = v.o.Folder(v.s)
	return dir, "", err
}

// fixed tells that no client has a say in where the tools work.
func (v *served) fixed() bool {
	named := v.o.Dir != "" || v.s.Getenv("PROJECT_ROOT") != ""
	return named || v.o.http != "" || configured(v.s.Dir)
}

// configured tells that a folder holds a project's configuration.
func configured(dir string) bool {
	for _, name := range []string{".helve/config.json", ".helve/config.toml", ".mcp-codebase-index.toml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// maxRootName bounds the name of a root, in bytes: it is one for people.
const maxRootName = 200

// firstRoot is the first folder of the client that is there, with its name; "" if there is none.
func firstRoot(ctx context.Context, c server.Client) (dir, name string) {
	var capable struct{ Roots *json.RawMessage }
	err := json.Unmarshal(c.Capabilities, &capable)
	if err != nil || capable.Roots == nil {
		return "", ""
	}
	ctx, stop := context.WithTimeout(ctx, rootsTime)
	defer stop()
	raw, err := c.Back(ctx, "roots/list", nil)
	if err != nil {
		return "", ""
	}
	var list struct{ Roots []struct{ URI, Name string } }
	if json.Unmarshal(raw, &list) != nil {
		return "", ""
	}
	for _, r := range list.Roots {
		u, err := url.Parse(r.URI)
		if err != nil || u.Scheme != "file" || u.Host != "" {
			continue
		}
		dir := filepath.FromSlash(u.Path)
		st, err := os.Stat(dir)
		if err == nil && st.IsDir() && filepath.IsAbs(dir) {
			if len(r.Name) > maxRootName {
				r.Name = strings.ToValidUTF8(r.Name[:maxRootName], "")
			}
			return dir, r.Name
		}
	}
	return "", ""
}
