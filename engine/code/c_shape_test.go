package code

import (
	"strings"
	"testing"
)

// The text of a name that C gives to a struct is the struct, where both stand in one declaration.
func TestANameOfAStructShowsTheStruct(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"a.h": `typedef struct {
  int x;
} Point, *PointRef;

typedef struct node {
  struct node *next;
} Node, *NodeRef;
struct pair { int a, b; } one, *two;
struct far { int a; };
typedef struct far Far;
typedef int (*callback)(int a);
struct held { struct inner { int a; } deep; } all = { 1 };
`,
	})
	for name, want := range map[string]string{
		"Point":    "typedef struct {\n  int x;\n} Point",
		"PointRef": "typedef struct {\n  int x;\n} Point, *PointRef",
		"Node":     "typedef struct node {\n  struct node *next;\n} Node",
		"NodeRef":  "typedef struct node {\n  struct node *next;\n} Node, *NodeRef",
		"one":      "struct pair { int a, b; } one",
		"two":      "struct pair { int a, b; } one, *two",
		"Far":      "typedef struct far Far",
		"callback": "typedef int (*callback)(int a)",
		"all":      "struct held { struct inner { int a; } deep; } all",
		"deep":     "struct inner { int a; } deep",
	} {
		e, err := s.Source(t.Context(), name, "", 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(e.Text, ";"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	found, err := s.Find(t.Context(), "Node", Page{})
	if err != nil {
		t.Fatal(err)
	}
	if m := found.Matches[0]; m.Signature != "typedef struct node" || m.Line != 7 {
		t.Errorf("got the signature %q at line %d, want %q at 7", m.Signature, m.Line, "typedef struct node")
	}
}
