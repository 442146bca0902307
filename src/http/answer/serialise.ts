import fastJson, { type Schema } from 'fast-json-stringify'

/** Writes answers by their schema, which is compiled for the first of them, like those of requests. */
export function serialiser(schema: unknown): (answer: unknown) => string {
  let compiled: ((answer: unknown) => string) | undefined
  return (answer) => {
    compiled ??= fastJson(schema as Schema)
    return compiled(answer)
  }
}
