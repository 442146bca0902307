export default (req, res) => res.status(200).json({ bun: Bun.version, name: req.query.name })
