package config

import (
	"strings"
	"testing"
)

func TestWhatNoPrivateHostCanBeIsTold(t *testing.T) {
	for _, host := range []string{
		"localhost", "localhost:8080", "LOCALHOST", " 10.0.0.7 ", "10.0.0.7:1", "10.0.0.0/8", "10.0.0.0/8:8080", "*.corp.example", "*.corp.example:443",
		"::1", "[::1]", "[::1]:8080", "fd00::/8", "my_host.lan", "xn--bro-hoa.lan", "a.7b",
	} {
		if err := CheckHost(host); err != nil {
			t.Errorf("%q: %v, want nothing", host, err)
		}
	}
	for host, want := range map[string]string{
		"":                        "a part of its name is empty",
		"*":                       "* stands only at its beginning",
		"*.":                      "a part of its name is empty",
		"db*.corp.example":        "* stands only at its beginning",
		"http://localhost:80/x":   "write the host alone, localhost:80",
		"localhost:":              "want a port from 1 to 65535",
		"localhost:0":             "want a port",
		"localhost:080":           "want a port",
		"localhost:99999":         "want a port",
		"localhost:http":          "want a port",
		"10.0.0.0/33":             "a network is written as 10.0.0.0/8",
		"localhost/admin":         "a host without a path",
		"300.1.1.1":               "an address is written as 10.0.0.7",
		"10.0.0":                  "an address is written as 10.0.0.7",
		"a b":                     `it has a ' '`,
		"a..b":                    "a part of its name is empty",
		"büro.lan":                "xn--",
		"fe80::1%eth0":            "zone",
		"user@host":               `it has a '@'`,
		strings.Repeat("@", 1000): "it has a '@'",
	} {
		err := CheckHost(host)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", host, err, want)
		} else if len(err.Error()) > 300 {
			t.Errorf("%q: an error of %d bytes", host[:20], len(err.Error()))
		}
	}
}
