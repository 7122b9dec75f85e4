package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/secrets"
)

// credentials are names of files that hold secrets, where tools have them and as the list of secrets knows them.
func credentials(t *testing.T) []string {
	t.Helper()
	out := []string{"credentials", "credentials.toml", "settings.xml", "gradle.properties", "auth.json", ".condarc", "NuGet.Config", "pip.conf",
		".npmrc", ".netrc", ".pypirc", ".env", ".git-credentials", ".vault-token", "id_rsa", "id_ed25519", "x.keytab", "x.kdbx", "x.p12",
		"x.pem", "x.key", "x.jks", "credentials.json", "client_secret_x.json", "secrets.yml", "terraform.tfstate", ".terraformrc"}
	known := func(name string) bool { return (*secrets.List)(nil).Has(name) }
	if n := len(slices.DeleteFunc(slices.Clone(out), func(name string) bool { return !known(name) })); n < 15 {
		t.Fatalf("the list of secrets knows %d of these names", n)
	}
	return out
}

// plant writes a file of the home, unless something is there.
func plant(t *testing.T, path, text string) {
	t.Helper()
	if os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	if _, err := os.Lstat(path); err == nil {
		return
	}
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

// Of a home in which every tool has its folder, the parts are seen, and nothing beside them: neither credentials of any
// name nor a file that no list knows. What is a secret by its name is not seen in a part either.
func TestOfAHomeItsPartsAreSeenAndNoCredentials(t *testing.T) {
	o, f := confined(t)
	var parts []string
	for _, rel := range readsTable()["home"] {
		parts = append(parts, filepath.Join(f.home, strings.ReplaceAll(rel, "*", "x")))
	}
	for _, part := range parts { // outer folders are made by what lies in them
		plant(t, filepath.Join(part, "part"), "PART "+part+"\n")
	}
	known := slices.DeleteFunc(credentials(t), func(name string) bool { return !(*secrets.List)(nil).Has(name) })
	isPart := func(path string) bool { return insideAny(path, parts) }
	for i, part := range parts {
		for up := filepath.Dir(part); inside(up, f.home); up = filepath.Dir(up) {
			for _, name := range append(credentials(t), "nobody-knows-this") {
				if at := filepath.Join(up, name); !isPart(at) && !holdsAny(at, parts) {
					plant(t, at, "SECRET "+at+"\n")
				}
			}
		}
		// Of those that the list knows one in each: as many as are masked.
		plant(t, filepath.Join(part, known[i%len(known)]), "SECRET "+part+"\n")
	}
	must(t, os.Symlink(f.home, filepath.Join(f.root, "h")))
	for _, o.Level = range []Level{ReadOnly, WorkspaceWrite} {
		out, _, r := run(t, o, f, "find h/ ~ -type f -exec cat {} + 2>/dev/null | sort -u")
		if !r.Confined {
			t.Fatalf("not confined: %+v", r)
		}
		for line := range strings.Lines(out) {
			if strings.Contains(line, "SECRET /") {
				t.Errorf("%v: it sees %s", o.Level, line)
			}
		}
		for _, part := range parts {
			if !strings.Contains(out, "PART "+part+"\n") {
				t.Errorf("%v: it does not see %s", o.Level, part)
			}
		}
	}
}

// A part of the home with more secrets than are masked is not shown at all.
func TestAPartWithManySecretsIsNotShown(t *testing.T) {
	home := t.TempDir()
	part := filepath.Join(home, ".local", "bin")
	must(t, os.MkdirAll(part, 0o755))
	for i := range maxPrivate + 1 {
		must(t, os.WriteFile(filepath.Join(part, strings.Repeat("x", i+1)+".keytab"), nil, 0o644))
	}
	r := &readPlan{Show: []string{"/usr", part}, Home: home}
	if got := r.secrets(); len(got) > 0 || !slices.Equal(r.Show, []string{"/usr"}) {
		t.Errorf("%d masked, shown %q", len(got), r.Show)
	}
}
