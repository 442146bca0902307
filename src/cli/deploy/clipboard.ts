import { spawn } from 'node:child_process'
import { SECOND } from '#contract/time.ts'
import type { Env } from '../output/output.ts'

const TIMEOUT = 2 * SECOND

/** What puts text on the clipboard here. Without a screen there is none, so nothing is tried. */
export function clipboardPrograms(env: Env, platform: NodeJS.Platform): readonly (readonly string[])[] {
  if (platform === 'darwin') return [['pbcopy']]
  if (platform === 'win32') return [['clip.exe']]
  return [
    ...(env.WAYLAND_DISPLAY ? [['wl-copy']] : []),
    ...(env.DISPLAY
      ? [
          ['xclip', '-selection', 'clipboard'],
          ['xsel', '--clipboard', '--input'],
        ]
      : []),
    ...(env.WSL_DISTRO_NAME ? [['clip.exe']] : []),
  ]
}

/** Whether the text is on the clipboard now. */
export async function copyToClipboard(text: string, env: Env, platform = process.platform): Promise<boolean> {
  for (const [program = '', ...line] of clipboardPrograms(env, platform))
    if (await feed(program, line, text, env)) return true
  return false
}

const feed = (program: string, line: readonly string[], text: string, env: Env): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, line, {
      env: { ...env },
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: TIMEOUT,
      windowsHide: true,
    })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    child.stdin.on('error', () => {})
    child.stdin.end(text)
  })
