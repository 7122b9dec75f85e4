package web

import (
	"testing"

	"golang.org/x/net/idna"
)

// Hosts that are not in ASCII are what the rules for international names (UTS 46) make of them, as far as those let
// them be.
func TestHostsAreAsTheyAreLookedUp(t *testing.T) {
	for host, want := range map[string]string{
		"b\u00fccher.example":                     "xn--bcher-kva.example",
		"B\u00dcCHER.Example.":                    "xn--bcher-kva.example",
		"\uff11\uff12\uff17.\uff10.\uff10.\uff11": "127.0.0.1",
		"\u4f8b\u3048.\u30c6\u30b9\u30c8":         "xn--r8jz45g.xn--zckzah",
		"a\u3002b":                                "a.b",
		"fa\u00df.example":                        "xn--fa-hia.example",
		"Plain_Name.example":                      "plain_name.example",
		"XN--BCHER-KVA.example":                   "xn--bcher-kva.example",
	} {
		got, err := asciiHost(host)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", host, got, err, want)
		}
		if ruled, err := idna.Lookup.ToASCII(host); err == nil && ruled != got && ruled != got+"." {
			t.Errorf("%q: %q, the rules say %q", host, got, ruled)
		}
	}
	for _, host := range []string{"\u200d.example", "a\u00a0b.example", "\ufffd", "x\u2024/y"} {
		if got, err := asciiHost(host); err == nil {
			t.Errorf("%q is taken to be %q", host, got)
		}
	}
}
