export async function POST(request: Request): Promise<Response> {
  const { a, b } = await request.json()
  return Response.json({ sum: a + b })
}
