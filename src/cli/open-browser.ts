import { spawn } from 'node:child_process'

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Where there is no browser, the printed address has to do. What is opened is never a file or a program, whatever a server says
 * that the address is.
 */
export function openBrowser(address: string): void {
  const url = URL.parse(address)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
