package exact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"

	"helve/engine/code"
)

// lspWords speak the Language Server Protocol.
type lspWords struct{ s *session }

var _ words = (*lspWords)(nil)

// A call is a request or, without a number, a notification.
type call struct {
	Version string `json:"jsonrpc"`
	ID      int64  `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// object is JSON that is only ever sent.
type object = map[string]any

func (w *lspWords) notify(method string, params object) error {
	return w.s.conn.send(call{Version: "2.0", Method: method, Params: params})
}

func (w *lspWords) call(method string, params object) (int64, chan reply, error) {
	id, to := w.s.conn.expect()
	return id, to, w.s.conn.send(call{"2.0", id, method, params})
}

var errRefused = errors.New("the language server does not start")

func (w *lspWords) start(ctx context.Context) error {
	uri := fileURI(w.s.root)
	id, to, err := w.call("initialize", object{
		"processId":             nil, // it sees no process of ours
		"rootUri":               uri,
		"workspaceFolders":      []object{{"uri": uri, "name": "workspace"}},
		"initializationOptions": json.RawMessage(w.s.settings),
		"capabilities": object{
			"workspace": object{
				"configuration":         true,
				"workspaceFolders":      true,
				"didChangeWatchedFiles": object{"dynamicRegistration": true},
			},
			"textDocument": object{"definition": object{}, "synchronization": object{}},
		},
	})
	if err != nil {
		return err
	}
	answer, err := w.s.conn.wait(ctx, id, to)
	if err != nil {
		return err
	}
	if answer == nil {
		return errRefused
	}
	return w.notify("initialized", object{})
}

// The kinds of changes of files.
const (
	changedFile = 2
	deletedFile = 3
)

func (w *lspWords) changed(paths []string, gone bool) error {
	kind := changedFile
	if gone {
		kind = deletedFile
	}
	var list []object
	for _, p := range paths {
		list = append(list, object{"uri": w.uri(p), "type": kind})
	}
	return w.notify("workspace/didChangeWatchedFiles", object{"changes": list})
}

func (w *lspWords) give(path string, language code.Language, text string, version int) error {
	return w.notify("textDocument/didOpen", object{"textDocument": object{
		"uri":        w.uri(path),
		"languageId": languageIDs[language],
		"version":    version,
		"text":       text,
	}})
}

func (w *lspWords) take(path string) error {
	return w.notify("textDocument/didClose", object{"textDocument": object{"uri": w.uri(path)}})
}

func (w *lspWords) ask(path string, at code.Position) (int64, chan reply, error) {
	return w.call("textDocument/definition", object{
		"textDocument": object{"uri": w.uri(path)},
		"position":     object{"line": at.Line, "character": at.Column},
	})
}

func (w *lspWords) forget(id int64) { w.notify("$/cancelRequest", object{"id": id}) }

// location is a place in an answer, in one of the two forms that servers use.
type location struct {
	URI    string `json:"uri"`
	Range  span   `json:"range"`
	Target string `json:"targetUri"`
	Name   span   `json:"targetSelectionRange"`
}

type span struct {
	Start struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	} `json:"start"`
}

func (w *lspWords) meaning(answer json.RawMessage) []place {
	answer = bytes.TrimSpace(answer)
	if len(answer) > 0 && answer[0] == '{' {
		answer = append(append([]byte{'['}, answer...), ']')
	}
	var list []location
	if json.Unmarshal(answer, &list) != nil {
		return nil
	}
	var out []place
	for _, l := range list {
		uri, at := l.URI, l.Range
		if uri == "" {
			uri, at = l.Target, l.Name
		}
		out = append(out, place{filePath(uri), code.Position{Line: at.Start.Line, Column: at.Start.Character}})
	}
	return out
}

func (w *lspWords) uri(path string) string {
	return fileURI(filepath.Join(w.s.root, filepath.FromSlash(path)))
}

func fileURI(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// filePath is the path of a file's address; "" for any other address.
func filePath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return ""
	}
	return u.Path
}

// answered is what a server gets that asks something: its settings, for each item that it asks for, and nothing else.
func answered(settings string) func(*message) json.RawMessage {
	return func(m *message) json.RawMessage {
		if m.Method != "workspace/configuration" {
			return json.RawMessage("null")
		}
		var asked struct {
			Items []struct{} `json:"items"`
		}
		if json.Unmarshal(m.Params, &asked) != nil || len(asked.Items) > maxPlaces {
			return json.RawMessage("[]")
		}
		list := make([]json.RawMessage, len(asked.Items))
		for i := range list {
			list[i] = json.RawMessage(settings)
		}
		out, _ := json.Marshal(list) // of what is JSON
		return out
	}
}
