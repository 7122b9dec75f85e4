package main

import (
	"bytes"
	"io"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// image writes an OCI image layout: nothing but the static program, which serves MCP on stdio in
// /workspace.
func (r *release) image() error {
	index := v1.ImageIndex(empty.Index)
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		img, err := r.imageOf(t)
		if err != nil {
			return err
		}
		platform := &v1.Platform{OS: t.os, Architecture: t.arch}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: platform},
		})
	}
	index = mutate.IndexMediaType(index, types.OCIImageIndex)
	_, err := layout.Write(filepath.Join(r.out, "image"), index)
	return err
}

// imageOf is the image of one target: one layer, and no system below it.
func (r *release) imageOf(t target) (v1.Image, error) {
	var layer bytes.Buffer
	program := entry{"helve", r.binary(t), 0o755}
	if err := tarGz(&layer, []entry{program}, r.time); err != nil {
		return nil, err
	}
	// The library reads a layer several times: for its digest, its size and its content.
	open := func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(layer.Bytes())), nil
	}
	l, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	// An empty image is Docker's by default; registries and runtimes agree on OCI.
	base := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	base = mutate.ConfigMediaType(base, types.OCIConfigJSON)
	img, err := mutate.AppendLayers(base, l)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, &v1.ConfigFile{
		OS:           t.os,
		Architecture: t.arch,
		Created:      v1.Time{Time: r.time},
		RootFS:       must(img.ConfigFile()).RootFS,
		Config: v1.Config{
			Entrypoint: []string{"/helve"},
			Cmd:        []string{"serve"},
			WorkingDir: "/workspace",
			Labels: map[string]string{
				"org.opencontainers.image.version":  r.version,
				"org.opencontainers.image.licenses": "Apache-2.0",
			},
		},
	})
}

// must is for images that this program holds in memory: their configuration cannot fail to be read.
func must(c *v1.ConfigFile, err error) *v1.ConfigFile {
	if err != nil {
		panic(err)
	}
	return c
}
