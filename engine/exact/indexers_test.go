package exact

import (
	"os"
	"path/filepath"
	"testing"
)

// The indexes in testdata are what scip-typescript 0.4.0, scip-python 0.6.6 and scip-go 0.2.9 wrote of these projects, but
// for the part that says where they lay.

func TestIndexersSettleWhatNamesLeaveOpen(t *testing.T) {
	for _, p := range []struct {
		name, lamp, fire, one, two string
		files                      map[string]string
	}{
		{"go", "Lamp.Kindle", "Fire.Kindle", "b.go#One checked", "b.go#Two checked", lanterns},
		{"ts", "Lamp.kindle", "Fire.kindle", "use.ts#one checked", "use.ts#two checked", map[string]string{
			"lamp.ts": "export class Lamp { kindle() {} }\nexport class Fire { kindle() {} }\n",
			"use.ts": "import { Lamp, Fire } from \"./lamp\"\nconst pick = <T>(list: T[]) => list[0]\n" +
				"export function one() { pick([new Lamp()]).kindle() }\nexport function two() { pick([new Fire()]).kindle() }\n",
		}},
		{"py", "Lamp.kindle", "Fire.kindle", "use.py#one checked", "use.py#two checked", map[string]string{
			"lamp.py": "class Lamp:\n    def kindle(self): pass\n\nclass Fire:\n    def kindle(self): pass\n",
			"use.py": "from lamp import Lamp, Fire\n\ndef one():\n    [x for x in [Lamp()]][0].kindle()\n\n" +
				"def two():\n    [x for x in [Fire()]][0].kindle()\n",
		}},
	} {
		t.Run(p.name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", p.name+".scip"))
			if err != nil {
				t.Fatal(err)
			}
			dir, _, x := workspace(t, Options{list: []server{}, Notice: failed(t)}, p.files)
			put(t, dir, data)
			eventually(t, x, p.lamp, p.one)
			eventually(t, x, p.fire, p.two)
		})
	}
}
