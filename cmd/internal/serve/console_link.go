package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helve/cmd/internal/command"
	"helve/internal/state"
	"helve/server/console"
)

const (
	// linkPrefix begins the names of files with links. The port follows, which one server at a time has.
	linkPrefix = "link-"
	// linkKept is how old a file that a server left behind becomes: its link was worth nothing after two minutes.
	linkKept = 24 * time.Hour
)

// A linkPlace is where a person reads the link of a console. Whoever reads it says yes to calls, so it stands in a
// terminal, or in a file of helve's own, which tools cannot read. What standard error goes to otherwise may be a log
// that they can.
type linkPlace struct {
	s     command.Streams
	base  string // the address of the page
	login *console.Login
	file  string // "": the terminal
}

// newLinkPlace is the place for the page of a server that listens.
func newLinkPlace(s command.Streams, base string, login *console.Login, l net.Listener) (*linkPlace, error) {
	p := &linkPlace{s: s, base: base, login: login}
	if command.IsTerminal(s.Stderr) {
		return p, nil
	}
	dir := filepath.Join(s.Places().StateDir, "console")
	if err := state.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("console: there is no terminal for its link, and no file: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, err
	}
	sweepLinks(dir)
	p.file = filepath.Join(dir, linkPrefix+port)
	return p, nil
}

// tell gives the person a link, good for one login.
func (p *linkPlace) tell() {
	link := p.base + "#token=" + p.login.Token()
	if p.file == "" {
		p.s.Say("console: %s", link)
		return
	}
	if err := state.Replace(p.file, []byte(link+"\n"), 0o600); err != nil {
		p.s.Say("console: there is no link: %v", err)
		return
	}
	p.s.Say("console: the link is in %s", p.file)
}

// close takes the file away.
func (p *linkPlace) close() error {
	if p.file == "" {
		return nil
	}
	err := os.Remove(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sweepLinks takes the files away that servers left behind which were killed. One that cannot be is no harm.
func sweepLinks(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), linkPrefix) && time.Since(info.ModTime()) > linkKept {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
