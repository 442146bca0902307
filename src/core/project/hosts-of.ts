import type { Project } from './project.ts'
import type { ProjectStore } from './project-store.ts'

const MANY_HOSTS = 1000

/** All that a setting of the project shows on. Where they are too many to name, everybody is told. */
export async function hostsOf(projects: ProjectStore, { id }: Project): Promise<readonly string[]> {
  const hosts = await projects.hostsOf(id, MANY_HOSTS)
  return hosts.length < MANY_HOSTS ? hosts : ['*']
}
