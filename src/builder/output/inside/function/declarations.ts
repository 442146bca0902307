import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type AnyNode, type Expression, type Program, parse } from 'acorn'
import { transform } from 'esbuild'

interface Declarations {
  /** What is declared at the top of a module, by name. */
  readonly constants: ReadonlyMap<string, Expression>
  /** The names under which it has something for others. */
  readonly exported: ReadonlySet<string>
}

type Loader = 'js' | 'jsx' | 'ts' | 'tsx'
const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts', '.tsx': 'tsx' }

/** What a source declares, without running anything. Rejects where it cannot be read as code. */
export async function readDeclarations(file: string): Promise<Declarations> {
  const { code } = await transform(readFileSync(file, 'utf8'), { loader: LOADERS[extname(file)] ?? 'jsx' })
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
  return { constants: constantsOf(program), exported: exportedBy(program) }
}

const exportedBy = ({ body }: Program): ReadonlySet<string> =>
  new Set(
    body.flatMap((statement) => {
      if (statement.type !== 'ExportNamedDeclaration') return []
      const named = statement.specifiers.map(({ exported }) => exported)
      const declared =
        statement.declaration?.type === 'VariableDeclaration'
          ? statement.declaration.declarations.map(({ id }) => id)
          : []
      return [...named, ...declared].flatMap((each) => (each.type === 'Identifier' ? [each.name] : []))
    }),
  )

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
export function literalOf(node: AnyNode, constants: ReadonlyMap<string, Expression>, depth = 0): unknown {
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
    const named = namedProperty(property)
    const value = named && inner(named.value)
    if (named === undefined || value === undefined) return undefined
    values.push([named.name, value])
  }
  return Object.fromEntries(values)
}

/** What an object has under which names, as far as both stand there. */
export function propertiesOf(
  node: AnyNode | undefined,
  constants: ReadonlyMap<string, Expression>,
): ReadonlyMap<string, AnyNode> {
  const object = node?.type === 'Identifier' ? constants.get(node.name) : node
  if (object?.type !== 'ObjectExpression') return new Map()
  const named = object.properties.flatMap((property) => namedProperty(property) ?? [])
  return new Map(named.map(({ name, value }) => [name, value]))
}

function namedProperty(property: AnyNode): { readonly name: string; readonly value: AnyNode } | undefined {
  if (property.type !== 'Property' || property.computed) return undefined
  const { key, value } = property
  const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined
  return name === undefined ? undefined : { name, value }
}
