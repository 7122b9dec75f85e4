package code

import "testing"

// What a script exports under another name, or without one, is known by what it is.
func TestWhatAScriptExportsUnderAnotherNameIsFound(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"hash.js": "class Hash { update() {} digest() {} }\nmodule.exports = Hash;\n",
		"make.js": "/** @typedef {import(\"./hash\")} Hash */\n/**\n * @param {string} name\n * @returns {Hash} a hash\n */\n" +
			"module.exports = name => { return given(name); };\n",
		"made.js": "/** @returns {import(\"./hash\")} */\nmodule.exports = function (name) { return given(name); };\n",
		"log.js":  "class FileLog { log() {} warn() {} }\nclass NoLog { log() {} warn() {} }\nmodule.exports.Log = FileLog;\nexports.Quiet = NoLog;\n",
		"use.js": `const make = require("./make");
const { Log, Quiet: Silent } = require("./log");
/** @typedef {import("./log").Log} Logger */
function a() { const hash = make("x"); hash.update(); }
function b() { const made = require("./made"); made(1).digest(); }
/** @param {Logger} l */
function c(l) { l.log(); }
function d() { new Silent().warn(); }
`,
	})
	wantUsers(t, s, "Hash.update", "use.js#a call import-resolved")
	wantUsers(t, s, "Hash.digest", "use.js#b call import-resolved")
	wantUsers(t, s, "FileLog.log", "use.js#c call import-resolved")
	wantUsers(t, s, "NoLog.warn", "use.js#d call import-resolved")
	wantUsers(t, s, "FileLog.warn")
	wantUsers(t, s, "NoLog", "log.js use exact", "use.js#d call import-resolved")
}
