package code

import "testing"

// A folder called test that holds a library is none of tests in Python: what its files define says so.
func TestALibraryInAFolderCalledTestIsNoTest(t *testing.T) {
	m := tree(map[string]string{
		"lib/test/client.py":     "class TestClient:\n    def get(self): pass\n    def tester(self): pass\n",
		"lib/test/testcases.py":  "from lib.test.client import TestClient\nclass TestCase:\n    def setup(self): TestClient().get()\n",
		"lib/test/basic.py":      "from lib.test.client import TestClient\ndef test_it(): TestClient().get()\n",
		"lib/test/old.py":        "from lib.test.client import TestClient\nclass Old:\n    def testIt(self): TestClient().get()\n",
		"lib/test/test_empty.py": "from lib.test.client import TestClient\nx = TestClient().get()\n",
		"tests/models.py":        "from lib.test.client import TestClient\ndef make(): TestClient().get()\n",
		"main.py":                "from lib.test.client import TestClient\ndef run(): TestClient().get()\n",
	})
	cache := t.TempDir()
	for range 2 { // the second time as it is kept
		x := New(m, Options{Cache: cache, Key: "/work"})
		s := snapshot(t, x)
		users, err := s.Dependents(t.Context(), "lib/test/client.py#TestClient.get", Page{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, e := range users.Edges {
			got[e.Path] = e.Test
		}
		for path, want := range map[string]bool{
			"lib/test/testcases.py": false, "lib/test/basic.py": true, "lib/test/old.py": true, "lib/test/test_empty.py": true,
			"tests/models.py": true, "main.py": false,
		} {
			if test, found := got[path]; !found || test != want {
				t.Errorf("%s: test %v (found %v), want %v", path, test, found, want)
			}
		}
		x.Close()
	}
}
