export default defineEventHandler(async (event) => {
  const { a, b } = await readBody(event)
  return { sum: a + b }
})
