// An official client that waits for a command which says nothing:
//   node client.mjs MODULES sdk|client HELVE WORKSPACE
// It gives up a request that says nothing for six seconds, and prints what it saw as one JSON object.
import { connect } from "./connect.mjs";

const [modules, which, helve, workspace] = process.argv.slice(2);
const client = await connect(modules, which, helve, ["serve", "-C", workspace]);
const progress = [];
const patient = { timeout: 6000, resetTimeoutOnProgress: true, onprogress: (p) => progress.push(p.progress) };
const seen = { tools: (await client.listTools()).tools.length };
const capabilities = client.getServerCapabilities();
seen.skills = capabilities.extensions?.["io.modelcontextprotocol/skills"] ?? null;
seen.tasks = capabilities.extensions?.["io.modelcontextprotocol/tasks"] ?? null;
const sleep = { name: "bash", arguments: { command: "sleep 13; echo slept" } };
const result = which === "sdk" ? await client.callTool(sleep, undefined, patient) : await client.callTool(sleep, patient);
seen.text = result.content[0].text;
seen.progress = progress;
console.log(JSON.stringify(seen));
await client.close();
