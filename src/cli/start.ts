import { run } from './run.ts'

/** The command line of this process, from its arguments to its exit code. */
export async function start(): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process
  // Windows would look for programs in the current folder first, which may be anybody's.
  if (process.platform === 'win32') env.NoDefaultCurrentDirectoryInExePath = '1'
  // Whoever reads the result may stop early, as `head` does.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  process.exitCode = await run({ argv: argv.slice(2), env, cwd: process.cwd(), stdin, stdout, stderr })
}
