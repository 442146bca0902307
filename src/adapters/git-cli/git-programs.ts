import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { gitEnvironment } from './git-environment.ts'

const run = promisify(execFile)

/** Which of the programs are there that repositories are read with, looked for where git itself is run from. */
export async function findGitPrograms(env = gitEnvironment()): Promise<{
  /** Its version; null where it is not installed. */
  readonly git: string | null
  readonly ssh: boolean
}> {
  const says = (program: string, flag: string) =>
    run(program, [flag], { env, timeout: 10_000 }).then(
      ({ stdout }) => stdout,
      () => undefined,
    )
  const [git, ssh] = await Promise.all([says('git', '--version'), says('ssh', '-V')])
  return { git: git === undefined ? null : (/\d[\w.]*/.exec(git)?.[0] ?? 'unknown'), ssh: ssh !== undefined }
}
