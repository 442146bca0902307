import { PROJECT_NODE_VERSIONS, type ProjectNodeVersion } from '#contract/api/node-versions.ts'
import { BuildFailure } from '../../build/build-failure.ts'
import type { PackageJson } from '../config/package-json.ts'
import type { SourceTree } from '../source-tree.ts'
import { linesIn } from './node-version.ts'

interface NodeChoice {
  readonly version: ProjectNodeVersion
  /** Where what was asked for and what is used are not the same. */
  readonly warnings: readonly string[]
}

interface NodeRequest {
  readonly pkg: PackageJson | undefined
  /** By the request of an older client. */
  readonly asked: string | null
  /** Of the project. */
  readonly setting: ProjectNodeVersion
  /** Older clients were given the usual version where theirs is not to be had. */
  readonly isLenient: boolean
}

const MANIFEST = 'package.json'

/** Files of version managers, in the order in which they count. */
const VERSION_FILES = ['.nvmrc', '.node-version'] as const

/** Names that stand for a release of long-term support, as nvm knows them. */
const LTS: Readonly<Record<string, string>> = {
  carbon: '8',
  dubnium: '10',
  erbium: '12',
  fermium: '14',
  gallium: '16',
  hydrogen: '18',
  iron: '20',
  jod: '22',
  krypton: '24',
}

interface RequestedVersion {
  readonly where: string
  /** Those that it allows, the newest first. */
  readonly versions: readonly ProjectNodeVersion[]
}

/**
 * `engines.node` of package.json comes first, then the file of a version manager, then the project's setting. Such a file
 * is for the machines of its authors, and so one that asks for what is not to be had is only told of.
 */
export async function chooseNode(tree: SourceTree, from: NodeRequest): Promise<NodeChoice> {
  const { pkg, asked, setting, isLenient } = from
  const requested: RequestedVersion[] = []
  const unknown: string[] = []
  const add = (where: string, text: string | undefined): void => {
    // Empty says nothing, though a range that is empty allows every version.
    if (text === undefined || text.trim() === '') return
    const versions = linesIn(rangeOf(text))
    if (versions.length > 0) requested.push({ where, versions })
    else if (where !== MANIFEST) unknown.push(`Warning: ${unavailable(where, text)}`)
    else if (!isLenient) throw new BuildFailure('invalid_node_version', unavailable(where, text))
  }
  add(MANIFEST, pkg?.engines.node)
  for (const file of VERSION_FILES) add(file, firstLine(await tree.text(file)))
  if (asked !== null && linesIn(asked).length > 0)
    requested.push({ where: 'the request', versions: linesIn(asked) })
  requested.push({ where: "the project's setting", versions: [setting] })
  const [first, ...others] = requested as [RequestedVersion, ...RequestedVersion[]]
  const version = first.versions[0] as ProjectNodeVersion
  return {
    version,
    warnings: [
      ...unknown,
      ...others
        .filter(({ versions }) => !versions.some((each) => first.versions.includes(each)))
        .map(
          ({ where, versions }) =>
            `Warning: ${where} requests Node ${versions[0]}, but ${first.where} takes precedence: Node ${version} is used.`,
        ),
    ],
  }
}

const unavailable = (file: string, text: string): string =>
  `${file} requests Node ${JSON.stringify(text.slice(0, 80))}; available: ${PROJECT_NODE_VERSIONS.join(', ')}.`

/** Comments and empty lines are allowed in them. */
const firstLine = (text: string | undefined): string | undefined =>
  text
    ?.split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .find((line) => line !== '')

const rangeOf = (text: string): string => {
  const name = /^lts\/(\w+)$/i.exec(text)?.[1]?.toLowerCase()
  return (name === undefined ? undefined : LTS[name]) ?? (text === 'stable' ? 'node' : text)
}
