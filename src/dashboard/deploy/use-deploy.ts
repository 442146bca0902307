import { useEffect, useRef, useState } from 'react'
import { DeployError } from '#client/deploy/deploy-error.ts'
import { deployFiles } from '#client/deploy/deploy-files.ts'
import type { Target } from '#contract/api/deployment.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import type { Selection } from './selection.ts'

/** How far a deployment is on its way out of the browser. */
export type Progress =
  | { readonly step: 'idle' }
  | { readonly step: 'hashing'; readonly done: number; readonly of: number }
  | { readonly step: 'sending'; readonly done: number; readonly of: number; readonly since: number }
  | { readonly step: 'asking' }
  | { readonly step: 'failed'; readonly problem: string }

interface DeployInput {
  readonly selection: Selection
  readonly name: string
  readonly project: string | undefined
  readonly target: Target | undefined
  /** The id of an environment of the project's own. */
  readonly environment: string | undefined
}

/** Sends what was chosen, only what the installation does not have, and says when there is a deployment to watch. */
export function useDeploy(onCreated: (id: string) => void) {
  const { client } = useAccount()
  const [progress, setProgress] = useState<Progress>({ step: 'idle' })
  const running = useRef<AbortController>(null)
  // Whoever leaves the page stops it. What was sent stays, and is not sent again.
  useEffect(() => () => running.current?.abort(), [])

  const run = async ({ selection, name, project, target, environment }: DeployInput) => {
    running.current?.abort()
    const stop = new AbortController()
    running.current = stop
    let [all, missing, since] = [selection.bytes, 0, 0]
    setProgress({ step: 'hashing', done: 0, of: all })
    try {
      const events = deployFiles({
        client,
        name,
        project,
        target,
        environment,
        files: selection.files,
        follow: false,
        signal: stop.signal,
      })
      for await (const event of events) {
        if (event.type === 'collected') all = event.bytes
        if (event.type === 'hashed')
          setProgress(
            event.files === selection.files.length
              ? { step: 'asking' }
              : { step: 'hashing', done: event.bytes, of: all },
          )
        if (event.type === 'missing') {
          missing = event.bytes
          since = Date.now()
          setProgress({ step: 'sending', done: 0, of: missing, since })
        }
        if (event.type === 'uploaded') setProgress({ step: 'sending', done: event.bytes, of: missing, since })
        if (event.type === 'created') onCreated(event.deployment.id)
      }
    } catch (error) {
      if (stop.signal.aborted) setProgress({ step: 'idle' })
      else
        setProgress({
          step: 'failed',
          problem: error instanceof DeployError ? `${error.message} ${error.hint}` : explain(error),
        })
    }
  }
  return { progress, run, stop: () => running.current?.abort() }
}
