package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"
)

// process is a server that is talked to through its pipes.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string
	seq int

	temp string // its temporary files, which it does not all take away when it is ended
}

func start(dir, name string, args ...string) (*process, error) {
	temp, err := os.MkdirTemp("", "score-server-*")
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(name, args...), dir: dir, temp: temp}
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	p.cmd.Stderr = io.Discard
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	return p, p.cmd.Start()
}

func (p *process) close() {
	p.in.Close()
	p.cmd.Process.Kill()
	p.cmd.Wait()
	os.RemoveAll(p.temp)
}

// read reads one message behind its Content-Length.
func (p *process) read() ([]byte, error) {
	size := 0
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			size, _ = strconv.Atoi(n)
		}
		if line == "" && size > 0 {
			break
		}
	}
	b := make([]byte, size)
	_, err := io.ReadFull(p.out, b)
	return b, err
}

// goServer is gopls.
type goServer struct{ *process }

func startGo(program, dir string) (server, error) {
	p, err := start(dir, program)
	if err != nil {
		return nil, err
	}
	g := &goServer{p}
	root := "file://" + absolute(dir)
	_, err = g.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": root,
		"capabilities":     map[string]any{"workspace": map[string]any{"configuration": false}},
		"workspaceFolders": []any{map[string]any{"uri": root, "name": "x"}},
	})
	if err == nil {
		err = g.send(map[string]any{"jsonrpc": "2.0", "method": "initialized", "params": map[string]any{}})
	}
	return g, err
}

func absolute(dir string) string {
	a, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return a
}

func (g *goServer) send(message any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.in, "Content-Length: %d\r\n\r\n%s", len(b), b)
	return err
}

func (g *goServer) call(method string, params any) (json.RawMessage, error) {
	g.seq++
	if err := g.send(map[string]any{"jsonrpc": "2.0", "id": g.seq, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		b, err := g.read()
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		switch {
		case m.Method != "" && len(m.ID) > 0: // a question of the server's
			g.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
		case m.Method == "" && string(m.ID) == strconv.Itoa(g.seq):
			if m.Error != nil {
				return nil, errors.New(m.Error.Message)
			}
			return m.Result, nil
		}
	}
}

type position struct{ Line, Character int }

func (g *goServer) rename(path string, line, column int, to string) (map[string][]edit, error) {
	src, err := os.ReadFile(filepath.Join(g.dir, path))
	if err != nil {
		return nil, err
	}
	text := strings.Split(string(src), "\n")[line-1]
	b, err := g.call("textDocument/rename", map[string]any{
		"textDocument": map[string]any{"uri": "file://" + filepath.Join(absolute(g.dir), path)},
		"position":     map[string]any{"line": line - 1, "character": len(utf16.Encode([]rune(text[:column])))},
		"newName":      to,
	})
	if err != nil {
		return nil, err
	}
	var answer struct {
		DocumentChanges []struct {
			TextDocument struct{ URI string }
			Edits        []struct {
				Range   struct{ Start, End position }
				NewText string
			}
		}
	}
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
		for _, e := range d.Edits {
			from, end := offset(content, e.Range.Start), offset(content, e.Range.End)
			if comment(content, from) {
				continue
			}
			from, end, e.NewText = trimmed(content, from, end, e.NewText)
			out[rel] = append(out[rel], edit{from, end, e.NewText})
		}
	}
	return out, nil
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
	if err == nil || !strings.Contains(text, "vet: ") && !strings.Contains(text, "[build failed]") && !strings.Contains(text, "undefined") {
		return true, ""
	}
	return false, text
}

// scriptServer is tsserver.
type scriptServer struct {
	*process
	program string
	opened  map[string]bool
}

func startScript(program, dir string) (server, error) {
	p, err := start(dir, "node", program, "--disableAutomaticTypingAcquisition")
	if err != nil {
		return nil, err
	}
	s := &scriptServer{p, program, map[string]bool{}}
	_, err = s.call("configure", map[string]any{"preferences": map[string]any{"providePrefixAndSuffixTextForRename": false}})
	return s, err
}

func (s *scriptServer) call(command string, arguments any) (json.RawMessage, error) {
	s.seq++
	b, err := json.Marshal(map[string]any{"seq": s.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(s.in, "%s\n", b); err != nil || command == "open" {
		return nil, err
	}
	for {
		b, err := s.read()
		if err != nil {
			return nil, err
		}
		var m struct {
			Type    string
			Request int `json:"request_seq"`
			Success bool
			Message string
			Body    json.RawMessage
		}
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		if m.Type != "response" || m.Request != s.seq {
			continue
		}
		if !m.Success {
			return nil, errors.New(m.Message)
		}
		return m.Body, nil
	}
}

func (s *scriptServer) rename(path string, line, column int, to string) (map[string][]edit, error) {
	full := filepath.Join(absolute(s.dir), path)
	if !s.opened[full] {
		s.opened[full] = true
		if _, err := s.call("open", map[string]any{"file": full}); err != nil {
			return nil, err
		}
	}
	b, err := s.call("rename", map[string]any{"file": full, "line": line, "offset": column + 1})
	if err != nil {
		return nil, err
	}
	type place struct{ Line, Offset int }
	var answer struct {
		Info struct {
			CanRename             bool
			LocalizedErrorMessage string
		}
		Locs []struct {
			File string
			Locs []struct{ Start, End place }
		}
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		return nil, err
	}
	if !answer.Info.CanRename {
		return nil, errors.New(answer.Info.LocalizedErrorMessage)
	}
	out := map[string][]edit{}
	for _, f := range answer.Locs {
		rel, err := filepath.Rel(absolute(s.dir), f.File)
		if err != nil {
			return nil, err
		}
		src, err := os.ReadFile(f.File)
		if err != nil {
			return nil, err
		}
		for _, l := range f.Locs {
			from := offset(src, position{l.Start.Line - 1, l.Start.Offset - 1})
			end := offset(src, position{l.End.Line - 1, l.End.Offset - 1})
			before := strings.TrimSpace(string(src[strings.LastIndexByte(string(src[:from]), '\n')+1 : from]))
			if strings.HasPrefix(before, "*") || strings.HasPrefix(before, "/*") || strings.Contains(before, "//") {
				continue // it edits links in comments, too
			}
			out[rel] = append(out[rel], edit{from, end, to})
		}
	}
	return out, nil
}

func (s *scriptServer) builds() (bool, string) { return scriptBuilds(s.dir, s.program) }

// scriptBuilds runs the compiler beside the server over the project's configuration.
func scriptBuilds(dir, program string) (bool, string) {
	cmd := exec.Command("node", filepath.Join(filepath.Dir(program), "tsc.js"), "--noEmit", "-p", ".",
		"--incremental", "--tsBuildInfoFile", filepath.Join(os.TempDir(), "score-refactor"+strings.ReplaceAll(absolute(dir), "/", "-")))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}
