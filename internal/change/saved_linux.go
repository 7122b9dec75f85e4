package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"helve/internal/fsroot"
)

// MakeUpper makes a directory at a path for an overlay's upper layer, dressed like the one that the overlay lies over.
func MakeUpper(path, like string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	to, err := os.Open(path)
	if err != nil {
		return err
	}
	defer to.Close()
	from, err := os.Open(like)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := keepUserAttrs(to, from, false); err != nil {
		return err
	}
	e, err := (&dir{int(from.Fd())}).look(".")
	if err != nil {
		return err
	}
	return spot{&dir{int(to.Fd())}, "."}.dress(e)
}

// SaveLayer copies an upper layer, whose overlay nobody changes any more, to a private directory, where [ReadSaved]
// finds it. Both are open directories; nothing is in the second one.
func SaveLayer(to, upper *os.File) error {
	out, in := &dir{int(to.Fd())}, &dir{int(upper.Fd())}
	if err := out.mkdir(savedTree); err != nil {
		return err
	}
	tree, err := out.enter(savedTree)
	if err != nil {
		return err
	}
	defer tree.close()
	c := copier{base: tree, seen: map[ID]Name{}, layer: &hiding{}}
	if err := c.inside(in, tree, ".", 0); err != nil {
		return fmt.Errorf("change: save a layer: %w", err)
	}
	text, err := json.Marshal(c.layer)
	if err != nil {
		return err
	}
	f, err := out.create(savedList)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return fmt.Errorf("change: save a layer: %w", err)
	}
	return f.Close()
}

// CopyLayer copies the upper layer of a draft at a path, over which nothing lies, to a directory of the transaction's
// folder, where ReadSaved finds it.
func (t *Transaction) CopyLayer(name Name, path string) error {
	if err := t.home.mkdir(string(name)); err != nil {
		return err
	}
	to, err := os.Open(filepath.Join(t.folder, string(name)))
	if err != nil {
		return err
	}
	defer to.Close()
	upper, err := os.Open(path)
	if err != nil {
		return err
	}
	defer upper.Close()
	return SaveLayer(to, upper)
}

// maxHiding bounds the list beside a saved layer: a million paths of some length.
const maxHiding = 512 << 20

// ReadSaved is [Transaction.ReadLayer] for a layer that SaveLayer copied to a directory of the transaction's folder.
func (t *Transaction) ReadSaved(ctx context.Context, name Name, root int, since int64) ([]Change, error) {
	saved, err := t.home.enter(string(name))
	if err != nil {
		return nil, err
	}
	defer saved.close()
	hidden, err := readHiding(saved)
	if err != nil {
		return nil, fmt.Errorf("change: read a saved layer: %w", err)
	}
	upper, err := saved.enter(savedTree)
	if err != nil {
		return nil, err
	}
	defer upper.close()
	r := &layerReader{ctx: ctx, root: root, since: since, touch: t.touch, hidden: hidden}
	return r.read(layerDir{upper: upper, from: in(name, savedTree), lower: t.roots.roots[root], path: "."})
}

// readHiding reads the list beside a saved layer.
func readHiding(saved *dir) (*hidden, error) {
	f, err := saved.open(savedList)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxHiding))
	if err != nil {
		return nil, err
	}
	var h hiding
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, err
	}
	return h.index(), nil
}

// covers takes a directory down that hides what was in it, or that came from below.
func (h *hiding) covers(d *dir, path Name) error {
	if h == nil {
		return nil
	}
	f, err := d.listing()
	if err != nil {
		return err
	}
	defer f.Close()
	value := make([]byte, 16)
	n, err := unix.Fgetxattr(int(f.Fd()), overlayAttr+"opaque", value)
	if err == nil && string(value[:n]) == "y" {
		h.Opaque = append(h.Opaque, path)
	}
	if _, err := unix.Fgetxattr(int(f.Fd()), overlayAttr+"origin", nil); err == nil {
		h.Copied = append(h.Copied, path)
	}
	return nil // a directory without the attributes hides nothing, and is new
}

// keepUserAttrs copies what a command can have set: its own attributes and access lists, an overlay's only where those
// are wanted. What a file system does not take is left out.
func keepUserAttrs(to, from *os.File, overlay bool) error {
	buf := make([]byte, maxAttrs)
	n, err := unix.Flistxattr(int(from.Fd()), buf)
	if errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list extended attributes: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(buf[:n]), "\x00"), "\x00") {
		own := strings.HasPrefix(name, "user.") && (overlay || !strings.HasPrefix(name, overlayAttr))
		if !own && !strings.HasPrefix(name, "system.posix_acl_") {
			continue
		}
		err := fsroot.KeepAttr(to, from, name)
		if err != nil && !errors.Is(err, unix.ENOTSUP) {
			return fmt.Errorf("extended attribute %s: %w", name, err)
		}
	}
	return nil
}
