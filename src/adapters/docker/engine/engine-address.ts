import { withoutBrackets } from '#contract/address-in-url.ts'

/** Where an engine listens. */
export type EngineAddress = { readonly socketPath: string } | { readonly host: string; readonly port: number }

const DEFAULT: EngineAddress = { socketPath: '/var/run/docker.sock' }
const PORT = 2375

/** Reads the text of `DOCKER_HOST`, as Docker's own client does; without one it is the usual socket. */
export function readEngineAddress(text: string | undefined): EngineAddress {
  if (text === undefined || text === '') return DEFAULT
  if (text.startsWith('unix://')) {
    const socketPath = text.slice('unix://'.length)
    if (socketPath.startsWith('/')) return { socketPath }
  } else if (URL.canParse(text)) {
    const { protocol, hostname, port, username, pathname } = new URL(text)
    const plain = username === '' && (pathname === '' || pathname === '/')
    if ((protocol === 'tcp:' || protocol === 'http:') && hostname !== '' && plain)
      return { host: withoutBrackets(hostname), port: port === '' ? PORT : Number(port) }
  }
  throw new Error(`DOCKER_HOST should be unix:///path or tcp://host:port, and not ${JSON.stringify(text)}`)
}

/** Whether its containers can be on this machine, as far as the address tells. */
export const isLocal = (address: EngineAddress): boolean =>
  'socketPath' in address || /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(address.host)
