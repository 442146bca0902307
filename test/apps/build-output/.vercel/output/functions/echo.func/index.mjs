export default (req, res) => res.end(`echo ${req.url} ${req.headers['x-now-route-matches'] ?? 'for one'}`)
