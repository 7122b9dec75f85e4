// An official server, of the session protocol (sdk) or the stateless one (server), with one tool: it says what the client
// declared of the extension for user interfaces. It answers one method that is not the protocol's, ui/greet.
//   node told.mjs MODULES sdk|server
import { load } from "./connect.mjs";

const [modules, which] = process.argv.slice(2);
const { getUiCapability } = await load(modules, "ext-apps/dist/src/server/index.js");
const { McpServer } = await load(modules, which === "sdk" ? "sdk/dist/esm/server/mcp.js" : "server/dist/index.mjs");

function make() {
  const server = new McpServer({ name: "told", version: "1" });
  server.registerTool("told", { description: "What the client declares" }, async (ctx) => {
    const capabilities = ctx.mcpReq?.envelope?.["io.modelcontextprotocol/clientCapabilities"];
    const declared = getUiCapability(capabilities ?? server.server.getClientCapabilities());
    return { content: [{ type: "text", text: JSON.stringify(declared ?? null) }] };
  });
  server.server.fallbackRequestHandler = async ({ method, params }) => {
    if (method !== "ui/greet") throw Object.assign(new Error("Method not found"), { code: -32601 });
    return { greeting: `Hello ${params.name}` };
  };
  return server;
}

if (which === "sdk") {
  const { StdioServerTransport } = await load(modules, "sdk/dist/esm/server/stdio.js");
  await make().connect(new StdioServerTransport());
} else {
  const { serveStdio } = await load(modules, "server/dist/stdio.mjs");
  serveStdio(make);
}
