import { nameFrom } from './selection.ts'

/** What the link of a deploy button asks for. Nothing of it is done before somebody has seen it and agreed. */
export interface DeployButton {
  /** A repository as Git knows it; empty where it is named by `chosen`. */
  readonly url: string
  /** A repository of a connected host. */
  readonly chosen: { readonly connectionId: string; readonly repository: string } | undefined
  /** The branch that the link names; empty for the repository's own. */
  readonly branch: string
  readonly rootDirectory: string
  readonly name: string
  /** Names of variables that the site needs. */
  readonly variables: readonly string[]
  readonly about: string
  /** Where the variables are explained. */
  readonly link: string
  readonly settings: Readonly<Partial<Record<'buildCommand' | 'installCommand' | 'outputDirectory', string>>>
}

type Search = Readonly<Record<string, string | undefined>>

/** Hosts show a folder of a branch at an address that Git does not know: `/tree/main/site`, `/-/tree/main/site`. */
const FOLDER = /^(https?:\/\/[^/]+\/.+?)(?:\/-)?\/tree\/([^/]+)(?:\/(.+?))?\/?$/

const NAME = /^[A-Za-z_]\w{0,255}$/
const MOST_VARIABLES = 50

const web = (text: string): string => (/^https?:\/\//.test(text) && URL.canParse(text) ? text : '')

/** The last part of a repository's address, without `.git`. */
const lastPart = (url: string): string => /([^/:]+?)(?:\.git)?\/*$/.exec(url)?.[1] ?? ''

/** Deploy buttons name the repository in `repository-url`, and earlier in `s`. */
export function readDeployButton(search: Search): DeployButton {
  const text = (key: string): string => (search[key] ?? '').trim()
  const [connectionId, named] = [text('connection'), text('repository')]
  const chosen = connectionId === '' || named === '' ? undefined : { connectionId, repository: named }
  const wanted = chosen ? '' : text('repository-url') || text('s')
  const [, repository = wanted, branch = '', folder = ''] = FOLDER.exec(wanted) ?? []
  const listed = text('env')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => NAME.test(name))
  const rootDirectory = text('root-directory') || decoded(folder)
  const settings = {
    buildCommand: text('build-command'),
    installCommand: text('install-command'),
    outputDirectory: text('output-directory'),
  }
  return {
    url: repository,
    chosen,
    branch: decoded(branch),
    rootDirectory,
    name: nameFrom(
      text('project-name') ||
        text('repository-name') ||
        lastPart(rootDirectory) ||
        lastPart(chosen?.repository ?? repository),
    ),
    variables: [...new Set(listed)].slice(0, MOST_VARIABLES),
    about: text('envDescription').slice(0, 500),
    link: web(text('envLink')),
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== '')),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
