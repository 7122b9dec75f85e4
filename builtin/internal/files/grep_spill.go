package files

import (
	"bufio"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"

	"helve/engine/search"
	"helve/internal/fsroot"
	"helve/tool"
)

// grepSpill searches what the session keeps of a result that was too long.
func grepSpill(ctx context.Context, c *tool.Call, in grepIn) (*tool.Result, error) {
	re, err := spillPattern(in)
	if err != nil {
		return nil, tool.Errorf(tool.Validation, "%v", err)
	}
	blob, err := c.Session.Kept(in.Path)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%s: not kept in this session", fsroot.Quote(in.Path))
	}
	defer blob.Close()
	out := grepOut{room: c.Whole, call: c} // the same words as for files, although there is one only
	most := grepLineShown
	if c.Whole > 0 {
		most = c.Whole
	}
	var sum search.Summary
	r := bufio.NewReaderSize(io.NewSectionReader(blob, 0, blob.Size()), 64<<10)
	for n, skip := 1, in.Offset; ctx.Err() == nil; n++ {
		line, err := readLine(r, max(spillLine, c.Room(0)))
		if len(line) > 0 && re.MatchString(line) { // nobody looks for empty lines in a result
			skip--
			if skip >= 0 {
				continue
			}
			if out.data.Count == in.HeadLimit && in.HeadLimit > 0 {
				sum.Capped = true
				break
			}
			out.line(fsroot.Quote(in.Path), search.Line{
				Number: n,
				Text:   []byte(line[:min(len(line), most)]),
				Cut:    len(line) > most,
			})
			if out.room > 0 && out.used > out.room {
				return nil, c.TooLarge()
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	out.files = min(1, out.data.Count)
	return out.result(in, sum)
}

// ofSpill refuses what says nothing of a kept result.
func (in *grepIn) ofSpill() error {
	files := in.Include != "" || len(in.Exclude) > 0 || in.Type != ""
	lines := in.Mode != "lines" || in.Multiline || in.Before+in.After+in.Context > 0
	if files || lines {
		return tool.Errorf(tool.Validation, "%s is a kept result: it is searched line by line", fsroot.Quote(in.Path)).
			WithHint("Give pattern, ignore_case, word, head_limit and offset only.")
	}
	return nil
}

// spillPattern compiles a pattern for a kept result, which no engine knows: it is searched line by line.
func spillPattern(in grepIn) (*regexp.Regexp, error) {
	p := in.Pattern
	if in.Word {
		p = `\b(?:` + p + `)\b`
	}
	if in.IgnoreCase {
		p = "(?i)" + p
	}
	return regexp.Compile(p)
}

// spillLine is how much of a line of a kept result is searched, in bytes: a program that prints longer ones prints
// data.
const spillLine = 1 << 20

// readLine is one line without its end, of which so many bytes are kept.
func readLine(r *bufio.Reader, keep int) (string, error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n') // what is longer than its buffer comes in parts
		b.Write(part[:min(len(part), keep-min(b.Len(), keep))])
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimRight(b.String(), "\r\n"), err
		}
	}
}
