package run

import (
	"fmt"
	"net/http"
	"slices"

	"helve/cmd/internal/command"
	"helve/engine/dialect"
)

const (
	// maxImage bounds a picture, in bytes: no provider takes a larger one.
	maxImage = 20 << 20
	// MaxImages bounds those of a prompt, as the strictest provider does.
	MaxImages = 20
)

// A picture of a prompt is a file, or what stands in the message.
type picture struct {
	Path string `json:"path"`
	MIME string `json:"media_type"`
	Data []byte `json:"data"` // in base64
}

// pictures are those of a message.
func (m message) pictures(s command.Streams) ([]dialect.Media, error) {
	var out []dialect.Media
	for i, p := range m.Images {
		if i == MaxImages {
			return nil, fmt.Errorf("a prompt has at most %d images", MaxImages)
		}
		data := p.Data
		if p.Path != "" {
			var err error
			if data, err = readGiven(s, "images", p.Path, maxImage); err != nil {
				return nil, err
			}
		}
		image, err := ImageOf(data)
		if err != nil {
			return nil, fmt.Errorf("image %d: %w", i+1, err)
		}
		out = append(out, image)
	}
	return out, nil
}

// imagesOf are the files of --image.
func imagesOf(s command.Streams, files []string) ([]dialect.Media, error) {
	if len(files) > MaxImages {
		return nil, command.Usage("run: --image: a prompt has at most %d images", MaxImages)
	}
	var out []dialect.Media
	for _, name := range files {
		data, err := readGiven(s, "--image", name, maxImage)
		if err != nil {
			return nil, err
		}
		image, err := ImageOf(data)
		if err != nil {
			return nil, command.Usage("run: --image %s: %v", command.Brief(name), err)
		}
		out = append(out, image)
	}
	return out, nil
}

// ImageOf is a picture that models see. Its kind is that of its bytes, whatever it is called.
func ImageOf(data []byte) (dialect.Media, error) {
	kind := http.DetectContentType(data)
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) {
		return dialect.Media{}, fmt.Errorf("it is %s: want PNG, JPEG, GIF or WebP", kind)
	}
	if len(data) > maxImage {
		return dialect.Media{}, fmt.Errorf("it has more than %d bytes", maxImage)
	}
	return dialect.Media{MIME: kind, Data: data}, nil
}
