import { json } from '@remix-run/node'

export async function action({ request }: { request: Request }) {
  const { a, b } = (await request.json()) as { a: number; b: number }
  return json({ sum: a + b })
}
