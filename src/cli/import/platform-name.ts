import type { SourceDeployment } from './source.ts'

export const NAME_OF_PLATFORM = 'It is a domain of the other platform. The project gets a new one here.'

/** Below the domain that the other platform gives to everybody, as the address of a deployment tells it. */
export function isOfPlatform(name: string, production: SourceDeployment | undefined): boolean {
  const platform = (production?.url ?? '').replace(/^[^.]+/, '')
  return platform !== '' && name.endsWith(platform)
}
