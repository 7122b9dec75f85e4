// An editor of one file, with the official client library: it drives a whole task over the Agent Client Protocol (read
// what is unsaved, edit with a question, run the test, undo), and then the rest of what an agent has to answer. It prints
// what it saw, each message of the agent as it came among it.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [library, helve, url, dir, server] = process.argv.slice(2);
const acp = await import(pathToFileURL(library));

const seen = { lines: [], sent: [], questions: [], updates: {}, stops: [], said: "", errors: {}, steps: {} };
const child = spawn(helve, ["acp", "--model", "openai/test", "--base-url", url], { cwd: dir, stdio: ["pipe", "pipe", "inherit"] });
// The messages of a stream go into a list, too.
const note = (list) => {
  let rest = "";
  return (chunk) => {
    const lines = (rest + Buffer.from(chunk)).split("\n");
    rest = lines.pop();
    list.push(...lines.filter(Boolean).map((line) => JSON.parse(line)));
  };
};
child.stdout.on("data", note(seen.lines));
const write = child.stdin.write.bind(child.stdin), noteSent = note(seen.sent);
child.stdin.write = (chunk, ...more) => (noteSent(chunk), write(chunk, ...more));

const file = join(dir, "math.mjs");
const buffers = new Map([[file, readFileSync(file, "utf8") + "// typed, and not saved\n"]]);
const editor = acp.client({ name: "editor" })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
    seen.questions.push(params);
    return { outcome: { outcome: "selected", optionId: "yes" } };
  })
  .onRequest(acp.methods.client.fs.readTextFile, ({ params }) =>
    ({ content: buffers.get(params.path) ?? readFileSync(params.path, "utf8") }))
  .onRequest(acp.methods.client.fs.writeTextFile, ({ params }) => {
    buffers.set(params.path, params.content);
    return {};
  })
  .onNotification(acp.methods.client.session.update, ({ params: { update } }) => {
    seen.updates[update.sessionUpdate] = (seen.updates[update.sessionUpdate] ?? 0) + 1;
    if (update.sessionUpdate === "agent_message_chunk") seen.said += update.content.text;
  });

const refused = async (name, promise) => {
  try {
    await promise;
    seen.errors[name] = "none";
  } catch (e) {
    seen.errors[name] = e.code;
  }
};

const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
await editor.connectWith(stream, async (agent) => {
  const { agent: m } = acp.methods;
  const hello = await agent.request(m.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, session: { notices: {}, compaction: {} } },
    clientInfo: { name: "editor", version: "1" },
  });
  seen.steps.hello = hello;
  await agent.request(m.authenticate, { methodId: hello.authMethods[0].id });
  const session = await agent.request(m.session.new, { cwd: dir, mcpServers: [] });
  const sessionId = session.sessionId;
  const prompt = async (...blocks) => {
    const { stopReason } = await agent.request(m.session.prompt, { sessionId, prompt: blocks });
    seen.stops.push(stopReason);
  };
  const text = (text) => ({ type: "text", text });

  await agent.request(m.session.setMode, { sessionId, modeId: "review" });
  seen.steps.options = await agent.request(m.session.setConfigOption, { sessionId, configId: "mode", value: "ask" });
  await prompt(text("Rename add to sum in "), { type: "resource_link", uri: pathToFileURL(file).href, name: "math.mjs" },
    { type: "resource", resource: { uri: "file:///elsewhere/style.md", text: "Short names.\n" } }, text(" and run the test."));
  seen.steps.edited = buffers.get(file);
  await prompt(text("/undo"));
  seen.steps.undone = buffers.get(file);
  await prompt(text("/history"));
  await prompt(text("/tools"));

  const sleeping = prompt(text("Sleep."));
  while (!seen.lines.some((l) => l.params?.update?.title?.includes("sleep 600"))) await new Promise((r) => setTimeout(r, 10));
  await agent.notify(m.session.cancel, { sessionId });
  await sleeping;

  seen.steps.listed = (await agent.request(m.session.list, { cwd: dir })).sessions.map((s) => s.sessionId === sessionId);
  await agent.request(m.session.close, { sessionId });
  await refused("closed", agent.request(m.session.prompt, { sessionId, prompt: [text("Gone?")] }));
  const before = seen.updates.user_message_chunk ?? 0;
  await agent.request(m.session.load, { sessionId, cwd: dir, mcpServers: [] });
  seen.steps.replayed = seen.updates.user_message_chunk - before;
  await agent.request(m.session.resume, { sessionId, cwd: dir,
    mcpServers: [{ name: "every thing", command: process.execPath, args: [server, "stdio"], env: [] }] });
  await prompt(text("Still there?"), { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" });
  await refused("other workspace", agent.request(m.session.load, { sessionId, cwd: "/", mcpServers: [] }));
  await refused("unknown session", agent.request(m.session.load, { sessionId: "0000000000", cwd: dir, mcpServers: [] }));
  await refused("relative folder", agent.request(m.session.new, { cwd: "here", mcpServers: [] }));
  await refused("unknown mode", agent.request(m.session.setMode, { sessionId, modeId: "free" }));
  await refused("unknown method", agent.request("session/fly", { sessionId }));
  await refused("logout", agent.request(m.logout, {}));
  await agent.request(m.session.delete, { sessionId });
  seen.steps.left = (await agent.request(m.session.list, {})).sessions.length;
});
child.stdin.end();
seen.status = await new Promise((resolve) => child.exitCode === null ? child.on("exit", resolve) : resolve(child.exitCode));
console.log(JSON.stringify(seen));
