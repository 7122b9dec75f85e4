// An official client whose person is asked about what a command changed:
//   node review.mjs MODULES sdk|client HELVE WORKSPACE DECISION COMMAND
// It prints as one JSON object the questions, with what a.txt held while each stood, and the result.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, load } from "./connect.mjs";

const [modules, which, helve, workspace, decision, command] = process.argv.slice(2);
const client = await connect(modules, which, helve, ["--mode", "review", "serve", "-C", workspace], { elicitation: {} });
const asked = [];
const answer = async (request) => {
  asked.push({ message: request.params.message, held: readFileSync(join(workspace, "a.txt"), "utf8") });
  await new Promise((done) => setTimeout(done, 200)); // an answer at once is no person's
  return { action: "accept", content: { decision } };
};
if (which === "sdk") {
  const { ElicitRequestSchema } = await load(modules, "sdk/dist/esm/types.js");
  client.setRequestHandler(ElicitRequestSchema, answer);
} else {
  client.setRequestHandler("elicitation/create", answer);
}
const result = await client.callTool({ name: "bash", arguments: { command } });
console.log(JSON.stringify({ asked, text: result.content.map((c) => c.text).join("\n"), failed: result.isError === true }));
await client.close();
