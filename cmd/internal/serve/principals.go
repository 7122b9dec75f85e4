package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/cmd/internal/command"
)

const (
	// maxPrincipals bounds the file, in bytes: ten thousand fit.
	maxPrincipals = 1 << 20
	// PrincipalsEvery is how often it is looked at for changes: whoever takes a token back does not wait long.
	PrincipalsEvery = time.Second
)

// A principal is one who may come in, by the SHA-256 of their token: who reads the file cannot come in by it.
type principal struct {
	name string
	sum  [sha256.Size]byte
}

// principals are those of a file, which is read again when it changes. Methods are safe for concurrent use.
type principals struct {
	path string
	say  func(format string, args ...any)

	mu     sync.Mutex
	list   []principal
	stamp  os.FileInfo // of the file when it was read
	looked time.Time
}

// openPrincipals reads the file. say hears when it is changed to one that cannot be read.
func openPrincipals(path string, say func(string, ...any)) (*principals, error) {
	p := &principals{path: path, say: say}
	if err := p.read(); err != nil {
		return nil, command.Usage("--tokens: %v", err)
	}
	return p, nil
}

var errNoPrincipal = errors.New("nobody has this token")

// verify is whose token it is. Every one is compared, so that the time tells nothing.
func (p *principals) verify(_ context.Context, token string) (name string, err error) {
	sum := sha256.Sum256([]byte(token))
	for _, one := range p.now() {
		if subtle.ConstantTimeCompare(sum[:], one.sum[:]) == 1 {
			name = one.name
		}
	}
	if name == "" {
		return "", errNoPrincipal
	}
	return name, nil
}

// now are the principals of the file as it is. One that cannot be read leaves those that were.
func (p *principals) now() []principal {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) < PrincipalsEvery {
		return p.list
	}
	p.looked = time.Now()
	st, err := os.Stat(p.path)
	if err == nil && os.SameFile(st, p.stamp) && st.Size() == p.stamp.Size() && st.ModTime().Equal(p.stamp.ModTime()) {
		return p.list
	}
	if err := p.read(); err != nil && p.stamp != nil {
		p.say("--tokens: %v: those who could come in before still can", err)
		p.stamp = st // said once for each change
	}
	return p.list
}

// read reads the file. p.mu is held, or nobody else has p.
func (p *principals) read() error {
	f, err := os.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxPrincipals+1))
	if err != nil {
		return err
	}
	if len(b) > maxPrincipals {
		return fmt.Errorf("%s: is larger than %d bytes", p.path, maxPrincipals)
	}
	list, err := parsePrincipals(b)
	if err != nil {
		return fmt.Errorf("%s:%w", p.path, err)
	}
	p.list, p.stamp = list, st
	return nil
}

// principalName keeps names to what can stand in records and logs as it is.
var principalName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$`)
})

// parsePrincipals reads lines of NAME sha256:HEX. Empty ones, and those that begin with #, say nothing.
func parsePrincipals(b []byte) (list []principal, err error) {
	sc := bufio.NewScanner(bytes.NewReader(b))
	n := 0
	for sc.Scan() {
		n++
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		one, err := parsePrincipal(line)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
		same := func(o principal) bool { return o.sum == one.sum }
		if i := slices.IndexFunc(list, same); i >= 0 {
			return nil, fmt.Errorf("%d: %s has the token of %s", n, one.name, list[i].name)
		}
		list = append(list, one)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%d: %w", n+1, err)
	}
	if len(list) == 0 {
		return nil, errors.New(" names nobody: want lines of NAME sha256:HEX")
	}
	return list, nil
}

func parsePrincipal(line string) (one principal, err error) {
	words := strings.Fields(line)
	if len(words) != 2 {
		return one, errors.New("want NAME sha256:HEX")
	}
	one.name = words[0]
	switch {
	case !principalName().MatchString(one.name):
		return one, fmt.Errorf("%q is no name: want at most 64 letters, digits and _.@-", one.name)
	case one.name == "local" || one.name == "console": // which records have for this machine's own
		return one, fmt.Errorf("the name %s is taken", one.name)
	}
	digits, ok := strings.CutPrefix(words[1], "sha256:")
	sum, err := hex.DecodeString(digits)
	if !ok || err != nil || len(sum) != sha256.Size {
		const want = "%s: want sha256: and 64 hexadecimal digits, as of printf %%s TOKEN | sha256sum"
		return one, fmt.Errorf(want, one.name)
	}
	one.sum = [sha256.Size]byte(sum)
	return one, nil
}
