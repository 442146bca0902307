import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packBuildOutput } from './build-output.ts'
import { PackFault } from './fault.ts'
import { INDEX_FILE, type Index, type IndexFault, JOB_FILE, type Job } from './job.ts'
import type { Packed, Packing } from './packing.ts'
import { openPlace } from './place.ts'
import { Results } from './results.ts'
import { packStatic } from './static-folder.ts'

/** Most tasks do without the compilers, which take a while to load. */
async function pack(packing: Packing, { task }: Job): Promise<Packed> {
  switch (task.kind) {
    case 'build-output':
      return packBuildOutput(packing, task)
    case 'static':
      return packStatic(packing, task)
    case 'functions':
      return (await import('./function/functions.ts')).packFunctions(packing, task)
    case 'middleware':
      return (await import('./function/middleware.ts')).packMiddleware(packing, task)
    case 'app':
      return (await import('./app-folder.ts')).packApp(packing, task)
  }
}

async function answer(workspace: string, folder: string): Promise<Index | IndexFault> {
  const job: Job = JSON.parse(readFileSync(join(folder, JOB_FILE), 'utf8'))
  const results = new Results(folder, job.limits)
  const packing: Packing = { place: openPlace(workspace), results, limits: job.limits }
  try {
    const packed = await pack(packing, job)
    return { ...packed, contents: results.contents, notes: results.notes }
  } catch (error) {
    return { fault: faultOf(error) }
  }
}

function faultOf(error: unknown): IndexFault['fault'] {
  if (error instanceof PackFault) return { code: error.code, message: error.message }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'pack_failed', message: `The output cannot be packed: ${message.split('\n')[0]}` }
}

/** Does what the folder of results has an order for, and leaves the answer beside it. */
export async function packJob(workspace: string, folder: string): Promise<void> {
  writeFileSync(join(folder, INDEX_FILE), JSON.stringify(await answer(workspace, folder)), { flag: 'wx' })
}
