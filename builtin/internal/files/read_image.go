package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // decoders
	"image/jpeg"
	"image/png"
	"io"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // a decoder

	"helve/builtin/internal/render"
	filetext "helve/builtin/internal/text"
	"helve/tool"
)

const (
	// imageShown is how many bytes of an image go to a model: what providers accept, 5 MB, is counted after base64.
	imageShown = 3_750_000
	// imageSide is the longest side, in pixels, that providers accept.
	imageSide = 8000
	// imageScaled is the longest side of an image that has to be scaled: providers scale to about this anyway.
	imageScaled = 2000
	// imageRead and imagePixels bound what is decoded: four bytes a pixel in memory.
	imageRead   = 64 << 20
	imagePixels = 64 << 20
)

// ImageType tells the pictures that models accept, by their first bytes.
func ImageType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case len(head) > 12 && bytes.HasPrefix(head, []byte("RIFF")) && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// viewImage shows a picture, in a size and form that every provider accepts.
func viewImage(r *reading, _ context.Context, f readFile, src source, head []byte) (*content, error) {
	if src.size > imageRead {
		return nil, tool.Errorf(tool.Validation, "%s: an image of %s is larger than is shown (%s)",
			f.shown(), render.Size(src.size), render.Size(imageRead))
	}
	data := make([]byte, src.size)
	n, err := src.r.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	pic, err := ShowImage(data[:n], ImageType(head))
	if err != nil && isPlainText(data[:n]) {
		return nil, nil // a text that begins like an image
	}
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%s: %v", f.shown(), err)
	}
	d := r.bare(f, pic.MIME, src.size)
	d.Width, d.Height = pic.width, pic.height
	if pic.note != "" {
		d.Notes = append([]string{f.shown() + ": " + pic.note}, d.Notes...)
	}
	return &content{
		data:     d,
		pictures: []tool.Part{pic.Image},
		summary:  fmt.Sprintf("%s (%s, %d×%d)", f.shown(), pic.MIME, pic.width, pic.height),
	}, nil
}

// isPlainText tells a text in UTF-8 to its last byte.
func isPlainText(b []byte) bool {
	e, err := filetext.Detect(b)
	return err == nil && e.Plain() && utf8.Valid(b)
}

// A picture is an image within the bounds, and what was done to it.
type picture struct {
	tool.Image
	width, height int
	note          string
}

var errImage = errors.New("the image cannot be decoded")

// ShowImage gives an image as it is if it is small enough, else scaled down; of an animation the first picture, which
// is all that every provider accepts.
func ShowImage(data []byte, mime string) (*picture, error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err == nil {
		err = wholeImage(data, mime)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errImage, err)
	}
	frames := 1
	if mime == "image/gif" {
		frames, _ = gifFrames(data)
	}
	p := &picture{
		Image:  tool.Image{MIME: mime, Data: data},
		width:  c.Width,
		height: c.Height,
	}
	small := len(data) <= imageShown && max(c.Width, c.Height) <= imageSide
	if small && frames <= 1 {
		return p, nil
	}
	// By division: the product of two sizes that a file claims may be larger than any number.
	if c.Width <= 0 || c.Height <= 0 || c.Width > imagePixels/c.Height {
		return nil, fmt.Errorf("%d×%d pixels are more than is decoded", c.Width, c.Height)
	}
	if err := p.scale(); err != nil {
		return nil, err
	}
	if frames > 1 {
		p.note = fmt.Sprintf("the first of %d pictures of an animation, %s", frames, p.note)
	}
	return p, nil
}

// scale makes the picture smaller until it fits. Half the side has a quarter of the bytes: few steps do.
func (p *picture) scale() error {
	full, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		return fmt.Errorf("%w: %v", errImage, err)
	}
	for side := imageScaled; side >= 100; side /= 2 { // below that nothing can be recognized
		small := shrink(full, side)
		p.MIME, p.Data, err = encodeImage(small)
		if err != nil {
			return err
		}
		if len(p.Data) <= imageShown {
			b := small.Bounds()
			p.note = fmt.Sprintf("scaled from %d×%d to %d×%d", p.width, p.height, b.Dx(), b.Dy())
			if b.Dx() == p.width {
				p.note = "encoded anew as " + p.MIME
			}
			return nil
		}
	}
	return errors.New("the image cannot be made small enough")
}

// shrink scales to a longest side. Smaller pictures keep their size, and are only copied into a form that every
// encoder knows.
func shrink(full image.Image, side int) image.Image {
	b := full.Bounds()
	w, h := b.Dx(), b.Dy()
	longest := max(w, h)
	if longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	column := func(x int) int { return b.Min.X + x*b.Dx()/w } // where one of the new pixels begins in the old image
	row := func(y int) int { return b.Min.Y + y*b.Dy()/h }
	for y := range h {
		for x := range w {
			out.SetRGBA(x, y, mean(full, column(x), row(y), column(x+1), row(y+1)))
		}
	}
	return out
}

// samples is how many points a side of what becomes one pixel are looked at: more are not seen.
const samples = 3

// mean is the colour of a rectangle, from points spread over it.
func mean(m image.Image, x0, y0, x1, y1 int) color.RGBA {
	var sum [4]uint32
	n := uint32(0)
	stepX := max(1, (x1-x0)/samples)
	stepY := max(1, (y1-y0)/samples)
	for y := y0; y < max(y1, y0+1); y += stepY {
		for x := x0; x < max(x1, x0+1); x += stepX {
			r, g, b, a := m.At(x, y).RGBA()
			for i, v := range [...]uint32{r, g, b, a} {
				sum[i] += v >> 8 // colours have 16 bits here
			}
			n++
		}
	}
	return color.RGBA{
		R: uint8(sum[0] / n),
		G: uint8(sum[1] / n),
		B: uint8(sum[2] / n),
		A: uint8(sum[3] / n),
	}
}

// encodeImage writes what has transparent parts as PNG, everything else as JPEG.
func encodeImage(m image.Image) (mime string, data []byte, err error) {
	var b bytes.Buffer
	o, ok := m.(interface{ Opaque() bool })
	if ok && o.Opaque() {
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 85})
		return "image/jpeg", b.Bytes(), err
	}
	err = png.Encode(&b, m)
	return "image/png", b.Bytes(), err
}
