import { Ajv, type ValidateFunction } from 'ajv'
import type { Index, IndexFault } from './inside/job.ts'

const text = (maxLength: number) => ({ type: 'string', maxLength })
const number = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const list = (items: object, maxItems: number) => ({ type: 'array', items, maxItems })
const texts = (maxLength: number, maxProperties: number) => ({
  type: 'object',
  additionalProperties: text(maxLength),
  maxProperties,
})
const object = (required: object, optional: object = {}) => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
})

const MAX_ITEMS = 1_000_000
const path = text(1024)
const contentType = text(256)

const prerender = object(
  {
    expiration: { anyOf: [{ const: false }, { type: 'integer', minimum: 1, maximum: 10 ** 9 }] },
    passQuery: { type: 'boolean' },
  },
  {
    group: number,
    bypassToken: text(1024),
    fallback: object({ content: number }, { contentType }),
    initialStatus: { type: 'integer', minimum: 100, maximum: 999 },
    initialHeaders: texts(16_384, 100),
    allowQuery: list(text(1024), 1000),
    chain: object({ path, headers: texts(16_384, 20) }),
  },
)

const program = object(
  {
    runtime: { enum: ['node', 'bun', 'python'] },
    version: { type: 'string', pattern: '^(?:8\\.10\\.x|\\d\\d\\.x|1\\.x|3\\.\\d{1,2})$' },
    shape: { enum: ['handler', 'web', 'edge', 'command'] },
    entry: text(1024),
    archive: number,
    fileCount: number,
    memoryMb: { type: 'integer', minimum: 1, maximum: 1_048_576 },
    maxDuration: { type: 'integer', minimum: 1, maximum: 86_400 },
    env: texts(65_536, 1000),
  },
  { command: { ...list(text(8192), 256), minItems: 1 } },
)

const index = object(
  {
    contents: list(number, MAX_ITEMS),
    files: list(object({ path, content: number }, { name: text(1024), contentType }), MAX_ITEMS),
    functions: list(object({ path, program: number }, { prerender }), MAX_ITEMS),
    programs: list(program, MAX_ITEMS),
    notes: list(text(1000), 100),
  },
  {
    absent: { const: true },
    routes: list({ type: 'object' }, MAX_ITEMS),
    images: { type: 'object' },
    crons: list({ type: 'object' }, 1000),
  },
)

const fault = object({ fault: object({ code: text(64), message: text(100_000) }) })

let compiled: ValidateFunction<Index | IndexFault> | undefined

/** Whether something has the shape of an index; the sense of it is another matter. */
export function hasIndexShape(value: unknown): value is Index | IndexFault {
  compiled ??= new Ajv({ strict: false }).compile<Index | IndexFault>({ anyOf: [index, fault] })
  return compiled(value)
}
