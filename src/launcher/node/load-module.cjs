'use strict'
// Loads a program's entry as `node <entry>` would, and gives what it exports.
const fs = require('fs')
const Module = require('module')
const path = require('path')
const { pathToFileURL } = require('url')

const [MAJOR, MINOR] = process.versions.node.split('.').map(Number)
const MODULE_SYNTAX =
  /Cannot use import statement|Unexpected token '?(?:export|import)|import\.meta|Cannot use 'import/

/** What the nearest package.json says of `.js` files. */
function packageType(file, root) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    try {
      return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).type || 'none'
    } catch (error) {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
    }
    if (folder === root || folder === path.dirname(folder)) return 'none'
  }
}

const canImport = MAJOR > 12 || (MAJOR === 12 && MINOR >= 20)
// Before there is a program: what is loaded later is seen by it.
const importUrl = canImport ? require('./import-module.cjs') : undefined

function importModule(file) {
  if (!canImport)
    throw new Error(
      `${path.basename(file)} is an ES module, which needs Node.js 12.20 or newer; this is ${process.versions.node}.`,
    )
  return importUrl(pathToFileURL(file).href)
}

/** Versions that look into `.js` files to tell which kind they are. */
const findsSyntax = MAJOR > 22 || (MAJOR === 22 && MINOR >= 7) || (MAJOR === 20 && MINOR >= 19)
const isBlank = (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** A promise of the exports. While it is pending the module may still be starting. */
async function loadModule(file, root) {
  const extension = path.extname(file)
  const isModule =
    extension === '.mjs' ||
    extension === '.mts' ||
    ((extension === '.js' || extension === '.ts') && packageType(file, root) === 'module')
  if (isModule) return importModule(file)
  try {
    // As the main module, so that `require.main` is the user's own.
    const exported = Module._load(file, null, true)
    // A main module in the other syntax is run by the other loader, which knows what it exports.
    return findsSyntax && isBlank(exported) ? importModule(file) : exported
  } catch (error) {
    const isAsync = error && error.code === 'ERR_REQUIRE_ASYNC_MODULE'
    const isSyntax = error instanceof SyntaxError && MODULE_SYNTAX.test(error.message)
    if (!isAsync && !(isSyntax && MAJOR >= 20)) throw error
    return importModule(file)
  }
}

module.exports = { canImport, importModule, loadModule }
