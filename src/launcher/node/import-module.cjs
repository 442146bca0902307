'use strict'
// In a file of its own, since older versions of Node cannot read it.
module.exports = (url) => import(url)
