import { codeOf } from './error-code.ts'
/** Whether there is a process of this number, whoever's it is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
