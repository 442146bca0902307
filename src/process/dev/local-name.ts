import { isIP } from 'node:net'

/**
 * Whether a request may mean this server by the name it uses. A page of a stranger can have its own name lead to
 * this machine and read from it what it likes; it can do so with no address, and with no name of this machine.
 */
export const isLocalName = (listensAt: string): ((name: string) => boolean) => {
  // Whoever opens it to others knows its names, and we do not.
  if (listensAt === '0.0.0.0' || listensAt === '::') return () => true
  const own = listensAt.toLowerCase()
  return (name) => isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || name === own
}
