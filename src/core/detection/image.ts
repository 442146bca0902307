import { BuildFailure } from '../build/build-failure.ts'
import { EMPTY_STAGE, type Stage } from './plan.ts'

interface Image {
  readonly folder: string
  /** Relative to the root directory. */
  readonly dockerfile: string
  /** Whether there is a Docker Engine. */
  readonly docker: boolean
}

/** An image that is built from its Dockerfile and run. */
export function imageStage(run: string, { folder, dockerfile, docker }: Image): Stage {
  if (!docker)
    throw new BuildFailure(
      'docker_unavailable',
      'It needs a Docker Engine; this server runs with ALOFT_RUNTIME=process.',
      run,
    )
  return { ...EMPTY_STAGE, run, folder, takes: [{ kind: 'image', dockerfile }] }
}
