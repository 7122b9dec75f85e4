// Drives a task over stream-json by docs/run.md alone: a prompt, a yes to each question about a test, a no to another,
// a second prompt, and the end. It prints what it saw.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [helve, url] = process.argv.slice(2);
const child = spawn(helve, ["run", "--model", "openai/test", "--base-url", url,
  "--input-format", "stream-json", "--output-format", "stream-json"], { stdio: ["pipe", "pipe", "inherit"] });
const say = (message) => child.stdin.write(JSON.stringify(message) + "\n");

const seen = { lines: [], questions: [], answers: [] };
const prompts = ["Rename add to sum, add a test and run it.", "Now remove the module."];
say({ type: "prompt", text: prompts.shift() });

for await (const line of createInterface({ input: child.stdout })) {
  const e = JSON.parse(line);
  seen.lines.push(e);
  if (e.type === "question") {
    seen.questions.push(e.title);
    const no = e.title.includes("rm ");
    say({ type: "answer", question: e.id, option: no ? "no" : "yes", ...(no && { words: "It is still needed." }) });
  }
  if (e.type === "done") {
    seen.answers.push(e.result);
    const next = prompts.shift();
    say(next ? { type: "prompt", text: next } : { type: "end" });
  }
}
const status = await new Promise((resolve) => child.exitCode === null ? child.on("exit", resolve) : resolve(child.exitCode));
console.log(JSON.stringify({ ...seen, status }));
