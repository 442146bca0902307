import type { Client } from '#client/client.ts'
import { listFiles } from '#contract/api/deployment.ts'

interface DeployedFile {
  readonly path: string
  /** Names its content. */
  readonly uid: string
}

interface Entry {
  readonly name: string
  readonly uid?: string
  readonly children?: readonly Entry[]
}

/** The files of a deployment by their paths, in the order of their names. */
export async function readFiles(api: Client, id: string): Promise<DeployedFile[]> {
  return flatten((await api.call(listFiles, { params: { id } })) as readonly Entry[], '')
}

const flatten = (entries: readonly Entry[], folder: string): DeployedFile[] =>
  entries.flatMap(({ name, uid, children }) =>
    children === undefined
      ? [{ path: `${folder}${name}`, uid: uid ?? '' }]
      : flatten(children, `${folder}${name}/`),
  )
