import type { Target } from '#contract/api/deployment.ts'
import { usageError } from '../exit.ts'

interface DeployTarget {
  readonly target?: Target
  readonly environment?: string
}

/** What `--prod` and `--target` mean. Whether the project has an environment of that name, the installation knows. */
export function readDeployTarget({
  prod,
  target,
}: {
  readonly prod: boolean
  readonly target?: string | undefined
}): DeployTarget {
  if (prod && target !== undefined && target !== 'production')
    throw usageError(`--prod and --target ${target} cannot be used together.`)
  if (prod || target === 'production') return { target: 'production' }
  if (target === 'development')
    throw usageError('You cannot deploy to development. To run the site on your computer, use `aloft dev`.')
  return target === undefined || target === 'preview' ? {} : { environment: target }
}
