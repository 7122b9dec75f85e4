package upgrade

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"helve/cmd/internal/command"
)

const (
	sums     = "checksums.txt"
	mostSums = 1 << 20         // bytes of checksums.txt
	mostFile = 256 << 20       // bytes of an archive, and of the program in it
	longest  = 5 * time.Minute // that one file may take
)

// A source is where a release's files lie: an address, or a folder.
type source struct{ base string }

// sourceOf is where a program came from. What no install.sh brought has none: the error says what brings it anew.
func sourceOf(program string, getenv func(string) string) (source, error) {
	if base := getenv("HELVE_BASE_URL"); base != "" {
		return source{strings.TrimSuffix(base, "/")}, nil
	}
	if base := receipt(program); base != "" {
		return source{base}, nil
	}
	return source{}, command.Failed(errors.New(otherWay(program)))
}

// receipt is the place that install.sh noted beside the program, or "".
func receipt(program string) string {
	b, err := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "share", "helve", "install.txt"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if base, ok := strings.CutPrefix(strings.TrimSpace(line), "base="); ok {
			return strings.TrimSuffix(base, "/")
		}
	}
	return ""
}

// managers are those that bring helve as a package, by what stands in the path of their programs.
var managers = []struct{ in, does string }{
	{"/node_modules/", "npm update the package that it came with"},
	{"/Cellar/", "brew upgrade helve"},
	{"/scoop/apps/", "scoop update helve"},
}

// otherWay says how a program is brought anew that install.sh did not bring.
func otherWay(program string) string {
	path := filepath.ToSlash(program)
	for _, m := range managers {
		if strings.Contains(path, m.in) {
			return "a package manager brought this helve: " + m.does
		}
	}
	if strings.HasPrefix(path, "/usr/bin/") {
		for manager, asks := range map[string]string{"dpkg": "-S", "rpm": "-qf"} {
			if exec.Command(manager, asks, program).Run() == nil {
				return "a package of " + manager + " brought this helve: install the newer package over it"
			}
		}
	}
	return "install.sh did not bring " + program + ", so that nothing says where a newer one lies: run the install.sh " +
		"of a release, set HELVE_BASE_URL to the place of one's files, or build it anew from the checkout: " +
		"go build ./cmd/helve"
}

// An offer is an archive for this machine.
type offer struct{ version, file, sum string }

// newest is the latest version that lies there for this machine, or the one that is asked for.
func (s source) newest(ctx context.Context, wanted string) (offer, error) {
	text, err := s.read(ctx, sums, mostSums)
	if err != nil {
		return offer{}, err
	}
	before, after, _ := strings.Cut(archive("\n"), "\n")
	var best offer
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		sum, file, _ := strings.Cut(lines.Text(), " ")
		file = strings.TrimLeft(file, " *")
		v := strings.TrimSuffix(strings.TrimPrefix(file, before), after)
		if file != archive(v) {
			continue
		}
		if wanted != "" && v == strings.TrimPrefix(wanted, "v") {
			return offer{v, file, sum}, nil
		}
		if wanted == "" && (best.version == "" || semver.Compare("v"+v, "v"+best.version) > 0) {
			best = offer{v, file, sum}
		}
	}
	if best.version == "" {
		return offer{}, command.Failed(errors.New(s.base + "/" + sums + " has no helve " + cmp.Or(wanted, "at all") +
			" for " + runtime.GOOS + "/" + runtime.GOARCH))
	}
	return best, nil
}

// read is one file, whole.
func (s source) read(ctx context.Context, name string, most int64) ([]byte, error) {
	in, err := s.open(ctx, name)
	if err != nil {
		return nil, command.Failed(err)
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, command.Failed(errors.New(s.base + "/" + name + " came in part: " + err.Error()))
	case int64(len(b)) > most:
		return nil, command.Failed(errors.New(s.base + "/" + name + " is larger than any release's"))
	}
	return b, nil
}

// open begins to read a file. Over the network, the proxy is the environment's.
func (s source) open(ctx context.Context, name string) (io.ReadCloser, error) {
	dir, isFile := strings.CutPrefix(s.base, "file://")
	if isFile || !strings.Contains(s.base, "://") {
		return os.Open(filepath.Join(dir, name))
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/"+name, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		cancel()
		return nil, err
	}
	body := &response{res.Body, cancel}
	if res.StatusCode != http.StatusOK {
		body.Close()
		return nil, errors.New(s.base + "/" + name + ": " + res.Status)
	}
	return body, nil
}

// A response ends its request's time when it is closed.
type response struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (r *response) Close() error {
	defer r.cancel()
	return r.ReadCloser.Close()
}
