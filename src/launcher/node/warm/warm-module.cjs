'use strict'
// A program for the launcher to warm itself with.
module.exports = require('http').createServer((_req, res) => res.end())
