export default async function again(req, res) {
  await res.revalidate(req.query.path)
  res.json({ revalidated: true })
}
