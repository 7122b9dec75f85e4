package code

import "testing"

// What comments of JavaScript define is a type with members, in its file and in those that import it.
func TestTypesThatCommentsDefineHaveMembers(t *testing.T) {
	s, _ := open1(t, map[string]string{
		"door.js": "class Door { open() {} shut() {} ring() {} }\nclass Gate { open() {} shut() {} ring() {} }\nmodule.exports = { Door, Gate }\n",
		"room.js": `const { Door } = require("./door");
/** @typedef {object} Room
 * @property {Door} door
 * @property {Door[]} doors
 */
/** @typedef {{ way: Room, n: number }} Plan */
/** @param {Room} room */
function enter(room) { const { door } = room; door.open(); }
`,
		"plan.js": `/** @typedef {import("./room").Plan} Plan */
/** @param {Plan} plan */
exports.walk = (plan) => { for (const d of plan.way.doors) d.shut(); const { way: { door } } = plan; door.ring(); };
`,
	})
	wantUsers(t, s, "Door.open", "room.js#enter call exact")
	wantUsers(t, s, "Door.shut", "plan.js#walk call import-resolved")
	wantUsers(t, s, "Gate.open")
	wantUsers(t, s, "Gate.shut")
	if m, err := s.Find(t.Context(), "Plan", Page{}); err != nil || len(m.Matches) != 1 || m.Matches[0].ID != "room.js#Plan" {
		t.Errorf("Plan is %+v, %v: want the type of room.js", m.Matches, err)
	}
}
