export default (_req, res) => {
  res.setPreviewData({})
  res.json({ draft: true })
}
