import { isRecord } from '../../is-record.ts'
import { type ImageConfig, readImageConfig } from '../../output/image-config.ts'
import { invalidConfig } from './json.ts'

/** What is wrong with a value, in words that follow its name; undefined where nothing is. */
type Check = (value: unknown) => string | undefined

const check =
  (isRight: (value: unknown) => boolean, wanted: string): Check =>
  (value) =>
    isRight(value) ? undefined : `should be ${wanted}`

const isWhole = (value: unknown, from: number, to: number): boolean =>
  Number.isInteger(value) && (value as number) >= from && (value as number) <= to
const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= 1024

const whole = (from: number, to: number): Check =>
  check((value) => isWhole(value, from, to), `a whole number from ${from} to ${to}`)
const text = check(isText, 'text of at most 1024 characters')
const oneOf = (...words: readonly unknown[]): Check =>
  check((value) => words.includes(value), `one of ${words.join(', ')}`)

const MOST = 50
const listOf =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length > MOST) return `should be a list of at most ${MOST} items`
    for (const [i, one] of value.entries()) {
      const wrong = item(one)
      if (wrong !== undefined) return `is wrong at ${i}: it ${wrong}`
    }
    return undefined
  }
const objectOf =
  (fields: Readonly<Record<string, Check>>, ...required: readonly string[]): Check =>
  (value) => {
    if (!isRecord(value)) return 'should be an object'
    const missing = required.find((key) => value[key] === undefined)
    if (missing !== undefined) return `should have \`${missing}\``
    for (const [key, one] of Object.entries(value)) {
      const known = Object.hasOwn(fields, key) ? fields[key] : undefined
      if (known === undefined) return `has \`${key.slice(0, 60)}\`, which is unknown`
      const wrong = one === undefined ? undefined : known(one)
      if (wrong !== undefined) return `has a \`${key}\` that ${wrong}`
    }
    return undefined
  }

const YEAR = 31_536_000
const checkImages = objectOf(
  {
    sizes: listOf(whole(1, 16_384)),
    qualities: listOf(whole(1, 100)),
    formats: listOf(oneOf('image/avif', 'image/webp', 'image/jpeg', 'image/png')),
    domains: listOf(text),
    remotePatterns: listOf(
      objectOf(
        {
          protocol: oneOf('http', 'https', 'http:', 'https:'),
          ...{ hostname: text, port: text, pathname: text, search: text },
        },
        'hostname',
      ),
    ),
    localPatterns: listOf(objectOf({ pathname: text, search: text })),
    minimumCacheTTL: whole(0, YEAR),
    dangerouslyAllowSVG: oneOf(true, false),
    contentSecurityPolicy: text,
    contentDispositionType: oneOf('inline', 'attachment'),
  },
  'sizes',
)

/** `images` of the configuration file: which images of a site can be had in which sizes. */
export function readImages(value: unknown, file: string): ImageConfig | undefined {
  if (value === undefined || value === null) return undefined
  const wrong = checkImages(value)
  if (wrong !== undefined) throw invalidConfig(`${file}: \`images\` ${wrong}.`)
  const config = readImageConfig(value)
  if (config === undefined) throw invalidConfig(`${file}: \`images\` should have \`sizes\`.`)
  return config
}
