export const POST = async ({ request }) => {
  const { a, b } = await request.json()
  return Response.json({ sum: a + b })
}
