import { mergeQuery } from '../url/query.ts'
import { encodePath, encodeQueryText } from '../url/request-path.ts'
import {
  expandTemplate,
  type GroupNames,
  type Groups,
  mapText,
  parseTemplate,
  type Template,
} from '../url/template.ts'
import type { HeaderTransform } from './route-outcome.ts'

/** A change to the headers or the query of a request, or to the headers of its response. */
export interface TransformRule {
  readonly of: 'request' | 'response' | 'query'
  readonly op: HeaderTransform['op']
  /** Of a header, in lower case. */
  readonly name: string
  readonly values: readonly Template[]
}

type TransformResult =
  | { readonly ok: true; readonly transform: TransformRule | undefined }
  | { readonly ok: false; readonly reason: string }

const OPS = ['append', 'set', 'delete'] as const
const OF = {
  'request.headers': 'request',
  'response.headers': 'response',
  'request.query': 'query',
} as const
const MAX_VALUES = 100
const MAX_LENGTH = 4096
const MAX_EXPANDED_LENGTH = 8192
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** They frame the message, or say who asks: only the server itself can get them right. */
const RESERVED =
  /^(?:connection|content-length|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|forwarded|x-forwarded-.*|x-real-ip|x-aloft-.*|x-vercel-.*)$/

/** Undefined for one that chooses its headers by anything but a name, and for changes to the path: they are left out. */
export function readTransform(given: unknown, names: GroupNames): TransformResult {
  if (typeof given !== 'object' || given === null) return refuse('it must be an object')
  const { type, op, target, args }: { type?: unknown; op?: unknown; target?: unknown; args?: unknown } = given
  const of = Object.entries(OF).find(([known]) => known === type)?.[1]
  const known = OPS.find((each) => each === op)
  const name = of === undefined ? undefined : nameOf(target, of === 'query')
  if (of === undefined || name === undefined) return { ok: true, transform: undefined }
  if (known === undefined) return refuse('its op must be append, set or delete')
  if (of !== 'query' && (!NAME.test(name) || RESERVED.test(name)))
    return refuse('its header is invalid or can only be set by the server')
  const values = known === 'delete' ? [] : readValues(args)
  if (values === undefined)
    return refuse('its args must be a text or a list of texts that are valid in a header')
  return {
    ok: true,
    transform: {
      of,
      op: known,
      name,
      values: values.map((value) => readValue(value, names, of === 'query')),
    },
  }
}

/** What a header rule comes to for one request; undefined if it gets too long. */
export function expandTransform(
  { op, name, values }: TransformRule,
  of: HeaderTransform['of'],
  groups: Groups,
): readonly HeaderTransform[] | undefined {
  if (op === 'delete') return [{ of, op, name, value: '' }]
  const texts = expandAll(values, groups, encodePath)
  return texts?.map((value, index) => ({ of, op: index > 0 ? 'append' : op, name, value }))
}

/** The query after the change; undefined if it gets too long. */
export function transformQuery(
  query: string,
  { op, name, values }: TransformRule,
  groups: Groups,
): string | undefined {
  const key = encodeURIComponent(name)
  const texts = expandAll(values, groups, encodeQueryText)
  if (texts === undefined) return undefined
  const added = texts.map((text) => `${key}=${text}`).join('&')
  if (op === 'append') return query === '' ? added : `${query}&${added}`
  if (op === 'set') return mergeQuery(query, added)
  const kept = new URLSearchParams(query)
  kept.delete(name)
  return kept.toString()
}

const refuse = (reason: string): TransformResult => ({ ok: false, reason })

function readValue(value: string, names: GroupNames, isQuery: boolean): Template {
  const template = parseTemplate(value, names)
  return isQuery ? mapText(template, encodeURIComponent) : template
}

function nameOf(target: unknown, isQuery: boolean): string | undefined {
  if (typeof target !== 'object' || target === null || !('key' in target)) return undefined
  const { key } = target
  const name = typeof key === 'object' && key !== null && 'eq' in key ? key.eq : key
  if (typeof name !== 'string' || name === '' || name.length > MAX_LENGTH) return undefined
  return isQuery ? name : name.toLowerCase()
}

function readValues(args: unknown): readonly string[] | undefined {
  const values: readonly unknown[] = Array.isArray(args) ? args : [args]
  if (values.length === 0 || values.length > MAX_VALUES) return undefined
  const texts = values.filter((value) => typeof value === 'string')
  return texts.length === values.length &&
    texts.every((text) => text.length <= MAX_LENGTH && VALUE.test(text))
    ? texts
    : undefined
}

function expandAll(
  values: readonly Template[],
  groups: Groups,
  encode: (text: string) => string,
): readonly string[] | undefined {
  const texts: string[] = []
  for (const value of values) {
    const text = expandTemplate(value, groups, encode, MAX_EXPANDED_LENGTH)
    if (text === undefined) return undefined
    texts.push(text)
  }
  return texts
}
