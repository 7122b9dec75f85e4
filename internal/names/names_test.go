package names

import (
	"regexp"
	"strings"
	"testing"
)

// R1.17, the seed's own rule, kept as it is.
func TestGenerateValidNameFollowsTheSeed(t *testing.T) {
	long := strings.Repeat("a", 40) + strings.Repeat("b", 40)
	for in, want := range map[string]string{
		"read_file":             "read_file",
		"a.b-c":                 "a.b-c",
		"hello wörld":           "hello_w_rld",
		"读取文件":                  "____",
		"":                      "",
		long:                    strings.Repeat("a", 28) + "___" + strings.Repeat("b", 32),
		strings.Repeat("x", 63): strings.Repeat("x", 63),
	} {
		if got := GenerateValidName(in); got != want {
			t.Errorf("GenerateValidName(%q) = %q, want %q", in, got, want)
		}
	}
}

var public = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

func TestPublicKeepsWhatIsPublicAndHashesTheRest(t *testing.T) {
	for _, in := range []string{"read", "_x", "a-b", strings.Repeat("a", 64)} {
		if got := Public(in); got != in {
			t.Errorf("Public(%q) = %q, want it unchanged", in, got)
		}
	}
	seen := map[string]string{}
	for _, in := range []string{"", " ", "1a", "-a", "a.b", "a/b", "a b", "读", "写", strings.Repeat("a", 65), strings.Repeat("a", 66)} {
		got := Public(in)
		if !public.MatchString(got) {
			t.Errorf("Public(%q) = %q, which providers refuse", in, got)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("Public(%q) = Public(%q) = %q", in, other, got)
		}
		seen[got] = in
	}
}

// ⚑5: create… and delete… cut to one name; a+b_c and a_b+c.
func TestQualifiedNamesNeverMeet(t *testing.T) {
	long := strings.Repeat("x", 100)
	pairs := [][2]string{{"a", "b_c"}, {"a_b", "c"}, {"a", "b__c"}, {"a__b", "c"}, {"a_", "b"}, {"a", "_b"}, {"s", "create" + long}, {"s", "delete" + long},
		{"s", "读"}, {"s", "写"}, {"s.t", "u"}, {"s_t", "u"}, {"", "x"}, {"x", ""}}
	seen := map[string][2]string{}
	for _, p := range pairs {
		got := Qualified(p[0], p[1])
		if !public.MatchString(got) {
			t.Errorf("Qualified(%q) = %q, which providers refuse", p, got)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%q and %q share the name %q", p, other, got)
		}
		seen[got] = p
	}
	if got := Qualified("fs", "read_file"); got != "mcp__fs__read_file" {
		t.Errorf("Qualified(fs, read_file) = %q", got)
	}
}

func TestNearSuggestsWhatWasMeantAndNothingElse(t *testing.T) {
	tools := []string{"search_files", "read", "write", "edit", "multi_edit", "grep", "bash"}
	for in, want := range map[string]string{
		"search_fils": "search_files", "raed": "read", "grepp": "grep", "multiedit": "multi_edit", "SearchFile": "search_files",
		"deploy": "", "": "", strings.Repeat("read", 100): "",
	} {
		if got := strings.Join(Near(in, tools, 1), ","); got != want {
			t.Errorf("Near(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDistanceCountsEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abcd", 1}, {"kitten", "sitting", 3}, {"a", "xyzzy", 4}} {
		if got := Distance(c.a, c.b, 3); got != c.want {
			t.Errorf("Distance(%q, %q, 3) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func FuzzPublicNamesAreAccepted(f *testing.F) {
	f.Add("fs", "read_file")
	f.Add("a__b", "读")
	f.Fuzz(func(t *testing.T, server, tool string) {
		for _, got := range []string{Qualified(server, tool), Public(tool), Hashed(tool, server)} {
			if !public.MatchString(got) {
				t.Errorf("%q, %q: %q, which providers refuse", server, tool, got)
			}
		}
	})
}
