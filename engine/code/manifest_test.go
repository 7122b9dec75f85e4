package code

import "testing"

// TestImportsByThePackagesOwnNameReachItsSources is what packages of one repository do that import each other.
func TestImportsByThePackagesOwnNameReachItsSources(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"package.json":               `{"name": "house", "main": "dist/house.js", "source": "./src/index.js"}`,
		"dist/house.js":              "export function open(){}\n",
		"src/index.js":               "export { default as options } from './options';\nexport { open } from './open';\n",
		"src/open.js":                "export function open() {}\n",
		"src/options.js":             "const options = {};\nexport default options;\n",
		"hooks/src/index.js":         "import { open, options as o } from 'house';\nexport function use() { open(); o.x = 1 }\n",
		"packages/core/package.json": `{"name": "@acme/core", "main": "lib/main"}`,
		"packages/core/lib/main.ts":  "export class Core { run() {} }\n",
		"packages/core/src/extra.ts": "export const extra = () => 1;\n",
		"packages/app/index.ts":      "import { Core } from '@acme/core';\nimport { extra } from '@acme/core/extra';\nexport function main() { new Core().run(); extra() }\n",
		"broken/package.json":        "{",
	})
	wantUsers(t, s, "src/open.js#open", "hooks/src/index.js#use call import-resolved")
	wantUsers(t, s, "options", "src/options.js use exact", "hooks/src/index.js#use use import-resolved")
	wantUsers(t, s, "Core.run", "packages/app/index.ts#main call import-resolved")
	wantUsers(t, s, "extra", "packages/app/index.ts#main call import-resolved")
}

// TestADecoratorIsUsedByWhatItDecorates also where the class has another one of its name.
func TestADecoratorIsUsedByWhatItDecorates(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"deco.py": "def checked(f):\n    return f\n\ndef marked(level):\n    return checked\n",
		"a.py": "from deco import checked, marked\n\nclass A:\n    @checked\n    def one(self):\n        pass\n\n    @marked(\n        level=1,\n    )\n    @checked\n" +
			"    def two(self):\n        pass\n\n    def local(f):\n        return f\n\n    @local\n    def three(self):\n        pass\n\n@checked\nclass B:\n    def checked(self):\n        pass\n",
	})
	wantUsers(t, s, "deco.py#checked", "deco.py#marked use exact", "a.py#A.one use import-resolved", "a.py#A.two use import-resolved", "a.py#B use import-resolved")
	wantUsers(t, s, "marked", "a.py#A.two call import-resolved")
	wantUsers(t, s, "A.local", "a.py#A.three use exact")
}
