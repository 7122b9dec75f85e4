package upstream

import (
	"strings"
	"sync"

	rawjson "helve/internal/json"
)

// A tail keeps the end of what is written to it. Safe for concurrent use.
type tail struct {
	most int // bytes that are kept
	mu   sync.Mutex
	buf  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-t.most):]...)
	if len(t.buf) > 2*t.most {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.most:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := t.buf[max(0, len(t.buf)-t.most):]
	s, _ := rawjson.Visible(strings.ToValidUTF8(string(end), ""))
	return strings.TrimSpace(s)
}
