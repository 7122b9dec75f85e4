package serve

import (
	"strings"
	"testing"
)

// One judgement for all that listens: what others reach is refused, unless something is said to stand before it.
func TestPlainHTTPIsOfferedToOthersOnlyWhenToldSo(t *testing.T) {
	for given, local := range map[string]bool{
		"127.0.0.1:1": true, "127.8.9.1:1": true, "[::1]:1": true, "localhost:1": true, ":1": true,
		"[::ffff:127.0.0.1]:1": true,
		"0.0.0.0:1":            false, "[::]:1": false, "0:1": false, "192.0.2.1:1": false, "10.0.0.1:1": false,
		"[fe80::1%lo]:1": false, "[::ffff:0.0.0.0]:1": false, "127.0.0.1.example:1": false, "helve.example:1": false,
	} {
		for _, flag := range []string{"--http", "--listen"} {
			at, err := addressOf(flag, given)
			if err != nil || at.local != local {
				t.Errorf("%s %s: %+v, %v", flag, given, at, err)
				continue
			}
			err = at.inTheOpen(false)
			if (err == nil) != local {
				t.Errorf("%s %s: %v", flag, given, err)
			}
			if err != nil && !strings.Contains(err.Error(), flag+" "+given) {
				t.Errorf("the refusal does not name %s %s: %v", flag, given, err)
			}
			if err := at.inTheOpen(true); err != nil {
				t.Errorf("%s %s --behind-proxy: %v", flag, given, err)
			}
		}
	}
	for _, given := range []string{"", "nope", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:99999", "127.0.0.1:-1"} {
		if _, err := addressOf("--http", given); err == nil {
			t.Errorf("%q is an address", given)
		}
	}
}
