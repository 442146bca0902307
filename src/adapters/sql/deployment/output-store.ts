import { contentsOf, type Output, type OutputFile } from '#core/output/output.ts'
import type { OutputStore } from '#core/output/output-store.ts'
import type { SiteFile, SiteFunction } from '#core/site/site.ts'
import { inSlices } from '#core/slices.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'
import { parseColumns } from './manifest-row.ts'

/** The files side by side, which is read several times faster than a list of objects. */
interface FileColumns {
  readonly paths: readonly string[]
  /** Separated by spaces. */
  readonly sha1s: string
  readonly sha256s: string
  readonly sizes: readonly number[]
  /** By place, where a file has one of its own. */
  readonly types: Readonly<Record<string, string>>
}

type OutputWithoutFiles = Omit<Output, 'files'>

const fromFiles = (files: readonly OutputFile[]): FileColumns => ({
  paths: files.map(({ path }) => path),
  sha1s: files.map(({ sha1 }) => sha1).join(' '),
  sha256s: files.map(({ sha256 }) => sha256).join(' '),
  sizes: files.map(({ size }) => size),
  types: Object.fromEntries(
    files.flatMap(({ contentType }, i) => (contentType === undefined ? [] : [[i, contentType]])),
  ),
})

async function toFiles(text: string): Promise<OutputFile[]> {
  const { paths, sha1s, sha256s, sizes, types } = await parseColumns<FileColumns>(text)
  const [short, long] = [sha1s.split(' '), sha256s.split(' ')]
  const files: OutputFile[] = []
  await inSlices(paths, (path) => {
    const i = files.length
    const contentType = types[i]
    files.push({
      path,
      sha1: short[i] as string,
      sha256: long[i] as string,
      size: sizes[i] as number,
      ...(contentType === undefined ? {} : { contentType }),
    })
  })
  return files
}

const selectOutput = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('outputs').select(['files', 'rest']).where('deployment_id', '=', id),
)

const selectCode = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('outputs').select('rest').where('deployment_id', '=', id),
)

export function createOutputStore(db: Db): OutputStore {
  return {
    async save(deploymentId, { files, ...rest }) {
      const row = {
        sha1s: [...new Set(contentsOf({ files, ...rest }).map(({ sha1 }) => sha1))].join(' '),
        files: JSON.stringify(fromFiles(files)),
        rest: JSON.stringify(rest satisfies OutputWithoutFiles),
      }
      await db
        .insertInto('outputs')
        .values({ deployment_id: deploymentId, ...row })
        .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet(row))
        .execute()
    },

    async find(deploymentId) {
      const [row] = await selectOutput(db, { id: deploymentId })
      return row && { files: await toFiles(row.files), ...(JSON.parse(row.rest) as OutputWithoutFiles) }
    },

    async code(deploymentId) {
      const [row] = await selectCode(db, { id: deploymentId })
      return row && (JSON.parse(row.rest) as OutputWithoutFiles)
    },
  }
}

/** The parts of a stored output that visitors meet. */
export async function toServed(row: { readonly files: string; readonly rest: string }) {
  const { routes, functions, programs, images }: OutputWithoutFiles = JSON.parse(row.rest)
  const byId = new Map(programs.map((program) => [program.id, program]))
  const files = new Map<string, SiteFile>()
  await inSlices(await toFiles(row.files), ({ path, sha256, size, contentType }) =>
    files.set(path, { sha256, size, ...(contentType === undefined ? {} : { contentType }) }),
  )
  const served = new Map<string, SiteFunction>()
  for (const { path, program: id, prerender } of functions) {
    const program = byId.get(id)
    if (!program) continue
    const { shape, maxDuration } = program
    served.set(path, { path, program: id, shape, maxDuration, ...(prerender ? { prerender } : {}) })
  }
  return { routes, files, functions: served, ...(images ? { images } : {}) }
}
