// Command release makes everything that a version of helve is published as, without a network.
//
//	release -root CHECKOUT [-out dist] [-targets linux/amd64,…] [-sign KEYFILE] VERSION
//
// Two runs of one commit give the same bytes: times are those of the commit, order is by name, and
// nothing that is written knows where it was built.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A target is a system that a release is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// exe is a program's file name there.
func (t target) exe(program string) string {
	if t.os == "windows" {
		return program + ".exe"
	}
	return program
}

// program is what a release is made of.
const program = "helve"

// A release is one version on its way out.
type release struct {
	root    string // the checkout
	out     string // the folder of what is published
	work    string // what is made on the way; removed at the end
	version string // without the v
	time    time.Time
	targets []target
	place   place
}

// place is release.toml: where helve is published. Empty values name no place.
type place struct {
	Module     string `toml:"module"`
	Repository string `toml:"repository"`
	Downloads  string `toml:"downloads"`
	NPMScope   string `toml:"npm_scope"`
	Image      string `toml:"image"`
	Maintainer string `toml:"maintainer"`
}

// versionForm is semantic versioning as package managers take it.
var versionForm = regexp.MustCompile(`^v?([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?)$`)

// run makes a release, and says how long each step took: who waits for minutes wants to see why.
func run(args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	root := flags.String("root", ".", "the checkout")
	out := flags.String("out", "dist", "the folder that is written, below the checkout unless absolute")
	list := flags.String("targets", "", "os/arch, separated by commas (default: "+usualTargets+")")
	sign := flags.String("sign", "", "an ed25519 private key (PEM, PKCS #8) that signs the checksums")
	if err := flags.Parse(args); err != nil {
		return err
	}
	m := versionForm.FindStringSubmatch(flags.Arg(0))
	if flags.NArg() != 1 || m == nil {
		return errors.New("usage: scripts/release [-out DIR] [-targets LIST] [-sign KEY] VERSION, " +
			"for example scripts/release 0.1.0")
	}
	r := &release{root: *root, out: *out, version: m[1]}
	if !filepath.IsAbs(r.out) {
		r.out = filepath.Join(r.root, r.out)
	}
	if err := r.prepare(*list); err != nil {
		return err
	}
	defer os.RemoveAll(r.work) // also after a failure: half a release is of no use to anybody
	for _, s := range r.steps(*sign) {
		start := time.Now()
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Printf("%-12s %6.1f s\n", s.name, time.Since(start).Seconds())
	}
	return nil
}

// A step makes one kind of file.
type step struct {
	name string
	do   func() error
}

// steps are in the order in which they need each other: packages hold the manual, the checksums are
// those of every file before them. The program is built once for each target, and everything else is made of
// them.
func (r *release) steps(key string) []step {
	return []step{
		{"program", r.build},
		{"manual", r.manual},
		{"archives", r.archives},
		{"packages", r.linuxPackages},
		{"npm", r.npm},
		{"image", r.image},
		{"sbom", r.sbom},
		{"installer", r.installer},
		{"formulas", r.formulas},
		{"checksums", r.checksums},
		{"signature", func() error { return r.signature(key) }},
	}
}

// prepare reads what the release is made of and empties the folder that it goes to. Whoever calls
// it removes the folder of work.
func (r *release) prepare(list string) error {
	if _, err := toml.DecodeFile(filepath.Join(r.root, "release.toml"), &r.place); err != nil {
		return err
	}
	var err error
	if r.targets, err = parseTargets(list); err != nil {
		return err
	}
	if r.time, err = commitTime(r.root); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "helve-release-"); err != nil {
		return err
	}
	// What an earlier version left would be published along with this one.
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	return os.MkdirAll(r.out, 0o755)
}

// usualTargets are what a release is built for unless somebody asks for less.
const usualTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// parseTargets reads a list of os/arch. What the Go toolchain does not know, it refuses by itself.
func parseTargets(list string) ([]target, error) {
	if list == "" {
		list = usualTargets
	}
	var out []target
	for word := range strings.SplitSeq(list, ",") {
		system, arch, ok := strings.Cut(word, "/")
		if !ok {
			return nil, fmt.Errorf("target %q: want os/arch, for example linux/amd64", word)
		}
		out = append(out, target{system, arch})
	}
	return out, nil
}

// commitTime is the time of all that is written: SOURCE_DATE_EPOCH if it is set, else the commit's.
func commitTime(root string) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		cmd := exec.Command("git", "log", "-1", "--format=%ct")
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("git log: %w", err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("the commit's time: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
