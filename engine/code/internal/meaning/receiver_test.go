package meaning

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesOfReceiversAreReadAsThoseOfTypes(t *testing.T) {
	for expr, want := range map[string]string{
		"?node": "node", "?": "", "A.b": "b", "A.nodes[]": "node", "?entries[]": "entry", "?getNode()": "Node", "?get_node()1": "node", "?node_": "node", "?x()[]": "x",
	} {
		if got := receiverName(expr); got != want {
			t.Errorf("%s is called %q, want %q", expr, got, want)
		}
	}
	for hint, want := range map[string][]string{
		"durationSubscriber": {"DurationSubscriber", "Subscriber"}, "ogr_field": {"OgrField", "Field"}, "re2": {"Re2"}, "URL": {"URL"}, "x_": {"X"},
	} {
		if diff := cmp.Diff(want, typeNames(hint)); diff != "" {
			t.Errorf("types of %s (-want +got):\n%s", hint, diff)
		}
	}
	for _, pair := range [][2]string{{"dep", "Dependency"}, {"re", "RE2"}, {"coord_trans", "CoordTransform"}} {
		if !abbreviates(pair[0], pair[1]) {
			t.Errorf("%s is not short for %s", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"call", "CallExecutionError"}, {"de", "Dependency"}, {"dependency", "Dep"}} {
		if abbreviates(pair[0], pair[1]) {
			t.Errorf("%s is short for %s", pair[0], pair[1])
		}
	}
}
