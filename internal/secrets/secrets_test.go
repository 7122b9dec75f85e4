package secrets_test

import (
	"path"
	"strings"
	"testing"

	"helve/internal/secrets"
)

func TestWhatMayHoldSecretsIsKnownByItsName(t *testing.T) {
	var l *secrets.List
	for _, name := range strings.Fields(`.env svc/.env .ENV .env.local .env.production deploy/prod.env .envrc
		.ssh .ssh/config home/.aws/credentials .docker/config.json a/.kube/config .config/gh/hosts.yml
		.netrc .npmrc .pgpass id_rsa keys/id_ed25519 tls/server.key App.KEYSTORE auth.p12 certs/private-key.pem
		tests/.env testdata/id_rsa terraform.tfstate credentials credentials.json config/secrets.yml
		.streamlit/secrets.toml client_secret_123.json x-firebase-adminsdk-abc.json /abs/where/.env //other/.env
		wiki.kdbx .vault_pass.txt`) {
		if !l.Has(name) {
			t.Errorf("%s: got harmless, want a secret", name)
		}
	}
	for _, name := range strings.Fields(`main.go .env.example .env.sample config/.env.template .env.production.example
		example.env process.env import.meta.env id_rsa.pub server.key.pub keys.go key.pem.md credentials/index.ts src/credentials/store.go
		docs/secrets.yaml charts/app/templates/secrets.yaml testdata/server.key tests/tls/ca-key.pem
		spec/fixtures/credentials.json cert.pem ca.pem public-key.pem rsa_pubkey.pem android/debug.keystore
		.docker/Dockerfile .docker/nginx.conf .kube/README.md environment.ts env.go .environment key monkey.png
		node_modules/x/test.key secrets.go secret.ts .gitconfig turkey.json`) {
		if l.Has(name) {
			t.Errorf("%s: got a secret, want harmless", name)
		}
	}
}

func TestAConfigurationAddsToTheListAndTakesFromIt(t *testing.T) {
	l, err := secrets.New([]string{"*.vault", "ops/", "config/prod/*.json", "!.npmrc", "!*.key", "real/*.key"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(`a/b.vault ops/x deep/ops/y config/prod/db.json .env real/a.key OPS/X`) {
		if !l.Has(name) {
			t.Errorf("%s: got harmless, want a secret", name)
		}
	}
	for _, name := range strings.Fields(`.npmrc web/.npmrc server.key config/dev/db.json opsx/y b.vault.go`) {
		if l.Has(name) {
			t.Errorf("%s: got a secret, want harmless", name)
		}
	}
}

func TestAPatternThatIsNoneIsRefusedInWords(t *testing.T) {
	for _, p := range []string{"", "!", "/", "[a", "{a", "~/x", strings.Repeat("a", 5000)} {
		if _, err := secrets.New([]string{p}); err == nil {
			t.Errorf("%.20q: got no error", p)
		}
	}
	if _, err := secrets.New(make([]string, 1000)); err == nil {
		t.Error("1000 patterns: got no error")
	}
}

// The table is data: a pattern that path.Match cannot read would match nothing, and nobody would know.
func TestEachPatternOfTheTableMatchesSomething(t *testing.T) {
	for _, p := range secrets.Patterns() {
		name := strings.ReplaceAll(strings.TrimSuffix(path.Base(p), "/"), "*", "x")
		ok, err := path.Match(strings.TrimSuffix(path.Base(p), "/"), name)
		if err != nil || !ok {
			t.Errorf("%s does not match %s: %v", p, name, err)
		}
	}
}

func BenchmarkHas(b *testing.B) {
	var l *secrets.List
	b.ReportAllocs()
	for b.Loop() {
		if l.Has("internal/change/check/person_settings_test.go") {
			b.Fatal("a secret")
		}
	}
}
