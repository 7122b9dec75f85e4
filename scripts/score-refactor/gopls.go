package main

import (
	"context"
	"encoding/json"
	"go/scanner"
	"go/token"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"helve/scripts/internal/scoring"
)

// goServer is gopls.
type goServer struct {
	*scoring.Client
	dir string
}

func startGo(ctx context.Context, program, dir string) (server, error) {
	able := map[string]any{"workspace": map[string]any{"configuration": false}}
	c, err := scoring.Greet(ctx, absolute(dir), able, program)
	if err != nil {
		return nil, err
	}
	return &goServer{c, dir}, nil
}

func absolute(dir string) string {
	a, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return a
}

type position struct{ Line, Character int }

func (g *goServer) rename(path string, line, column int, to string) (map[string][]edit, error) {
	src, err := os.ReadFile(filepath.Join(g.dir, path))
	if err != nil {
		return nil, err
	}
	text := strings.Split(string(src), "\n")[line-1]
	b, err := g.Call("textDocument/rename", map[string]any{
		"textDocument": map[string]any{"uri": "file://" + filepath.Join(absolute(g.dir), path)},
		"position":     map[string]any{"line": line - 1, "character": len(utf16.Encode([]rune(text[:column])))},
		"newName":      to,
	})
	if err != nil {
		return nil, err
	}
	var answer struct{ DocumentChanges []documentEdit }
	if err := json.Unmarshal(b, &answer); err != nil {
		return nil, err
	}
	out := map[string][]edit{}
	for _, d := range answer.DocumentChanges {
		u, err := url.Parse(d.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(absolute(g.dir), u.Path)
		if err != nil {
			return nil, err
		}
		content, err := os.ReadFile(u.Path)
		if err != nil {
			return nil, err
		}
		out[rel] = append(out[rel], d.words(content)...)
	}
	return out, nil
}

// documentEdit is what the protocol says of one file.
type documentEdit struct {
	TextDocument struct{ URI string }
	Edits        []struct {
		Range   struct{ Start, End position }
		NewText string
	}
}

// words are its edits of whole words, outside of comments.
func (d *documentEdit) words(content []byte) (out []edit) {
	for _, e := range d.Edits {
		from, end := offset(content, e.Range.Start), offset(content, e.Range.End)
		if comment(content, from) {
			continue
		}
		from, end, text := trimmed(content, from, end, e.NewText)
		out = append(out, edit{from, end, text})
	}
	return out
}

// trimmed makes an edit of the whole word of one that keeps a part of it.
func trimmed(src []byte, from, end int, text string) (int, int, string) {
	for from > 0 && word(src[from-1]) {
		from--
		text = string(src[from]) + text
	}
	for end < len(src) && word(src[end]) {
		text += string(src[end])
		end++
	}
	return from, end, text
}

// comment reports whether an offset stands in a comment: gopls edits those too, helve leaves them alone.
func comment(src []byte, at int) bool {
	var scan scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(src))
	scan.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, tok, text := scan.Scan()
		from := file.Offset(pos)
		switch {
		case tok == token.EOF || from > at:
			return false
		case tok == token.COMMENT && at < from+len(text):
			return true
		}
	}
}

func offset(src []byte, p position) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(string(src[at:min(len(src), at+1<<16)]), '\n')
		if i < 0 {
			return at
		}
		at += i + 1
	}
	for n := 0; n < p.Character && at < len(src); {
		r := []rune(string(src[at:min(len(src), at+4)]))[0]
		n += len(utf16.Encode([]rune{r}))
		at += len(string(r))
	}
	return at
}

func (g *goServer) builds() (bool, string) { return goBuilds(g.dir) }

// goBuilds runs go vet without its analyzers' opinions: all packages and tests have to type-check.
func goBuilds(dir string) (bool, string) {
	cmd := exec.Command("go", "vet", "-printf=false", "-composites=false", "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	text := string(out)
	for _, broken := range []string{"vet: ", "[build failed]", "undefined"} {
		if err != nil && strings.Contains(text, broken) {
			return false, text
		}
	}
	return true, ""
}
