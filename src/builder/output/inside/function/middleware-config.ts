import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type AnyNode, type Expression, type Program, parse } from 'acorn'
import { transform } from 'esbuild'
import { PackFault } from '../fault.ts'
import { show } from '../place.ts'
import { compileFault } from './compile.ts'

/** What a middleware says of itself. */
interface MiddlewareConfig {
  readonly isNode: boolean
  /** Undefined: it is asked for every path. */
  readonly matchers: readonly Matcher[] | undefined
}

export interface Matcher {
  /** In the form of `/users/:name*`, or a regex in brackets. */
  readonly source: string
  readonly has: readonly unknown[]
  readonly missing: readonly unknown[]
}

type Loader = 'js' | 'jsx' | 'ts'
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts' }

/**
 * Read from `export const config`, without running anything. What guards a site must not be guessed at: where it cannot
 * be read, the build fails.
 */
export async function readMiddlewareConfig(file: string, shown: string): Promise<MiddlewareConfig> {
  const source = readFileSync(file, 'utf8')
  const { code } = await transform(source, { loader: LOADERS[extname(file)] ?? 'jsx' }).catch((error) => {
    throw compileFault(file, error)
  })
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
  const constants = constantsOf(program)
  const given = isExported(program) ? constants.get('config') : undefined
  const unread = (): never => {
    throw new PackFault(
      'invalid_middleware',
      `${show(shown)}: \`config\` cannot be read without running it. Write it as plain strings, lists and objects.`,
    )
  }
  const config = given === undefined ? {} : (literalOf(given, constants) ?? unread())
  if (typeof config !== 'object' || Array.isArray(config)) return unread()
  const { runtime, matcher } = config as Record<string, unknown>
  return {
    isNode: runtime === 'nodejs',
    matchers: matcher === undefined ? undefined : [matcher].flat().map((one) => toMatcher(one, shown)),
  }
}

function toMatcher(given: unknown, shown: string): Matcher {
  const { source, has, missing } = (
    typeof given === 'string' ? { source: given } : (given ?? {})
  ) as Partial<Matcher>
  const isList = (value: unknown) => value === undefined || Array.isArray(value)
  if (typeof source !== 'string' || !source.startsWith('/') || !isList(has) || !isList(missing))
    throw new PackFault(
      'invalid_middleware',
      `${show(shown)}: each \`matcher\` should be a path that starts with a slash, or an object with such a path as \`source\`.`,
    )
  return { source, has: has ?? [], missing: missing ?? [] }
}

/** Whether the module has its `config` for others, and not for itself. */
const isExported = ({ body }: Program): boolean =>
  body.some(
    (statement) =>
      statement.type === 'ExportNamedDeclaration' &&
      (statement.specifiers.some(
        ({ exported }) => exported.type === 'Identifier' && exported.name === 'config',
      ) ||
        (statement.declaration?.type === 'VariableDeclaration' &&
          statement.declaration.declarations.some(
            ({ id }) => id.type === 'Identifier' && id.name === 'config',
          ))),
  )

/** What is declared once and for all at the top of a module, by name. */
function constantsOf({ body }: Program): ReadonlyMap<string, Expression> {
  const found = new Map<string, Expression>()
  for (const statement of body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type !== 'VariableDeclaration') continue
    for (const { id, init } of declared.declarations)
      if (id.type === 'Identifier' && init) found.set(id.name, init)
  }
  return found
}

const MAX_DEPTH = 20

/** The value of an expression that has one without being run; undefined where it has not. */
function literalOf(node: AnyNode, constants: ReadonlyMap<string, Expression>, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined
  const inner = (each: AnyNode) => literalOf(each, constants, depth + 1)
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'object' ? undefined : node.value
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : undefined
    case 'Identifier': {
      const constant = constants.get(node.name)
      return constant && inner(constant)
    }
    case 'ArrayExpression': {
      const values = node.elements.map((element) => (element ? inner(element) : undefined))
      return values.includes(undefined) ? undefined : values
    }
    case 'ObjectExpression':
      return objectOf(node.properties, inner)
    default:
      return undefined
  }
}

function objectOf(
  properties: readonly AnyNode[],
  inner: (node: AnyNode) => unknown,
): Record<string, unknown> | undefined {
  const values: [string, unknown][] = []
  for (const property of properties) {
    if (property.type !== 'Property' || property.computed) return undefined
    const { key } = property
    const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined
    const value = inner(property.value)
    if (name === undefined || value === undefined) return undefined
    values.push([name, value])
  }
  return Object.fromEntries(values)
}
