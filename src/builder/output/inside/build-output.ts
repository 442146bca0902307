import { join } from 'node:path'
import { PackFault } from './fault.ts'
import { findFunctions } from './function/build-output-functions.ts'
import { packFunctionFolder } from './function/function-folder.ts'
import type { BuildOutputTask, IndexFile, IndexFunction, IndexProgram } from './job.ts'
import { NOTHING, type Packed, type Packing } from './packing.ts'
import { locate, show, statOf } from './place.ts'
import { readPrerender } from './prerender.ts'
import { type Json, jsonOf, readJson, textOf } from './read-json.ts'
import { addFiles } from './static-folder.ts'
import { withWildcards } from './wildcard.ts'

/** A folder in the form of the Build Output API. */
export async function packBuildOutput(packing: Packing, task: BuildOutputTask): Promise<Packed> {
  const { place } = packing
  const folder = locate(place, place.workspace, task.folder)
  if (folder === undefined || !statOf(folder)?.isDirectory()) {
    if (task.optional) return NOTHING
    throw new PackFault('missing_output', `There is no folder ${show(task.folder)} after the build`)
  }
  const config = readConfig(packing, folder)
  const files = packFiles(packing, folder, jsonOf(config.overrides))
  return {
    ...routesOf(config),
    ...(config.images ? { images: jsonOf(config.images) } : {}),
    ...cronsOf(config),
    files,
    ...(await packFunctions(packing, folder)),
  }
}

function readConfig({ place }: Packing, folder: string): Json {
  const path = locate(place, folder, 'config.json')
  const config = readJson(path ?? join(folder, 'config.json'), 'config.json')
  if (config.version !== 3)
    throw new PackFault(
      'invalid_output',
      `config.json has the version ${show(String(config.version))}, not 3`,
    )
  return config
}

function routesOf({ routes, wildcard }: Json): Pick<Packed, 'routes'> {
  if (routes === undefined || routes === null) return {}
  if (!Array.isArray(routes))
    throw new PackFault('invalid_output', 'The routes of config.json are not a list')
  return { routes: withWildcards(routes, wildcard) }
}

/** What they mean is checked outside. */
function cronsOf({ crons }: Json): Pick<Packed, 'crons'> {
  if (crons === undefined || crons === null) return {}
  if (!Array.isArray(crons)) throw new PackFault('invalid_output', 'The crons of config.json are not a list')
  return { crons }
}

/** A file with an override is served under the path that it gives, and only there. */
function packFiles(packing: Packing, folder: string, overrides: Json): IndexFile[] {
  const { place } = packing
  const source = locate(place, folder, 'static')
  if (source === undefined || !statOf(source)?.isDirectory()) return []
  const served = new Map<string, IndexFile>()
  for (const { path, content } of addFiles(packing, source, '')) {
    const override = jsonOf(Object.hasOwn(overrides, path) ? overrides[path] : undefined)
    const contentType = textOf(override.contentType)
    const to = (textOf(override.path) ?? path).replace(/^\/+|\/+$/g, '') || 'index'
    const type = contentType === undefined ? (to === path ? {} : { name: path }) : { contentType }
    served.set(to, { path: to, content, ...type })
  }
  return [...served.values()]
}

async function packFunctions(
  packing: Packing,
  folder: string,
): Promise<Pick<Packed, 'functions' | 'programs'>> {
  const { place, limits } = packing
  const source = locate(place, folder, 'functions')
  if (source === undefined || !statOf(source)?.isDirectory()) return { functions: [], programs: [] }
  const found = findFunctions(packing, source)
  if (found.length > limits.functions)
    throw new PackFault('too_many_functions', `There are more than ${limits.functions} functions`)
  const functions: IndexFunction[] = []
  const programs: IndexProgram[] = []
  const places = new Map<string, number>()
  for (const { path, folder: real, prerender } of found) {
    let program = places.get(real)
    if (program === undefined) {
      program = programs.push(await packFunctionFolder(packing, folder, path, real)) - 1
      places.set(real, program)
    }
    functions.push({
      path,
      program,
      ...(prerender === undefined ? {} : { prerender: readPrerender(packing, source, prerender) }),
    })
  }
  return { functions, programs }
}
