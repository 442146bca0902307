import fastJson, { type Schema } from 'fast-json-stringify'

type Serialise = (answer: unknown) => string

/** Of every schema that was asked for in this process, in which there may be several servers: those of tests are. */
const compiled = new WeakMap<object, Serialise>()

function compile(schema: object): Serialise {
  const known = compiled.get(schema)
  if (known) return known
  const made: Serialise = fastJson(schema as Schema)
  compiled.set(schema, made)
  return made
}

/** Writes answers by their schema, which is compiled for the first of them, like those of requests. */
export function serialiser(schema: object): Serialise {
  let serialise: Serialise | undefined
  return (answer) => {
    serialise ??= compile(schema)
    return serialise(answer)
  }
}
