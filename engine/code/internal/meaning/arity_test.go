package meaning

import "testing"

func TestSeparated(t *testing.T) {
	for text, want := range map[string]int{
		"()":                         0,
		"( )":                        0,
		"(a)":                        1,
		"(a, b)":                     2,
		"(f(a, b), [c, d], {e, f})":  3,
		"(\"a,b\", ',')":             2,
		"(new Map<K, List<V>>(), x)": 2,
		"(a < b, c)":                 2,
		"(a<b, c)":                   2,
		"(Class<?> a, Map<K, List<V>> b, Class<?>[] c)": 3,
		"(\"\\\", \", b)": 2,
	} {
		if list, end := separated([]byte(text)); len(list) != want || end != len(text) {
			t.Errorf("%s: %q to %d, want %d to %d", text, list, end, want, len(text))
		}
	}
	if _, end := separated([]byte("(a, b")); end != 0 {
		t.Error("what is not closed has an end")
	}
}
