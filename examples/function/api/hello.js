// Answers /api/hello?name=you
module.exports = (req, res) => {
  res.json({ hello: req.query.name ?? 'world', at: new Date().toISOString() })
}
