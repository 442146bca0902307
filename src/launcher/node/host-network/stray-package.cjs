'use strict'
const { fileURLToPath } = require('url')

/** Whether a file of the folder asked for a package by its name and was given a file from outside. `within` ends with a separator. */
function isStray(specifier, parentUrl, url, within) {
  if (/^(?:\.{0,2}\/|[a-z][a-z0-9+-]+:)/i.test(specifier)) return false
  if (!/^file:/.test(parentUrl || '') || !/^file:/.test(url)) return false
  return fileURLToPath(parentUrl).indexOf(within) === 0 && fileURLToPath(url).indexOf(within) !== 0
}

/** As Node words it. */
const notFound = (specifier, parentUrl) =>
  Object.assign(new Error(`Cannot find package '${specifier}' imported from ${fileURLToPath(parentUrl)}`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })

module.exports = { isStray, notFound }
