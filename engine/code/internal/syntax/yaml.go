package syntax

import "bytes"

// yamlReader takes the keys of YAML as an outline by their indentation.
type yamlReader struct {
	outline
	block int // the indentation of the key whose value is the text of several lines that the line stands in, or noBlock
}

const noBlock = -1

func (r *reader) readYAML() {
	y := &yamlReader{outline: outline{reader: r}, block: noBlock}
	y.lines(y.line)
}

func (r *yamlReader) line(l textLine) {
	text := bytes.TrimLeft(l.text, " ")
	indent := len(l.text) - len(text)
	if len(text) == 0 || text[0] == '#' || r.block != noBlock && indent > r.block {
		return
	}
	r.block = noBlock
	for bytes.HasPrefix(text, []byte("- ")) {
		text, indent = text[2:], indent+2
	}
	key, rest, ok := yamlKey(text)
	if !ok || indent > 2*maxKeyDepth {
		return
	}
	r.section(Key, key, indent+1, l, l)
	if rest = bytes.TrimSpace(rest); len(rest) > 0 && (rest[0] == '|' || rest[0] == '>') {
		r.block = indent
	}
}

// yamlKey cuts a line into a key and what stands behind its colon.
func yamlKey(text []byte) (key, rest []byte, ok bool) {
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') {
		if k := bytes.IndexByte(text[1:], text[0]); k > 0 && k+2 < len(text) && text[k+2] == ':' {
			return text[1 : k+1], text[k+3:], true
		}
		return nil, nil, false
	}
	for k, c := range text {
		switch c {
		case ':':
			if k+1 == len(text) || text[k+1] == ' ' {
				return text[:k], text[k+1:], k > 0
			}
		case '{', '[', '"', '#':
			return nil, nil, false
		}
	}
	return nil, nil, false
}
