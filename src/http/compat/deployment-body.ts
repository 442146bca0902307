import { NEW_PROJECT_NODE_VERSION } from '#contract/api/node-versions.ts'
import { createProject, FRAMEWORKS, getProjectFirst, updateProject } from '#contract/api/project.ts'
import { AloftError } from '#contract/errors.ts'
import { isRecord } from '#core/is-record.ts'
import type { CompatContext, CompatRequest, PartialRequest } from './row.ts'

/** What later versions take in the request itself and earlier ones in a file beside the others. */
const CONFIGURATION = [
  'cleanUrls',
  'crons',
  'functions',
  'headers',
  'images',
  'redirects',
  'rewrites',
  'trailingSlash',
] as const
const CONFIGURATION_FILES = new Set(['vercel.json', 'now.json', 'aloft.json'])

const SETTINGS = [
  'buildCommand',
  'commandForIgnoringBuildStep',
  'devCommand',
  'framework',
  'installCommand',
  'outputDirectory',
  'rootDirectory',
] as const

type Body = Readonly<Record<string, unknown>>

const pick = (body: Body, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    keys.filter((key) => body[key] !== undefined && body[key] !== null).map((key) => [key, body[key]]),
  )

/** A request of any version, as the one of ours. */
export async function readCreate(
  { body, query }: CompatRequest,
  also: CompatContext,
): Promise<PartialRequest> {
  if (!isRecord(body)) return { body }
  const { target, projectSettings, project, name, version, ...rest } = body
  if (isRecord(projectSettings)) {
    const wanted = [project, name].find((each) => typeof each === 'string') ?? ''
    if (body.source === 'cli' && !isTrue(query.skipAutoDetectionConfirmation))
      await askForSettings(wanted, projectSettings, also)
    await ensureProject(wanted, projectSettings, also)
  }
  return {
    query: { ...(isTrue(query.forceNew) ? { forceNew: 'true' } : {}) },
    body: {
      ...rest,
      name: name ?? project,
      ...(project === undefined ? {} : { project }),
      version: version ?? 2,
      // The environment that is meant when none is named has a name elsewhere.
      ...(target === 'production' || target === 'staging' ? { target } : {}),
      files: filesOf(body),
      projectSettings: { nodeVersion: NEW_PROJECT_NODE_VERSION },
    },
  }
}

const isTrue = (value: unknown): boolean => value === '1' || value === 'true'

const FORMAT = 0o170000
const FOLDER = 0o040000

/** Some clients name folders as well; those that files are in need not be named. */
const isFolder = (file: unknown): boolean =>
  isRecord(file) && typeof file.mode === 'number' && (file.mode & FORMAT) === FOLDER

function filesOf(body: Body): unknown {
  const files = Array.isArray(body.files) ? body.files.filter((file) => !isFolder(file)) : body.files
  const given = pick(body, CONFIGURATION)
  if (!Array.isArray(files) || Object.keys(given).length === 0) return files ?? []
  if (files.some((file) => isRecord(file) && CONFIGURATION_FILES.has(String(file.file)))) return files
  return [...files, { file: 'vercel.json', data: JSON.stringify(given) }]
}

/** Nothing has to be confirmed here, because builds find out by themselves: but some clients make a project only then. */
async function askForSettings(name: string, settings: Body, { call }: CompatContext): Promise<void> {
  if (await isThere(name, call)) return
  throw new AloftError(
    'missing_project_settings',
    `There is no project \`${name.slice(0, 100)}\` yet. Confirm its settings.`,
    { projectSettings: pick(settings, SETTINGS), framework: null },
  )
}

async function isThere(idOrName: string, call: CompatContext['call']): Promise<boolean> {
  try {
    await call(getProjectFirst, { params: { idOrName } })
    return true
  } catch (error) {
    if (error instanceof AloftError && error.kind === 'not_found') return false
    throw error
  }
}

/** Settings that come with the first deployment of a project are the project's. */
async function ensureProject(name: string, settings: Body, { call }: CompatContext): Promise<void> {
  const wanted = pick(settings, SETTINGS)
  if (!(FRAMEWORKS as readonly unknown[]).includes(wanted.framework)) delete wanted.framework
  if (Object.keys(wanted).length === 0 || (await isThere(name, call))) return
  const { id } = await call(createProject, { body: { name, ...wanted } })
  await call(updateProject, { params: { idOrName: id }, body: { nodeVersion: NEW_PROJECT_NODE_VERSION } })
}
