import { lookup } from 'node:dns/promises'
import type { Server } from 'node:http'
import { connect, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { bracketed } from '#contract/address-in-url.ts'
import { isOpenToAll } from './local-name.ts'

interface Listening {
  readonly port: number
  readonly url: string
  /** Where other machines find it. */
  readonly others: readonly string[]
}

interface ListenRequest {
  readonly host: string
  readonly port: number
  /** Whether the next free one will do. */
  readonly otherPort: boolean
}

export class PortTaken extends Error {
  override readonly name = 'PortTaken'
}

const TRIES = 100
const CONNECT_MS = 300

/** `localhost` is an address of each kind on most machines, and browsers try both. */
async function addressesOf(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  const found = await lookup(host, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}

/** Makes servers listen at every address of a host, all on one port. */
export async function listenAt(
  makeServer: () => Server,
  { host, port, otherPort }: ListenRequest,
): Promise<Listening> {
  const addresses = await addressesOf(host)
  for (let tried = 0; ; tried++) {
    const at = port === 0 ? 0 : port + tried
    const found = at > 65_535 ? undefined : await listenAll(makeServer, addresses, at)
    if (found !== undefined)
      return {
        port: found,
        url: `http://${isOpenToAll(host) ? 'localhost' : bracketed(host)}:${found}`,
        others: isOpenToAll(host)
          ? machineAddresses(host).map((ip) => `http://${bracketed(ip)}:${found}`)
          : [],
      }
    if (!otherPort || tried >= TRIES || at > 65_535)
      throw new PortTaken(`Port ${port} is used by another program.`)
  }
}

/** The port, or undefined where somebody has it at one of the addresses. */
async function listenAll(
  makeServer: () => Server,
  addresses: readonly string[],
  port: number,
): Promise<number | undefined> {
  // Some systems let a program listen at an address of a port that another one has everywhere.
  if (port !== 0) for (const address of addresses) if (await answers(address, port)) return undefined
  const servers: Server[] = []
  let chosen = port
  for (const address of addresses) {
    const server = makeServer()
    const error = await listen(server, address, chosen)
    if (error === undefined) {
      servers.push(server)
      chosen = (server.address() as { readonly port: number }).port
      continue
    }
    // A machine may name an address of a kind that it does not speak.
    if (error.code === 'EADDRNOTAVAIL' && addresses.length > 1) continue
    for (const begun of servers) begun.close()
    if (error.code === 'EADDRINUSE') return undefined
    throw error
  }
  return servers.length === 0 ? undefined : chosen
}

const listen = (server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })

/** Whether somebody takes connections there. */
export const answers = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS })
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('timeout', () => settle(false))
    socket.once('error', () => settle(false))
  })

const machineAddresses = (host: string): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? [])
      .filter(({ internal, family }) => !internal && (family === 'IPv4' || host === '::'))
      .map(({ address }) => address)
      .filter((address) => !address.startsWith('fe80:')),
  )
