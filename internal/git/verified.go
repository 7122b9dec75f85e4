package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strconv"
	"strings"
)

// A Verifier reads objects of a repository and believes none whose content does not have its name: who can write to the
// folder of a repository can put another content under any name, or have an object stand for another. It is for one
// goroutine, and must be closed.
type Verifier struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	kept map[string]object // commits and trees
	room int               // for them, in bytes
}

// An object is a commit, a tree or a tag.
type object struct {
	kind string
	text []byte
}

const (
	// maxObject bounds a commit, a tree or a tag: the largest tree of a known project has some 2 MB.
	maxObject = 16 << 20
	// maxObjects bounds what is kept of them for the next question.
	maxObjects = 32 << 20
	// maxTags bounds tags of tags.
	maxTags = 5
)

// Verify starts git for the repository at dir.
func Verify(ctx context.Context, dir string) (*Verifier, error) {
	v := &Verifier{
		cmd:  command(ctx, dir, "cat-file", "--batch"),
		kept: map[string]object{},
		room: maxObjects,
	}
	in, err := v.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	v.in, v.out = in, bufio.NewReader(out)
	return v, v.cmd.Start()
}

// Close ends git.
func (v *Verifier) Close() error {
	v.in.Close()
	_, err := io.Copy(io.Discard, v.out)
	return errors.Join(err, v.cmd.Wait())
}

var (
	errForged = errors.New("git: an object has not the content of its name")
	errNone   = errors.New("git: there is no such object")
)

// read reads an object.
func (v *Verifier) read(name string) (object, error) {
	if o, known := v.kept[name]; known {
		return o, nil
	}
	if !isObjectName(name) {
		return object{}, errNone
	}
	if _, err := fmt.Fprintln(v.in, name); err != nil {
		return object{}, err
	}
	head, err := v.out.ReadString('\n')
	if err != nil {
		return object{}, err
	}
	words := strings.Fields(head)
	if len(words) != 3 {
		return object{}, fmt.Errorf("%w: %s", errNone, strings.TrimSpace(head))
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return object{}, err
	}
	if size > maxObject {
		_, err := io.CopyN(io.Discard, v.out, size+1)
		return object{}, errors.Join(errNone, err)
	}
	o := object{kind: words[1], text: make([]byte, size+1)} // a line end is behind it
	if _, err := io.ReadFull(v.out, o.text); err != nil {
		return object{}, err
	}
	o.text = o.text[:size]
	if o.name(len(name)) != name {
		return object{}, fmt.Errorf("%w: %s", errForged, name)
	}
	if v.room -= len(o.text); v.room >= 0 {
		v.kept[name] = o
	}
	return o, nil
}

// name is the one that the object has, of as many digits.
func (o object) name(digits int) string {
	sum := newSum(digits, o.kind, int64(len(o.text)))
	sum.Write(o.text)
	return hex.EncodeToString(sum.Sum(nil))
}

// fields are the values of a name in the head of a commit or a tag.
func (o object) fields(name string) []string {
	var out []string
	for line := range bytes.Lines(o.text) {
		value, is := bytes.CutPrefix(bytes.TrimRight(line, "\n"), []byte(name+" "))
		switch {
		case len(line) == 1:
			return out // behind it is the message
		case is:
			out = append(out, string(value))
		}
	}
	return out
}

// Parents are the parents of a commit.
func (v *Verifier) Parents(commit string) ([]string, error) {
	o, err := v.read(commit)
	if err != nil {
		return nil, err
	}
	return o.fields("parent"), nil
}

// At is the object at a path of a commit, or of what a tag names; "" where none is: a file, a link or a folder.
func (v *Verifier) At(name, at string) (string, error) {
	for range maxTags {
		o, err := v.read(name)
		if err != nil {
			return "", err
		}
		var to []string
		switch o.kind {
		case "commit":
			to = o.fields("tree")
		case "tag":
			to = o.fields("object")
		case "tree":
			return v.inTree(name, at)
		}
		if len(to) != 1 {
			return "", nil
		}
		name = to[0]
	}
	return "", nil
}

// inTree is At for a tree.
func (v *Verifier) inTree(name, at string) (string, error) {
	for part := range strings.SplitSeq(path.Clean(at), "/") {
		o, err := v.read(name)
		if err != nil || o.kind != "tree" {
			return "", err
		}
		if name = o.entry(part, len(name)/2); name == "" {
			return "", nil
		}
	}
	return name, nil
}

// entry is the object that a tree has under a name; a submodule is none.
func (o object) entry(part string, size int) string {
	const submodule = "160000"
	for text := o.text; ; {
		head, rest, ok := bytes.Cut(text, []byte{0})
		if !ok || len(rest) < size {
			return ""
		}
		mode, name, _ := bytes.Cut(head, []byte{' '})
		if string(name) == part {
			if string(mode) == submodule {
				return ""
			}
			return hex.EncodeToString(rest[:size])
		}
		text = rest[size:]
	}
}
