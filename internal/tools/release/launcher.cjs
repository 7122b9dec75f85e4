#!/usr/bin/env node
// Runs the binary of this platform, which npm installed beside this package. What it reads, prints and ends with is
// the binary's own; a signal that ends this process ends the binary too.
"use strict";
const { spawn } = require("node:child_process");
const path = require("node:path");

const own = require("./package.json");
const platform = `${process.platform}-${process.arch}`;
const wanted = Object.keys(own.optionalDependencies).find((name) => name.endsWith(`-${platform}`));

function program() {
  if (!wanted) {
    const known = Object.keys(own.optionalDependencies).map((name) => name.replace(/^.*helve-/, ""));
    throw new Error(`there is no build for ${platform}, only for ${known.join(", ")}`);
  }
  try {
    const file = process.platform === "win32" ? "helve.exe" : "helve";
    return path.join(path.dirname(require.resolve(`${wanted}/package.json`)), file);
  } catch {
    throw new Error(`the package ${wanted} is missing: install again without --no-optional (or --omit=optional)`);
  }
}

try {
  const child = spawn(program(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (err) => {
    console.error(`helve: ${err.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
      return;
    }
    process.exit(code);
  });
} catch (err) {
  console.error(`helve: ${err.message}`);
  process.exit(1);
}
