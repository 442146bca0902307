export async function action({ request }: { request: Request }) {
  const { a, b } = (await request.json()) as { a: number; b: number }
  return Response.json({ sum: a + b })
}
