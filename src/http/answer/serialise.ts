import fastJson, { type Schema } from 'fast-json-stringify'

type Serialise = (answer: unknown) => string

/** Of all APIs of a process: schemas stand in tables that they share. */
const compiled = new WeakMap<object, Serialise>()

/** Writes answers by their schema, which is compiled for the first of them, like those of requests. */
export function serialiser(schema: object): Serialise {
  let own = compiled.get(schema)
  return (answer) => {
    if (own === undefined) {
      own = compiled.get(schema) ?? fastJson(schema as Schema)
      compiled.set(schema, own)
    }
    return own(answer)
  }
}
