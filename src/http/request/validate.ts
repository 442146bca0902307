import { setImmediate } from 'node:timers/promises'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import type { Endpoint } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'

type Part = 'body' | 'querystring'

/** Hashes, which come by the thousand. Where each digit has its own place in the expression, nothing has to be counted. */
const unrolled = (pattern: string): string =>
  pattern.replace(/^\^(\[[\w-]+\])\{(\d{1,2})\}\$$/, (_, set, count) => `^${set.repeat(Number(count))}$`)

const createRegExp = Object.assign(
  (pattern: string, flags: string) => new RegExp(unrolled(pattern), flags),
  // Asked for by those who write compiled schemas into files.
  { code: 'new RegExp' },
)

const options = {
  strict: false,
  allErrors: false,
  formats: { 'date-time': true },
  // The schemas are ours, and a test looks at them: that each is one need not be found out at every start.
  validateSchema: false,
  meta: false,
  code: { regExp: createRegExp },
} as const
const ajv = {
  body: new Ajv(options),
  // Query values arrive as text, so numbers are read from it; booleans have more spellings than Ajv knows.
  querystring: new Ajv({ ...options, coerceTypes: true }),
}

/**
 * Checks one part of a request. Query values are changed in place into what the schema asks for. Where a list is so
 * long that checking it could be felt by others, it is checked a piece at a time, and there is a promise to wait for.
 */
type Validate = (data: unknown) => void | Promise<void>

/** Items of a list that are checked at a time. */
const SLICE = 2000

/** The schema is compiled for the first request: most of the API is not asked for in the life of a process. */
export function compileValidate(part: Part, schema: TSchema, row: Endpoint): Validate {
  let compiled: ValidateFunction | undefined
  const check = (data: unknown): ValidateFunction | undefined => {
    compiled ??= ajv[part].compile(schema)
    return compiled(data) ? undefined : compiled
  }
  const booleans = part === 'querystring' ? booleanNames(schema) : []
  const lists = part === 'body' ? listNames(schema) : []
  const run = (data: unknown): void => {
    const failed = check(data)
    if (failed) throw invalid(failed, row)
  }
  return (data) => {
    for (const name of booleans) spellBoolean(data as Record<string, unknown>, name)
    const long = lists.find((name) => lengthOf(data, name) > SLICE)
    return long === undefined ? run(data) : checkInSlices(data as Record<string, unknown>, long)
  }

  async function checkInSlices(data: Record<string, unknown>, name: string): Promise<void> {
    const items = data[name] as readonly unknown[]
    for (let start = 0; start < items.length; start += SLICE) {
      const piece = { ...data, [name]: items.slice(start, start + SLICE) }
      const failed = check(piece)
      if (failed) throw invalid(failed, row, (path) => moveIndex(path, name, start))
      await setImmediate()
    }
  }
}

/** Lists right inside a body of which every item is checked for itself. */
const listNames = (schema: TSchema): string[] => {
  const { properties = {} } = schema as { properties?: Record<string, Record<string, unknown>> }
  return Object.keys(properties).filter((name) => {
    const { type, minItems, maxItems, uniqueItems } = properties[name] ?? {}
    return type === 'array' && minItems === undefined && maxItems === undefined && uniqueItems === undefined
  })
}

const lengthOf = (data: unknown, name: string): number => {
  const list = (data as Record<string, unknown> | null)?.[name]
  return Array.isArray(list) ? list.length : 0
}

/** The place in the whole list of what was found in a piece of it. */
const moveIndex = (pointer: string, name: string, by: number): string =>
  pointer.replace(/^\/([^/]+)\/(\d+)/, (all, list, index) =>
    list === name ? `/${list}/${Number(index) + by}` : all,
  )

const booleanNames = (schema: TSchema): string[] => {
  const properties = (schema as { properties?: Record<string, { type?: unknown }> }).properties ?? {}
  return Object.keys(properties).filter((name) => properties[name]?.type === 'boolean')
}

const spellBoolean = (query: Record<string, unknown>, name: string): void => {
  if (query[name] === '1') query[name] = 'true'
  else if (query[name] === '0') query[name] = 'false'
}

function invalid(
  failed: ValidateFunction,
  row: Endpoint,
  moved: (pointer: string) => string = (pointer) => pointer,
): AloftError {
  const found = (failed.errors as ErrorObject[])[0] as ErrorObject
  const error = { ...found, instancePath: moved(found.instancePath) }
  const detail = row.detailedErrors
    ? { keyword: error.keyword, dataPath: dottedPath(error.instancePath), params: error.params }
    : {}
  return new AloftError('bad_request', `Invalid request: ${reason(error)}.`, detail)
}

/** `/files/0/file` → `.files[0].file`, the form that clients of this API know. */
const dottedPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')

function reason(error: ErrorObject): string {
  const { params } = error
  const path = dottedPath(error.instancePath).replace(/^\./, '')
  const it = path === '' ? 'the request' : `\`${path}\``
  switch (error.keyword) {
    case 'required':
      return `missing required property \`${path === '' ? '' : `${path}.`}${params.missingProperty}\``
    case 'additionalProperties':
      return `${it} should not have the property \`${params.additionalProperty}\``
    case 'type':
      return `${it} should be ${article([params.type].flat().join(' or '))}`
    case 'enum':
      return `${it} should be one of ${params.allowedValues.map((v: unknown) => JSON.stringify(v)).join(', ')}`
    case 'const':
      return `${it} should be ${JSON.stringify(params.allowedValue)}`
    case 'maxLength':
      return `${it} should be at most ${params.limit} characters long`
    case 'minLength':
      return params.limit === 1
        ? `${it} should not be empty`
        : `${it} should be at least ${params.limit} characters long`
    case 'maxItems':
      return `${it} should have at most ${params.limit} items`
    case 'minItems':
      return `${it} should have at least ${params.limit} items`
    case 'maxProperties':
      return `${it} should have at most ${params.limit} entries`
    case 'minimum':
      return `${it} should be ${params.limit} or more`
    case 'maximum':
      return `${it} should be ${params.limit} or less`
    case 'anyOf':
    case 'oneOf':
      return `${it} has an invalid format`
    default:
      return `${it} ${error.message ?? 'is not accepted'}`
  }
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)
