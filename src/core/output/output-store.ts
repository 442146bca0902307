import type { Output } from './output.ts'

/** The outputs of builds, each kept while its deployment lives. */
export interface OutputStore {
  /** Puts it in the place of an earlier one. */
  save(deploymentId: string, output: Output): Promise<void>
  find(deploymentId: string): Promise<Output | undefined>
  /** What runs, without the files, which are most of it: instances are started from this. */
  code(deploymentId: string): Promise<Pick<Output, 'functions' | 'programs'> | undefined>
}
