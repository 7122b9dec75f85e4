// Writes what TypeScript's checker knows of a folder's TypeScript or JavaScript as a truth file (truth.go tells its
// fields).
//
//   node typescript.mjs TYPESCRIPT FOLDER >truth.json
//
// TYPESCRIPT is the folder of the package. Nothing is emitted and nothing of the folder is run.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const [, , library, folder] = process.argv;
const ts = createRequire(import.meta.url)(path.resolve(library));
const root = fs.realpathSync(folder);

const sources = [];
(function list(dir) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") list(full);
    else if (entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !/\.d\.[cm]?ts$/.test(entry.name)) sources.push(full);
  }
})(root);
sources.sort();

const program = ts.createProgram(sources, {
  allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.Preserve, strict: true, types: [],
});
const checker = program.getTypeChecker();
const own = new Set(sources);
const truth = { files: sources.map(relative), defs: [], uses: [], over: [], imports: [] };
const numbers = new Map(); // of a definition's name, as a node

function relative(name) { return path.relative(root, name).split(path.sep).join("/"); }

function lineOf(node) {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

// kindOf says what a declaration declares, as far as an index of a project lists it: no parameters, no local variables.
function kindOf(node) {
  switch (node.kind) {
    case ts.SyntaxKind.FunctionDeclaration: return "function";
    case ts.SyntaxKind.ClassDeclaration: return "class";
    case ts.SyntaxKind.InterfaceDeclaration: return "interface";
    case ts.SyntaxKind.TypeAliasDeclaration: return "alias";
    case ts.SyntaxKind.EnumDeclaration: return "enum";
    case ts.SyntaxKind.EnumMember: return "member";
    case ts.SyntaxKind.MethodDeclaration:
    case ts.SyntaxKind.GetAccessor:
    case ts.SyntaxKind.SetAccessor:
      return ts.isClassLike(node.parent) ? "method" : "";
    case ts.SyntaxKind.MethodSignature: return ts.isInterfaceDeclaration(node.parent) ? "method" : "";
    case ts.SyntaxKind.PropertyDeclaration: return "field";
    case ts.SyntaxKind.PropertySignature: return ts.isInterfaceDeclaration(node.parent) ? "field" : "";
    case ts.SyntaxKind.VariableDeclaration: {
      const list = node.parent;
      if (!ts.isVariableDeclarationList(list) || !ts.isSourceFile(list.parent.parent)) return "";
      const value = node.initializer;
      if (value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value))) return "function";
      return value && ts.isClassLike(value) ? "class" : "variable";
    }
  }
  return "";
}

// requires tells whether a value is require() or require().x: a variable of it is an import, whose meaning is the module's.
function requires(value) {
  if (value && ts.isPropertyAccessExpression(value)) value = value.expression;
  return value !== undefined && ts.isCallExpression(value) && value.expression.getText() === "require";
}

function define(node) {
  const kind = node.name && ts.isIdentifier(node.name) | ts.isPrivateIdentifier(node.name ?? node) ? kindOf(node) : "";
  if (!kind) return;
  if (kind === "variable" && requires(node.initializer)) return;
  numbers.set(node.name, truth.defs.length);
  truth.defs.push({ path: relative(node.getSourceFile().fileName), line: lineOf(node.name), name: node.name.text, kind });
}

// inImport tells whether a name only passes through: imports and exports are edges between files, not uses.
function inImport(node) {
  return ts.findAncestor(node, (n) => ts.isImportDeclaration(n) || ts.isExportDeclaration(n) || ts.isImportEqualsDeclaration(n)) !== undefined;
}

function called(node) {
  let fun = node;
  if (ts.isPropertyAccessExpression(fun.parent) && fun.parent.name === fun) fun = fun.parent;
  const call = fun.parent;
  return (ts.isCallExpression(call) || ts.isNewExpression(call)) && call.expression === fun;
}

function symbolOf(node) {
  if (ts.isShorthandPropertyAssignment(node.parent)) return checker.getShorthandAssignmentValueSymbol(node.parent);
  return checker.getSymbolAtLocation(node);
}

// origin follows aliases, and `const { x } = require()`, to what is defined.
function origin(symbol) {
  for (let i = 0; symbol && i < 16; i++) {
    if (symbol.flags & ts.SymbolFlags.Alias) { symbol = checker.getAliasedSymbol(symbol); continue; }
    const d = symbol.valueDeclaration;
    if (d && ts.isVariableDeclaration(d) && d.initializer && ts.isCallExpression(d.initializer) && d.initializer.expression.getText() === "require") {
      const type = checker.getTypeAtLocation(d.initializer);
      if (type.symbol && type.symbol !== symbol) { symbol = type.symbol; continue; }
    }
    break;
  }
  return symbol;
}

// nameOf is the name of a declaration; of a function without one, that of the variable or property it is given to.
function nameOf(d) {
  return d.name ?? d.parent?.name;
}

// taken notes the property that { a } and { a: b } in a pattern take out of a value.
function taken(node) {
  const element = node.parent;
  if (!ts.isObjectBindingPattern(element.parent) || (element.propertyName ?? element.name) !== node) return;
  const property = checker.getPropertyOfType(checker.getTypeAtLocation(element.parent), node.text);
  const to = [...new Set((property?.declarations ?? []).map((d) => numbers.get(nameOf(d))).filter((n) => n !== undefined))];
  if (to.length > 0) truth.uses.push({ path: relative(node.getSourceFile().fileName), line: lineOf(node), name: node.text, to });
}

function use(node) {
  if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return;
  if (ts.isBindingElement(node.parent) && node.parent.initializer !== node) { taken(node); return; }
  if (node.parent.name === node && !ts.isPropertyAccessExpression(node.parent) && !ts.isShorthandPropertyAssignment(node.parent)) return; // declares
  if (inImport(node) || ts.findAncestor(node, ts.isJSDoc)) return;
  let symbol = origin(symbolOf(node));
  const item = { path: relative(node.getSourceFile().fileName), line: lineOf(node), name: node.text, call: called(node) || undefined };
  if (!symbol || !symbol.declarations || symbol.declarations.length === 0) {
    // A member of what has no type: nobody knows what it means. A name alone that nothing declares is outside.
    if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) truth.uses.push(item);
    return;
  }
  const to = [...new Set(symbol.declarations.map(nameOf).map((d) => numbers.get(d)).filter((n) => n !== undefined))];
  if (to.length > 0) truth.uses.push({ ...item, to });
}

// overrides notes which methods stand in for those of bases and interfaces.
function overrides(type) {
  for (const clause of type.heritageClauses ?? []) {
    for (const named of clause.types) {
      const base = checker.getTypeAtLocation(named);
      for (const member of type.members) {
        const mine = numbers.get(member.name);
        if (mine === undefined || truth.defs[mine].kind !== "method") continue;
        const property = checker.getPropertyOfType(base, member.name.text);
        for (const d of property?.declarations ?? []) {
          const theirs = numbers.get(d.name);
          if (theirs !== undefined && theirs !== mine) truth.over.push([mine, theirs]);
        }
      }
    }
  }
}

function each(visit) {
  for (const file of program.getSourceFiles()) {
    if (own.has(file.fileName)) (function walk(node) { visit(node); ts.forEachChild(node, walk); })(file);
  }
}

each((node) => define(node));
each((node) => {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) use(node);
  else if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) overrides(node);
});
for (const name of sources) {
  const file = program.getSourceFile(name);
  const seen = new Set();
  for (const spec of file.imports ?? []) {
    const symbol = checker.getSymbolAtLocation(spec);
    const to = symbol?.declarations?.[0]?.getSourceFile().fileName ?? resolved(spec.text, name);
    if (to && own.has(to) && to !== name && !seen.has(to)) { seen.add(to); truth.imports.push([relative(name), relative(to)]); }
  }
}

function resolved(text, from) {
  return ts.resolveModuleName(text, from, program.getCompilerOptions(), ts.sys).resolvedModule?.resolvedFileName;
}

process.stdout.write(JSON.stringify(truth));
