import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Endpoint } from '#contract/endpoint.ts'

const folder = resolve(import.meta.dirname, '../../src/contract/api')

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'on' in value && 'access' in value

const modules = await Promise.all(
  globSync('*.ts', { cwd: folder }).map((file) => import(resolve(folder, file))),
)

/** Every row that the contract declares, those in groups such as `earliest` included. */
export function listEndpoints(): Endpoint[] {
  const found = (value: unknown): Endpoint[] =>
    isEndpoint(value)
      ? [value]
      : typeof value === 'object' && value !== null && !Array.isArray(value) && !('type' in value)
        ? Object.values(value).flatMap(found)
        : []
  return modules.flatMap((module) => Object.values(module).flatMap(found))
}
