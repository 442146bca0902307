import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { JOB_FILE, type Job, type Task } from '#builder/output/inside/job.ts'
import { packJob } from '#builder/output/inside/pack-job.ts'
import { within } from '#builder/output/inside/place.ts'
import { joined } from '#core/detection/source-tree.ts'

/** Where a folder lies among the packages that are installed together. */
export interface WorkspacePlace {
  /** The folder that they are all in; the served folder itself where it is none of several. */
  readonly top: string
  /** The served folder in it, with slashes; empty where it is the same. */
  readonly below: string
}

/** A package that is linked into a workspace from elsewhere has nothing of it around. */
export function placeOf(folder: string, workspace: string | undefined): WorkspacePlace {
  const real = realpathSync(folder)
  const top = realpathSync(workspace ?? folder)
  return within(top, real)
    ? { top, below: relative(top, real).split(sep).join('/') }
    : { top: real, below: '' }
}

/**
 * Packs programs with what they import from the packages around their folder, as a build has it: dependencies are often installed
 * at the top, and packages link to each other.
 */
export function packInWorkspace({ top, below }: WorkspacePlace, results: string): Promise<void> {
  const file = join(results, JOB_FILE)
  const job: Job = JSON.parse(readFileSync(file, 'utf8'))
  const task = below === '' ? undefined : fromTop(job.task, below)
  if (task === undefined) return packJob(join(top, below), results)
  writeFileSync(file, JSON.stringify({ ...job, task }))
  return packJob(top, results)
}

/** Undefined for what imports nothing any more. */
function fromTop(task: Task, below: string): Task | undefined {
  switch (task.kind) {
    case 'functions':
    case 'app':
      return { ...task, root: joined(below, task.root) }
    case 'middleware':
      return { ...task, file: joined(below, task.file) }
    default:
      return undefined
  }
}
