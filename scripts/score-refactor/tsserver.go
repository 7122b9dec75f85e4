package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"helve/scripts/internal/scoring"
)

// scriptServer is tsserver.
type scriptServer struct {
	*scoring.Server
	program, dir string
	seq          int
	opened       map[string]bool
}

func startScript(ctx context.Context, program, dir string) (server, error) {
	p, err := scoring.Start(ctx, dir, "node", program, "--disableAutomaticTypingAcquisition")
	if err != nil {
		return nil, err
	}
	s := &scriptServer{Server: p, program: program, dir: dir, opened: map[string]bool{}}
	preferences := map[string]any{"providePrefixAndSuffixTextForRename": false}
	if _, err := s.call("configure", map[string]any{"preferences": preferences}); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *scriptServer) call(command string, arguments any) (json.RawMessage, error) {
	s.seq++
	b, err := json.Marshal(map[string]any{"seq": s.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(s, "%s\n", b); err != nil || command == "open" {
		return nil, err
	}
	for {
		b, err := s.Read()
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
	var answer struct {
		Info struct {
			CanRename             bool
			LocalizedErrorMessage string
		}
		Locs []fileSpans
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
		out[rel] = append(out[rel], f.edits(src, to)...)
	}
	return out, nil
}

// fileSpans are the places of a name in one file; lines and columns count from 1.
type fileSpans struct {
	File string
	Locs []struct{ Start, End struct{ Line, Offset int } }
}

// edits are those that give the name there another text, outside of comments: tsserver edits links in them, too.
func (f *fileSpans) edits(src []byte, to string) (out []edit) {
	for _, l := range f.Locs {
		from := offset(src, position{l.Start.Line - 1, l.Start.Offset - 1})
		end := offset(src, position{l.End.Line - 1, l.End.Offset - 1})
		before := strings.TrimSpace(string(src[strings.LastIndexByte(string(src[:from]), '\n')+1 : from]))
		if !strings.HasPrefix(before, "*") && !strings.HasPrefix(before, "/*") && !strings.Contains(before, "//") {
			out = append(out, edit{from, end, to})
		}
	}
	return out
}

func (s *scriptServer) builds() (bool, string) { return scriptBuilds(s.dir, s.program) }

// scriptBuilds runs the compiler beside the server over the project's configuration.
func scriptBuilds(dir, program string) (bool, string) {
	known := filepath.Join(os.TempDir(), "score-refactor"+strings.ReplaceAll(absolute(dir), "/", "-"))
	cmd := exec.Command("node", filepath.Join(filepath.Dir(program), "tsc.js"), "--noEmit", "-p", ".",
		"--incremental", "--tsBuildInfoFile", known)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}
