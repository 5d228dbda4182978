// Inlay hints and code lenses of OCaml files, from `bactrian prof annotate --lsp`.
'use strict';
const { execFile } = require('child_process');
const path = require('path');
const vscode = require('vscode');

// What the command prints about a document; nothing if there is no recording, or none of it.
function annotations(document) {
  const settings = vscode.workspace.getConfiguration('bactrian', document.uri);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const cwd = folder ? folder.uri.fsPath : path.dirname(document.uri.fsPath);
  const words = ['prof', 'annotate', '--lsp', ...settings.get('options'),
    settings.get('profile'), path.basename(document.uri.fsPath)];
  return new Promise((resolve) => {
    execFile(settings.get('command'), words, { cwd, maxBuffer: 64 << 20 }, (error, out) => {
      resolve(error ? [] : JSON.parse(out).documents);
    });
  });
}

function position(p) {
  return new vscode.Position(p.line, p.character);
}

async function provideInlayHints(document) {
  const found = await annotations(document);
  return found.flatMap((d) => d.inlayHints).map((h) => {
    const hint = new vscode.InlayHint(position(h.position), h.label);
    hint.paddingLeft = h.paddingLeft;
    return hint;
  });
}

async function provideCodeLenses(document) {
  const found = await annotations(document);
  return found.flatMap((d) => d.codeLenses).map((l) => new vscode.CodeLens(
    new vscode.Range(position(l.range.start), position(l.range.end)), l.command));
}

function activate(context) {
  context.subscriptions.push(
    vscode.languages.registerInlayHintsProvider('ocaml', { provideInlayHints }),
    vscode.languages.registerCodeLensProvider('ocaml', { provideCodeLenses }));
}

module.exports = { activate };
