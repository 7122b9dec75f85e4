package serve

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

func TestAFileOfTokensIsReadStrictly(t *testing.T) {
	good := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("x")))
	for text, want := range map[string]string{
		"":                                 "names nobody",
		"# nobody\n":                       "names nobody",
		"ann\n":                            "1: want NAME sha256:HEX",
		"\nann " + good + " x":             "2: want NAME sha256:HEX",
		"ann sha256:12":                    "1: ann: want sha256: and 64 hexadecimal digits",
		"ann " + good[7:]:                  "1: ann: want sha256: and 64 hexadecimal digits",
		"a/b " + good:                      `1: "a/b" is no name`,
		"local " + good:                    "1: the name local is taken",
		"ann " + good + "\nbob " + good:    "2: bob has the token of ann",
		strings.Repeat("x", 70<<10) + "\n": "1: ",
	} {
		if _, err := parsePrincipals([]byte(text)); err == nil || !strings.HasPrefix(strings.TrimSpace(err.Error()), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	list, err := parsePrincipals([]byte("ann " + good + "\r\n"))
	if err != nil || len(list) != 1 || list[0].name != "ann" {
		t.Errorf("%v, %v", list, err)
	}
}
