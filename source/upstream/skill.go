package upstream

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// What a server says of a skill's files is held against them when they are read: a person or a program may have
// chosen the skill by what was listed, and instructions that changed since are not those that were chosen.

const (
	// maxPromised bounds the files of a view's skills that are held against what was said: the extension lets one
	// skill have 512.
	maxPromised = 16 << 10
	// maxFrontmatter bounds the head of a SKILL.md, in bytes: a name, a description and a few words more.
	maxFrontmatter = 64 << 10
)

// A promise is what a server said of one file.
type promise struct {
	digest      string          // sha256:HEX of its bytes; "": it said nothing of them
	size        int64           // in bytes
	frontmatter json.RawMessage // of a SKILL.md; nil for another file
}

// promises are what a server said of its skills' files, by address. The zero value is ready.
type promises struct {
	mu    sync.Mutex
	files map[string]promise
}

// note takes the entries of skills/list, or one of skills/get. What was said of a file before is replaced; where
// there is no room for all, the newest stay.
func (p *promises) note(entries []json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := map[string]promise{}
	add := func(files map[string]promise) {
		for uri, said := range files {
			if _, newer := now[uri]; !newer && len(now) < maxPromised {
				now[uri] = said
			}
		}
	}
	for _, raw := range entries {
		add(promised(raw))
	}
	add(p.files)
	p.files = now
}

// promised is what one entry says. An entry that cannot be read promises nothing: whoever asked for it sees that.
func promised(raw json.RawMessage) map[string]promise {
	out := map[string]promise{}
	main, ok := rawjson.String(rawjson.Get(raw, "uri"))
	if !ok {
		return out
	}
	var files []struct {
		URI    string
		Digest string
		Size   int64
	}
	json.Unmarshal(rawjson.Get(raw, "resources"), &files) // "dynamic" lists none
	for _, f := range files {
		out[f.URI] = promise{digest: f.Digest, size: f.Size}
	}
	head := out[main]
	head.frontmatter = rawjson.Get(raw, "frontmatter")
	out[main] = head
	return out
}

// met takes what a server answered about skills, and refuses a file that is not the one it said.
func (p *promises) met(method string, params, res json.RawMessage) error {
	switch method {
	case rpc.MethodSkill:
		if entry := rawjson.Get(res, "skill"); entry != nil {
			p.note([]json.RawMessage{entry})
		}
	case "resources/read":
		uri, _ := rawjson.String(rawjson.Get(params, "uri"))
		return p.check(uri, res)
	}
	return nil
}

// check holds the answer to resources/read against what was said of that file.
func (p *promises) check(uri string, res json.RawMessage) error {
	p.mu.Lock()
	said, ok := p.files[uri]
	p.mu.Unlock()
	if !ok {
		return nil
	}
	contents, err := rawjson.Array(rawjson.Get(res, "contents"))
	if err != nil {
		return nil // a question, or no answer to this request: there is nothing of the file in it
	}
	for _, c := range contents {
		b, err := bytesOf(c)
		if err == nil {
			err = said.keeps(b)
		}
		if err != nil {
			return rpc.Errorf(rpc.CodeInternal, "%s is not the file that the server lists: %v. "+
				"Nothing of it is passed on. List the skills again: it may have changed since", shorten(uri), err)
		}
	}
	return nil
}

// bytesOf are the bytes of a content: its text, or its blob.
func bytesOf(c json.RawMessage) ([]byte, error) {
	if s, ok := rawjson.String(rawjson.Get(c, "text")); ok {
		return []byte(s), nil
	}
	blob, ok := rawjson.String(rawjson.Get(c, "blob"))
	if !ok {
		return nil, errors.New("it has neither text nor blob")
	}
	return base64.StdEncoding.DecodeString(blob)
}

// sum is the digest of a file, in the extension's spelling.
func sum(b []byte) string {
	s := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(s[:])
}

// keeps tells whether the bytes of a file are those that were promised.
func (p *promise) keeps(b []byte) error {
	digest := sum(b)
	switch {
	case p.digest != "" && int64(len(b)) != p.size:
		return fmt.Errorf("it has %d bytes, not %d", len(b), p.size)
	case p.digest != "" && digest != p.digest:
		return fmt.Errorf("its digest is %s, not %.80s", digest, p.digest)
	case p.frontmatter == nil:
		return nil
	}
	return p.describes(b)
}

// describes tells whether the head of a SKILL.md says what the list says of the skill: the same members, and the same
// texts where they stand in one line. What YAML can say in several lines, or in more than a text, is for the host to
// compare that loads the skill.
func (p *promise) describes(b []byte) error {
	var listed map[string]json.RawMessage
	if err := json.Unmarshal(p.frontmatter, &listed); err != nil {
		return fmt.Errorf("what is listed of it cannot be read: %w", err)
	}
	head, err := frontmatter(b)
	if err != nil {
		return err
	}
	for key := range head {
		if listed[key] == nil {
			return fmt.Errorf("its %q is not listed", key)
		}
	}
	for key, raw := range listed {
		said, ok := head[key]
		if !ok {
			return fmt.Errorf("its head has no %q", key)
		}
		want, isText := rawjson.String(raw)
		if got, plain := oneLine(said); isText && plain && got != want {
			return fmt.Errorf("its %q is not the one that is listed", key)
		}
	}
	return nil
}

// frontmatter are the members between the first two lines of dashes, each with what stands behind its colon and in the
// lines that belong to it.
func frontmatter(b []byte) (map[string]string, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	text := strings.ReplaceAll(string(b[:min(len(b), maxFrontmatter)]), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, errors.New("it does not begin with a line of three dashes")
	}
	head, _, ok := strings.Cut("\n"+rest, "\n---")
	if !ok {
		return nil, fmt.Errorf("its head does not end within %d bytes", maxFrontmatter)
	}
	out := map[string]string{}
	last := ""
	for line := range strings.Lines(head) {
		key, value, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case line[0] == ' ' || line[0] == '\t' || line[0] == '-' || !ok:
			out[last] += line
		default:
			last = strings.Trim(strings.TrimSpace(key), `"'`)
			out[last] = value
		}
	}
	delete(out, "") // lines before the first member
	return out, nil
}

// oneLine is a text of YAML that stands in one line: plain or in quotes. ok is false for any other value.
func oneLine(value string) (text string, ok bool) {
	v := strings.TrimSpace(value)
	switch {
	case v == "" || strings.Contains(v, "\n") || strings.ContainsRune("|>&*![{@`%#", rune(v[0])):
		return "", false
	case v[0] == '"':
		return rawjson.String([]byte(v))
	case v[0] == '\'':
		inner := strings.TrimPrefix(strings.TrimSuffix(v, "'"), "'")
		return strings.ReplaceAll(inner, "''", "'"), len(v) > 1 && strings.HasSuffix(v, "'")
	}
	text, _, _ = strings.Cut(v, " #")
	return strings.TrimSpace(text), true
}
