import type { Project } from './project.ts'

/** Projects of an account; names are unique within it. */
export interface ProjectStore {
  byIdOrName(ownerId: string, idOrName: string): Promise<Project | undefined>
  /** Answers false when the account has a project of that name, and then nothing is stored. */
  insert(project: Project): Promise<boolean>
  touch(id: string, updatedAt: number): Promise<void>
  setDefaultHost(id: string, host: string): Promise<void>
}
