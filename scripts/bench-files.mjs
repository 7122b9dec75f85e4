// Runs the edit cases and the file figures against other tools, as scripts/bench-files prepares them: node bench-files.mjs NPM CASES WORK
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [npm, casesFile, work] = process.argv.slice(2);
const modules = path.join(npm, 'node_modules');
const load = async (p) => import(pathToFileURL(path.join(modules, p)).href);

// What a tool does not offer at all is not counted against it.
const absent = (what) => Object.assign(new Error(what), { absent: true });

// gemini makes an editor of Gemini CLI's EditTool, without a model that would rewrite what failed.
async function gemini() {
  const { EditTool } = await load('@google/gemini-cli-core/dist/src/tools/edit.js');
  const { StandardFileSystemService } = await load('@google/gemini-cli-core/dist/src/services/fileSystemService.js');
  const files = new StandardFileSystemService();
  const known = {
    getTargetDir: () => work, getProjectRoot: () => work, validatePathAccess: () => null, isPlanMode: () => false, getDisableLLMCorrection: () => true,
    getApprovalMode: () => 'yolo', getIdeMode: () => false, getUsageStatisticsEnabled: () => false, getTelemetryEnabled: () => false,
    getFileSystemService: () => files,
  };
  const anything = new Proxy({}, { get: (_, k) => known[k] ?? (() => undefined) });
  const bus = new Proxy({}, { get: () => () => undefined });
  const tool = new EditTool(anything, bus);
  return async (file, c) => {
    if (c.more || c.dry) throw absent('one edit a call, and no dry run');
    const call = tool.build({ file_path: file, old_string: c.old, new_string: c.new, allow_multiple: c.all ?? false, instruction: c.name ?? 'as said' });
    const options = { abortSignal: new AbortController().signal };
    const res = await call.execute(options);
    if (res.error) throw new Error(res.error.message ?? String(res.error));
    return res;
  };
}

// reference makes an editor of the MCP reference server's edit_file.
async function reference() {
  const lib = await load('@modelcontextprotocol/server-filesystem/dist/lib.js');
  lib.setAllowedDirectories([work]);
  return async (file, c) => {
    if (c.all) throw new Error('it has no replace_all');
    const edits = [{ oldText: c.old, newText: c.new }, ...(c.more ?? []).map((e) => ({ oldText: e.old_string, newText: e.new_string }))];
    return lib.applyFileEdits(file, edits, c.dry ?? false);
  };
}

const bytes = (b64) => Buffer.from(b64 ?? '', 'base64');

const filler = '\tstatic int func(struct device *dev, unsigned long flags);\n';
const filled = (c, b64) => { const around = Buffer.from(filler.repeat(Math.floor((c.fill ?? 0) / filler.length))); return Buffer.concat([around, bytes(b64), around]); };

// setUp makes a case's file, below what may be read-only, and gives its path and the one that is edited.
function setUp(c, before) {
  const dir = fs.mkdtempSync(path.join(work, 'case-'));
  const real = path.join(dir, 'case.txt'), other = path.join(dir, 'other.txt');
  fs.writeFileSync(real, before, { mode: 0o640 });
  if (c.link === 'symbolic') fs.symlinkSync('case.txt', other);
  if (c.link === 'hard') fs.linkSync(real, other);
  if (c.read_only === 'file') fs.chmodSync(real, 0o440);
  if (c.read_only === 'directory') fs.chmodSync(dir, 0o555);
  return { dir, real, edited: c.link ? other : real };
}

// kept tells whether mode and links are as they were.
function kept(c, at, was) {
  if (fs.statSync(at.real).mode !== was.mode) return false;
  if (c.link === 'symbolic') return fs.lstatSync(at.edited).isSymbolicLink();
  if (c.link === 'hard') return fs.statSync(at.edited).ino === fs.statSync(at.real).ino;
  return true;
}

// judge runs one case: applied rightly, refused, or wrong: another text, a change where there should be none, or a mode or link that is lost.
async function judge(edit, c) {
  if (c.session) return 'not offered'; // these tools know no session that has read a file
  if (c.read_only && process.getuid?.() === 0) return 'not offered'; // root may write anything: nothing is to be seen
  const before = filled(c, c.content), want = c.refuse ? before : filled(c, c.want);
  const at = setUp(c, before), was = fs.statSync(at.real);
  let refused = false;
  try { await edit(at.edited, c); } catch (e) { if (e.absent) return 'not offered'; refused = true; }
  const after = fs.readFileSync(at.real), whole = kept(c, at, was);
  fs.chmodSync(at.dir, 0o755);
  fs.rmSync(at.dir, { recursive: true });
  // helve refuses a file with several names; to write into it and so keep them is right, too
  if (c.link === 'hard' && whole && after.toString() === before.toString().replace(c.old, () => c.new)) return 'right';
  if (after.equals(want) && whole && refused === Boolean(c.refuse)) return 'right';
  if (after.equals(before) && whole) return refused ? 'refused' : 'said done, did nothing';
  return 'WRONG';
}

async function time(n, f) {
  const all = [];
  for (let i = 0; i < n; i++) { const t = performance.now(); await f(i); all.push(performance.now() - t); }
  return all.sort((a, b) => a - b)[n >> 1];
}

const code = (n) => Array.from({ length: n }, (_, i) => `\tstatic int func_${i}(struct device *dev, unsigned long flags);\n`).join('');

async function figures(edit) {
  const out = {};
  const file = path.join(work, 'f.c');
  for (const [name, lines, n] of [['edit 20 KB', 315, 30], ['edit 50 MB', 806596, 3]]) {
    fs.writeFileSync(file, code(lines));
    out[name] = await time(n, (i) => edit(file, i % 2 ? { old: 'func_two_hundred(', new: 'func_200(' } : { old: 'func_200(', new: 'func_two_hundred(' })).catch((e) => e.message.slice(0, 60));
  }
  fs.writeFileSync(file, code(30000));
  out['miss in 30,000 lines'] = await time(1, () => edit(file, { old: 'static int func_15000(struct device *dev, signed long flags);', new: 'x' }).catch(() => 0));
  return out;
}

const cases = JSON.parse(fs.readFileSync(casesFile));
for (const [name, make] of [['gemini-cli-core EditTool', gemini], ['server-filesystem edit_file', reference]]) {
  let edit;
  try { edit = await make(); } catch (e) { console.log(`${name}: not installed (${e.code ?? e.message})`); continue; }
  const counts = {};
  for (const c of cases) {
    const verdict = await judge(edit, c);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    console.log(`${name}\t${c.name}\t${verdict}`);
  }
  console.log(`${name}: ${cases.length} cases: ${JSON.stringify(counts)}`);
  console.log(`${name}: milliseconds: ${JSON.stringify(await figures(edit))}`);
}
process.exit(0);
