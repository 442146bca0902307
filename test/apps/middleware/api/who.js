module.exports = (req, res) => res.json({ who: req.headers['x-who'] ?? null })
