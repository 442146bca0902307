import { execFile } from 'node:child_process'
import { MINUTE } from '#contract/time.ts'
import { TOOL_ENV } from './tools.ts'

/** On a machine that is busy they take long, and what they are for is given up where one fails. */
const LONGEST_MS = MINUTE

/** Runs a tool of the system to its end and answers its output; a failure carries what it said. */
export function runTool(file: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: TOOL_ENV, cwd: '/', timeout: LONGEST_MS, maxBuffer: 16 * 1024 * 1024 }
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }))
      else resolve(stdout)
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
