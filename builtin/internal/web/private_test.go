package web_test

import (
	"testing"

	"helve/builtin/internal/web"
	"helve/internal/config"
)

// What the configuration takes for a private host opens the host that it names, and what it refuses opens none: a
// person who is told nothing must not be left with an entry that does nothing.
func TestEntriesThatTheConfigurationTakesOpenTheirHost(t *testing.T) {
	for entry, url := range map[string]string{
		"localhost": "http://localhost/", "localhost:8080": "http://localhost:8080/", "LOCALHOST": "http://localhost/",
		" 10.0.0.7 ": "https://10.0.0.7/", "10.0.0.7:1": "http://10.0.0.7:1/", "10.0.0.0/8": "http://10.1.2.3:9/",
		"10.0.0.0/8:8080": "http://10.9.9.9:8080/", "*.corp.lan": "http://a.b.corp.lan/",
		"*.corp.lan:443": "https://a.corp.lan/", "::1": "http://[::1]/", "[::1]": "http://[::1]:7/",
		"[::1]:8080": "http://[::1]:8080/", "fd00::/8": "http://[fd00::1]/", "my_host.lan": "http://my_host.lan/",
		"xn--bro-hoa.lan": "http://büro.lan/", "a.7b.lan": "http://a.7b.lan/", "0:0::1": "http://[::1]/",
	} {
		if err := config.CheckHost(entry); err != nil {
			t.Errorf("%q: %v, want it taken", entry, err)
		}
		if _, err := web.New(web.Options{AllowPrivate: []string{entry}}).Parse(url); err != nil {
			t.Errorf("%q is taken and does not open %s: %v", entry, url, err)
		}
	}
	private := []string{
		"http://localhost/", "http://localhost:8080/", "http://10.0.0.7/", "http://db.corp.lan/", "http://[::1]/",
		"http://büro.lan/", "http://[fd00::1]/",
	}
	for _, entry := range []string{
		"", "*", "*.", "db*.corp.lan", "http://localhost:80/x", "localhost:", "localhost:0", "localhost:080",
		"localhost:99999", "localhost:http", "10.0.0.0/33", "localhost/admin", "300.1.1.1", "10.0.0", "a b", "a..b",
		"büro.lan", "fe80::1%eth0", "user@localhost",
	} {
		if config.CheckHost(entry) == nil {
			t.Errorf("%q is taken", entry)
		}
		for _, url := range private {
			if _, err := web.New(web.Options{AllowPrivate: []string{entry}}).Parse(url); err == nil {
				t.Errorf("%q is refused and opens %s", entry, url)
			}
		}
	}
}
