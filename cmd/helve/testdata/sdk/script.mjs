// An official client whose person says yes to what a script asks for:
//   node script.mjs MODULES sdk|client HELVE WORKSPACE SCRIPT
// It prints the tools that it was shown, the questions that it was asked, and what the script came to, as one JSON object.
import { connect, load } from "./connect.mjs";

const [modules, which, helve, workspace, script] = process.argv.slice(2);
const client = await connect(modules, which, helve, ["serve", "--expose", "code", "-C", workspace], { elicitation: {} });
const seen = { tools: [], asked: [], text: "", failed: false, found: "" };
const answer = async (request) => {
  seen.asked.push(request.params.message);
  // A program that answers at once is taken for one without a person.
  await new Promise((done) => setTimeout(done, 200));
  return { action: "accept", content: { decision: "once" } };
};
if (which === "sdk") {
  client.setRequestHandler((await load(modules, "sdk/dist/esm/types.js")).ElicitRequestSchema, answer);
} else {
  client.setRequestHandler("elicitation/create", answer);
}
seen.tools = (await client.listTools()).tools.map((t) => t.name);
seen.found = (await client.callTool({ name: "search_tools", arguments: { query: "list a folder", limit: 1 } })).content[0].text;
const result = await client.callTool({ name: "run_script", arguments: { script } });
seen.text = result.content.map((c) => c.text).join("\n");
seen.failed = result.isError === true;
console.log(JSON.stringify(seen));
await client.close();
