export default (req, res) => res.json({ word: req.query.word, body: req.body })
