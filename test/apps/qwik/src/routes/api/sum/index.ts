import type { RequestHandler } from '@builder.io/qwik-city'

export const onPost: RequestHandler = async ({ json, parseBody }) => {
  const { a, b } = (await parseBody()) as { a: number; b: number }
  json(200, { sum: a + b })
}
