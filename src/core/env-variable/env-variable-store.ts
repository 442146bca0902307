import type { EnvVariable } from './env-variable.ts'

/**
 * The variables of projects. Who changes them has locked the project (`ProjectStore.lock`), so that what was read
 * stays so until it is written. They are gone with their project.
 */
export interface EnvVariableStore {
  /** All of them, newest first. */
  list(projectId: string): Promise<readonly EnvVariable[]>
  /** Those of any project of an account that are one of its secrets. */
  ofSecret(ownerId: string, secretId: string): Promise<readonly EnvVariable[]>
  /** Puts a variable in the place of the one that has its id, or beside the others. */
  save(variable: EnvVariable): Promise<void>
  delete(id: string): Promise<void>
  /** All that belong to an installation, in whatever project. */
  deleteOf(configurationId: string): Promise<void>
}
