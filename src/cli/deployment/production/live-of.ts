import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { getProject } from '#contract/api/project.ts'

/** The deployment that a project shows in production; undefined where there is none, or where it may not be asked for. */
export async function liveOf(api: Client, projectId: string): Promise<string | undefined> {
  try {
    return (await api.call(getProject, { params: { idOrName: projectId } })).targets.production?.id
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
