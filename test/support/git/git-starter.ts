// A process that runs git for the process that began it, and ends with it.
import { execFile } from 'node:child_process'
import type { GitAnswer, GitOrder } from './git.ts'

process.on('message', ({ id, folder, args, env }: GitOrder) => {
  execFile('git', args, { cwd: folder, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
    const answer: GitAnswer = { id, ok: error === null, stdout, stderr }
    process.send?.(answer)
  })
})
process.once('disconnect', () => process.exit())
