'use strict'
// Without a sandbox Node looks for packages in all folders above a file. The data folder may lie in a clone of the
// platform: what is built and run in there would find the packages of that, and no others elsewhere.
const fs = require('fs')
const Module = require('module')
const path = require('path')
const { isStray, notFound } = require('./stray-package.cjs')

/** Modules in this folder find packages only in this folder. */
function keepPackagesWithin(folder) {
  const within = fs.realpathSync(folder) + path.sep
  const usual = Module._nodeModulePaths
  Module._nodeModulePaths = function (from) {
    const paths = usual.call(this, from)
    return path.resolve(from).indexOf(within) === 0
      ? paths.filter((each) => each.indexOf(within) === 0)
      : paths
  }
  // What is imported is looked for by other means: these versions have hooks for it, older ones do not.
  if (typeof Module.registerHooks === 'function')
    Module.registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context)
        if (isStray(specifier, context.parentURL, found.url, within))
          throw notFound(specifier, context.parentURL)
        return found
      },
    })
  else if (typeof Module.register === 'function')
    Module.register(require('url').pathToFileURL(path.join(__dirname, 'import-hooks.mjs')), {
      data: { within },
    })
}

module.exports = { keepPackagesWithin }
