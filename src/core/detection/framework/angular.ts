import { isRecord } from '../../is-record.ts'
import { looseJson } from '../config/json.ts'
import { joined, readFolder, type SourceTree } from '../source-tree.ts'

interface AngularProject {
  /** Where its build writes; the newer builder has folders for browsers and servers below it. */
  readonly folder: string
  readonly browser: string
  readonly server: string
  /** Whether the build leaves a program that renders pages. */
  readonly isServer: boolean
}

/** Every folder that may hold what browsers get, that of the default project first. */
export const angularFolders = (text: string | undefined): readonly string[] => [
  ...projectsOf(text).flatMap(({ folder, browser }) => [joined(folder, browser), folder]),
  'dist',
]

/**
 * The program of a project that is rendered on a server, with the files that are served without it. It checks the names
 * that it is asked by, and refuses those that it was not told of; here only names of its own lead to it.
 */
export async function angularServer(tree: SourceTree) {
  const [project] = projectsOf(await tree.text('angular.json'))
  if (!project?.isServer) return undefined
  const { folder, browser, server } = project
  return {
    entries: [joined(joined(folder, server), 'server.mjs')],
    publicFolder: joined(folder, browser),
    env: { NG_ALLOWED_HOSTS: '*' },
  }
}

function projectsOf(text: string | undefined): readonly AngularProject[] {
  const json = looseJson(text)
  const projects = isRecord(json) && isRecord(json.projects) ? json.projects : {}
  const first = isRecord(json) && typeof json.defaultProject === 'string' ? [json.defaultProject] : []
  const names = [...new Set([...first, ...Object.keys(projects)])].slice(0, 8)
  return names.flatMap((name) => {
    const { outputPath: path, ssr, outputMode } = optionsOf(projects[name])
    const under = (key: string): string => {
      const own = isRecord(path) && typeof path[key] === 'string' ? readFolder(path[key]) : undefined
      return own ?? key
    }
    const base = isRecord(path) ? path.base : path
    const folder = readFolder(typeof base === 'string' ? base : `dist/${name}`)
    if (folder === undefined || folder === '') return []
    const isServer = isRecord(ssr) && typeof ssr.entry === 'string' && outputMode !== 'static'
    return [{ folder, browser: under('browser'), server: under('server'), isServer }]
  })
}

/** Those of the build, as its usual configuration changes them. */
function optionsOf(project: unknown): Readonly<Record<string, unknown>> {
  const targets = isRecord(project) ? (project.architect ?? project.targets) : undefined
  const build = isRecord(targets) && isRecord(targets.build) ? targets.build : {}
  const { options, configurations, defaultConfiguration } = build
  const usual =
    isRecord(configurations) && typeof defaultConfiguration === 'string'
      ? configurations[defaultConfiguration]
      : undefined
  return { ...(isRecord(options) ? options : {}), ...(isRecord(usual) ? usual : {}) }
}
