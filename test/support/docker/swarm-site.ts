import type { Files } from '../deploying.ts'
import type { TestRegistry } from './docker.ts'

/** What the site of an image answers to everybody. */
export const SAYS = 'from a swarm'

const PROGRAM = `
const server = require('node:http').createServer((request, response) => response.end('${SAYS}'))
server.listen(Number(process.env.PORT))
`

/** A deployment that is an image, made of what this registry has. */
export const imageOn = ({ base }: TestRegistry): Files => ({
  Dockerfile: `FROM ${base}\nCOPY program.txt /app/program.cjs\nCMD ["node", "/app/program.cjs"]\n`,
  'program.txt': PROGRAM,
})
