package server

import (
	"encoding/base64"
	"encoding/json"
	"helve/internal/rpc"
	"unicode/utf8"
)

const (
	// fileScheme starts the address of a workspace's file: workspace:///src/main.go.
	fileScheme = "workspace:///"
	// maxResource is how much of a kept output is read as one resource, in bytes; what is longer is paged with read.
	maxResource = 4 << 20
)

func noURI() *rpc.Error {
	return rpc.Errorf(rpc.CodeInvalidParams, `invalid params: "uri" is missing`)
}

// shownURI is how much of an address an error repeats, in bytes.
const shownURI = 200

// notFound has the code that the protocol of the request has for it.
func (r *reply) notFound(uri string) *rpc.Error {
	data, _ := json.Marshal(map[string]string{"uri": uri}) // strings
	return &rpc.Error{Code: r.era.notFound(), Message: "resource not found: " + shorten(uri, shownURI), Data: data}
}

// content is what resources/read shows: Text or Blob, which is base64.
type content struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType,omitempty"`
	Text *string `json:"text,omitempty"`
	Blob string  `json:"blob,omitempty"`
}

func textOrBlob(uri string, b []byte) content {
	if utf8.Valid(b) {
		s := string(b)
		return content{URI: uri, MIME: "text/plain", Text: &s}
	}
	return content{URI: uri, MIME: "application/octet-stream", Blob: base64.StdEncoding.EncodeToString(b)}
}

func (r *reply) contents(c content) json.RawMessage {
	return r.complete(encodePlain(map[string]any{"contents": []content{c}}), true)
}
