import type { APIEvent } from '@solidjs/start/server'

export async function POST({ request }: APIEvent) {
  const { a, b } = await request.json()
  return Response.json({ sum: a + b })
}
