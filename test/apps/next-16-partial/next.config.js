module.exports = { cacheComponents: true }
