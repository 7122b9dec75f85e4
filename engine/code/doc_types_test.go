package code

import "testing"

// Types that only comments say lead to one member, where there would be every member of that name.
func TestTypesInCommentsAreRead(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"door.js": "class Door { open() {} shut() {} knock() {} lock() {} ring() {} wave() {} peek() {} fold() {} creak() {} }\nmodule.exports = Door\n",
		"gate.js": "class Gate { open() {} shut() {} knock() {} lock() {} ring() {} wave() {} peek() {} fold() {} creak() {} }\nmodule.exports = Gate\n",
		"a.js": `/** @typedef {import("./door")} Door */
/** @typedef {import("./gate")} MyGate the other */
class House {
  constructor(d) {
    /** @type {Door} */
    this.front = d;
  }
  /** @type {Door[]} */
  doors = [];
  go() { this.front.open(); for (const x of this.doors) x.shut(); }
}
/**
 * Opens it.
 * @param {?Door} d the door
 * @param {string} name
 * @param {Object} [options]
 * @param {MyGate} options.gate is no parameter
 */
export async function knocks(d, name, options) { d.knock(); }
/** @returns {Promise<Door>} */
function make() {}
async function locks() { const m = await make(); m.lock(); }
/** @param {Map<string, Door>} doors @param {import("./gate")} g */
const rings = (doors, g) => { for (const d of doors) d.ring(); };
module.exports = {
  /** @param {Door|null} [d=null] */
  waves: function (d) { d.wave(); },
};
function peeks() {
  /** @type {Door} */
  const d = global.door, e = 1;
  d.peek();
}
/** @param {import("./door")} d */
function folds(d) { d.fold(); }
/* @param {Door} d: no such comment */
function creaks(d) { d.creak(); }
`,
		"b.php": `<?php
namespace App;
class Lamp { function glow() {} function dim() {} function burn() {} function blow() {} function flash() {} }
class Torch { function glow() {} function dim() {} function burn() {} function blow() {} function flash() {} }
class Room {
  /** @var Lamp|null what shines */
  private $lamp;
  /** @var array<int, \App\Lamp> */
  public array $lamps = [];
  function go() { $this->lamp->glow(); foreach ($this->lamps as $l) { $l->dim(); } }
  /**
   * @param Torch $other
   * @param Lamp[] $all
   * @return static
   */
  public function burns($other, $all) { foreach ($all as $l) { $l->burn(); } return $this; }
  function blows() { /** @var Lamp $x */ $x = make(); $x->blow(); $this->burns(1, 2)->flashes(); }
  /** @return Lamp */
  function lamp() {}
  function flashes() { $this->lamp()->flash(); }
}
`,
	})
	for name, want := range map[string]string{
		"Door.open":  "a.js#House.go call exact",
		"Door.shut":  "a.js#House.go call import-resolved",
		"Door.knock": "a.js#knocks call import-resolved",
		"Door.lock":  "a.js#locks call import-resolved",
		"Door.ring":  "a.js#rings call import-resolved",
		"Door.wave":  "a.js#waves call import-resolved",
		"Door.peek":  "a.js#peeks call import-resolved",
		"Door.fold":  "a.js#folds call import-resolved",
		"Lamp.glow":  "b.php#Room.go call exact",
		"Lamp.dim":   "b.php#Room.go call exact",
		"Lamp.burn":  "b.php#Room.burns call exact",
		"Lamp.blow":  "b.php#Room.blows call exact",
		"Lamp.flash": "b.php#Room.flashes call exact",
	} {
		wantUsers(t, s, name, want)
	}
	wantUsers(t, s, "Door.creak", "a.js#creaks call ambiguous(2)")
	for _, name := range []string{"Gate.open", "Gate.shut", "Gate.knock", "Gate.ring", "Gate.wave", "Torch.glow", "Torch.dim", "Torch.burn"} {
		wantUsers(t, s, name)
	}
	wantUsers(t, s, "Room.flashes", "b.php#Room.blows call exact")
}

// What module.exports is as a whole, if that has a name, is what require brings: it is made, inherited, and has members.
func TestAModuleThatIsOneNameIsThatName(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"door.js":  "class Door { open() {} static make() {} }\nDoor.shut = function () {};\nmodule.exports = Door;\nmodule.exports.helper = function () {};\n",
		"gate.js":  "module.exports = class Gate { open() {} };\n",
		"run.js":   "function run() {}\nmodule.exports = run\n",
		"other.js": "class Other { open() {} }\nmodule.exports = { Other };\n",
		"use.js": `const Door = require("./door"), run = require("./run"), { Other } = require("./other");
const Gate = require("./gate");
class Front extends Door { go() { this.open(); super.open(); } }
function a() { const d = new Door(); d.open(); }
function b() { Door.make(); Door.helper(); run(); }
function c() { new Gate().open(); new Other().open(); }
`,
	})
	wantUsers(t, s, "Door.open", "use.js#Front.go call exact", "use.js#a call import-resolved")
	wantUsers(t, s, "Door.make", "use.js#b call import-resolved")
	wantUsers(t, s, "run.js#run", "run.js use exact", "use.js#b call import-resolved")
	wantUsers(t, s, "Gate.open", "use.js#c call import-resolved")
	wantUsers(t, s, "Other.open", "use.js#c call import-resolved")
	wantUsers(t, s, "door.js#Door", "door.js use exact", "door.js#Door.shut use exact", "use.js#Front inherit import-resolved", "use.js#a call import-resolved", "use.js#b use import-resolved")
}
