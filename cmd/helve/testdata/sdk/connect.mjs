// The official client for TypeScript, of the session protocol (sdk) or the stateless one (client).
import { pathToFileURL } from "node:url";
import { join } from "node:path";

// load imports a file of the official packages in a folder of modules.
export const load = (modules, path) => import(pathToFileURL(join(modules, "@modelcontextprotocol", path)));

const paths = {
  sdk: ["sdk/dist/esm/client/index.js", "sdk/dist/esm/client/stdio.js"],
  client: ["client/dist/index.mjs", "client/dist/stdio.mjs"],
};

// connect starts a server, and is a client that shook hands with it.
export async function connect(modules, which, command, args, capabilities = {}) {
  const [{ Client }, { StdioClientTransport }] = await Promise.all(paths[which].map((p) => load(modules, p)));
  const client = new Client({ name: "official", version: "1" }, { capabilities, versionNegotiation: { mode: "auto" } });
  await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
  return client;
}
