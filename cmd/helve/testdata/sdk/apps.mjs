// An official client that shows the user interfaces of servers (the extension io.modelcontextprotocol/ui):
//   node apps.mjs MODULES sdk|client plain|ui COMMAND ARG…
// It starts the command, reads the interface of each tool that has one, calls the tools of told.mjs and then its method,
// and prints what it saw as one JSON object. "plain" declares no extension.
import { connect, load } from "./connect.mjs";

const [modules, which, kind, command, ...args] = process.argv.slice(2);
const ui = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
const client = await connect(modules, which, command, args, kind === "ui" ? { extensions: ui } : {});
const seen = { tools: {}, interfaces: {}, told: {}, greeting: "" };
for (const tool of (await client.listTools()).tools) {
  seen.tools[tool.name] = tool;
  const uri = tool._meta?.ui?.resourceUri;
  if (uri) seen.interfaces[uri] = (await client.readResource({ uri })).contents;
  if (!tool.name.endsWith("told")) continue;
  seen.told[tool.name] = (await client.callTool({ name: tool.name, arguments: {} })).content[0].text;
}
const whatever = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const result = which === "sdk" ? (await load(modules, "sdk/dist/esm/types.js")).ResultSchema : whatever;
try {
  seen.greeting = (await client.request({ method: "ui/greet", params: { name: "Ada" } }, result)).greeting;
} catch (e) {
  seen.greeting = `${e.code}`;
}
console.log(JSON.stringify(seen));
await client.close();
