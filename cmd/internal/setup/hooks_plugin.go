package setup

import (
	"bytes"
	stdjson "encoding/json"
	"strings"
)

// pluginHooks is a plugin of opencode's. It throws what stops a call: opencode tells its model these words. It has a
// time-out of its own, since opencode waits for ever.
type pluginHooks struct{}

// pluginText is the plugin; @HELVE@ is helve's path as a string of JavaScript.
const pluginText = `// Has opencode ask helve before its tools run. Written by helve init --client opencode --hooks.
import { spawn } from "node:child_process";
const helve = @HELVE@;
const wait = 20000;
const ask = (event, input) => new Promise((resolve, reject) => {
  const broken = why => reject(new Error("helve hook failed and stopped the call: " + why));
  const child = spawn(helve, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "pipe"] });
  const late = setTimeout(() => { child.kill("SIGKILL"); broken("it did not answer"); }, wait);
  let out = "", err = "";
  child.stdout.on("data", chunk => out += chunk);
  child.stderr.on("data", chunk => err += chunk);
  child.stdin.on("error", () => {});
  child.on("error", e => { clearTimeout(late); broken(e.message); });
  child.on("close", code => {
    clearTimeout(late);
    if (code !== 0) return broken(err.trim() || "it ended with status " + code);
    try { resolve(out.trim() ? JSON.parse(out) : {}); } catch { broken("its answer is no JSON"); }
  });
  child.stdin.end(JSON.stringify(input));
});
export const Helve = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const said = await ask("tool.execute.before",
      { tool: input.tool, args: output.args, session: input.sessionID, call: input.callID, directory });
    if (said.deny) throw new Error(said.deny);
    for (const name in said.args || {}) output.args[name] = said.args[name];
  },
  "tool.execute.after": async input => {
    if (!["edit", "write", "multiedit", "apply_patch", "patch"].includes(input.tool)) return;
    await ask("tool.execute.after",
      { tool: input.tool, args: input.args, session: input.sessionID, call: input.callID, directory }).catch(() => {});
  },
});
`

func (pluginHooks) set(text []byte, l hookLine) ([]byte, error) {
	if len(bytes.TrimSpace(text)) > 0 && !bytes.Contains(text, []byte("helve init --client opencode --hooks")) {
		return nil, errForeignHook
	}
	path, err := stdjson.Marshal(l.program)
	if err != nil {
		return nil, err
	}
	return []byte(strings.Replace(pluginText, "@HELVE@", string(path), 1)), nil
}

func (pluginHooks) unset([]byte) ([]byte, error) { return nil, nil }
