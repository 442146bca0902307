import type { Deployment } from './deployment.ts'

/** What a deployment was made for. */
export const targetName = ({
  target,
  customEnvironment,
}: {
  target?: string | undefined
  customEnvironment?: Deployment['customEnvironment'] | undefined
}): string =>
  customEnvironment?.slug ??
  (target === 'production' ? 'Production' : target === 'staging' ? 'Staging' : 'Preview')
