package git

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pieces are what random configurations are made of: everything that means something to git.
var pieces = []string{"[core]", "[a \"b\"]", "[a.B]", "[a \"x\\\"y\\\\z\"]", "[ a]", "[a", "]", "\"", "\\", "\\\n", "\\n", "\\t", "\\x", "=", " ", "\t",
	"\n", "\r\n", "\r", "#", ";", "key", "Key-2", "2key", "value", "a b", "true", "include", "[include]", "path", "\x00", "\xff", "é", "!", "\v", "\ufeff", "[]", "[a \"\"]", "key=v"}

var differential = flag.Int("differential", 300, "how many random configurations are compared with git's reading")

// Whatever git reads is read as git reads it, or not at all: what is not seen here would not be judged.
func TestConfigurationsAreReadAsGitReadsThem(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	rounds := *differential
	r := rand.New(rand.NewPCG(7, 7))
	file := filepath.Join(t.TempDir(), "config")
	read, refused := 0, 0
	for range rounds {
		var b strings.Builder
		if r.IntN(4) > 0 {
			b.WriteString("[core]\n")
		}
		if r.IntN(2) > 0 {
			b.WriteString("key = ")
		}
		for range r.IntN(10) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want, ok := asGit(t, file)
		got, err := ParseConfig([]byte(text))
		if !ok {
			continue
		}
		if strings.Contains(text, "\x00") {
			continue // refused on purpose
		}
		if err != nil {
			refused++
			if refused*20 > rounds {
				t.Errorf("%q: git reads it, this reader does not: %v", text, err)
			}
			continue
		}
		read++
		if names := named(got); !slices.Equal(blanks(names), blanks(want)) {
			t.Errorf("%q: read as %q, git has %q", text, names, want)
		}
	}
	t.Logf("%d of %d read, %d that git reads refused", read, rounds, refused)
	if read*10 < rounds {
		t.Errorf("only %d of %d could be read: they show little", read, rounds)
	}
}

// asGit is what git reads of a file; false if it refuses.
func asGit(t *testing.T, file string) ([]string, bool) {
	t.Helper()
	cmd := exec.Command("git", "config", "--file", file, "--list", "-z", "--no-includes")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(file), "LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	var list []string
	for _, one := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if one != "" {
			list = append(list, one)
		}
	}
	return list, true
}

// blanks has every blank be a space, as older versions of git do.
func blanks(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, strings.NewReplacer("\t", " ", "\r", " ", "\v", " ", "\f", " ").Replace(s))
	}
	return out
}

func named(settings []Setting) []string {
	var out []string
	for _, s := range settings {
		one := s.Name()
		if !s.Bare {
			one += "\n" + s.Value
		}
		out = append(out, one)
	}
	return out
}

func TestSubmodulesAreFoundInAnIndexOfAnyForm(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, c := range []struct {
		format  string
		version int
	}{{"sha1", 2}, {"sha1", 3}, {"sha1", 4}, {"sha256", 2}, {"sha256", 4}} {
		t.Run(fmt.Sprint(c.format, c.version), func(t *testing.T) {
			dir := t.TempDir()
			id := strings.Repeat("1", 40)
			if c.format == "sha256" {
				id = strings.Repeat("1", 64)
			}
			script := fmt.Sprintf(`git init -q --object-format=%s . && for i in $(seq 300); do mkdir -p d$((i%%7)); echo $i >d$((i%%7))/file$i; done
git add . && git update-index --add --cacheinfo 160000,%s,d3/sub --cacheinfo 160000,%s,zz && touch later && git add -N later && git update-index --index-version %d`,
				c.format, id, id, c.version)
			cmd := exec.Command("bash", "-ec", script)
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			text, err := os.ReadFile(dir + "/.git/index")
			if err != nil {
				t.Fatal(err)
			}
			hash := SHA1Size
			if c.format == "sha256" {
				hash = SHA256Size
			}
			got, err := Submodules(text, hash)
			if want := []string{"d3/sub", "zz"}; err != nil || !slices.Equal(got, want) {
				t.Errorf("found %q, want %q: %v", got, want, err)
			}
			for i := range text { // cut anywhere, it is refused or shows no more than there is
				if cut, err := Submodules(text[:i], hash); err == nil && len(cut) > 2 {
					t.Fatalf("cut at %d: %q", i, cut)
				}
			}
		})
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("[core]\n\tbare = false\n[remote \"o\"]\n\turl = x ; c\n"))
	f.Add([]byte(strings.Join(pieces, "")))
	f.Fuzz(func(t *testing.T, text []byte) {
		settings, err := ParseConfig(text)
		if err != nil {
			return
		}
		for _, s := range settings {
			if s.Key == "" || !bytes.Contains(bytes.ToLower(text), []byte(s.Key)) {
				t.Errorf("%q: %+v", text, s)
			}
		}
	})
}

func FuzzSubmodules(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"), 20)
	f.Add(append([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x02"), make([]byte, 200)...), 32)
	f.Fuzz(func(t *testing.T, text []byte, hash int) {
		if hash != SHA1Size && hash != SHA256Size {
			return
		}
		links, err := Submodules(text, hash)
		if err == nil && len(links) > len(text)/indexHash {
			t.Errorf("%d links in %d bytes", len(links), len(text))
		}
	})
}
