import type { Static } from 'typebox'
import type { createDeployment, ReadyState } from '#contract/api/deployment.ts'
import type { LogEvent } from '../follow/log-events.ts'

export type Deployment = Static<typeof createDeployment.reply>

/** What happens on the way of a folder to its address, in order. */
export type DeployEvent =
  | { readonly type: 'collected'; readonly files: number; readonly bytes: number }
  | { readonly type: 'hashed'; readonly files: number; readonly bytes: number }
  /** What the installation does not have yet. */
  | { readonly type: 'missing'; readonly files: number; readonly bytes: number }
  | { readonly type: 'uploaded'; readonly files: number; readonly bytes: number }
  /** The installation could not take it for now. It is asked again. */
  | { readonly type: 'retrying'; readonly error: Error }
  | { readonly type: 'created'; readonly deployment: Deployment }
  /** The files of an earlier one were deployed again. */
  | { readonly type: 'redeployed'; readonly deployment: Deployment; readonly of: string }
  | { readonly type: 'state'; readonly state: ReadyState }
  | { readonly type: 'log'; readonly entry: LogEvent }
  | { readonly type: 'ready'; readonly deployment: Deployment }
  | { readonly type: 'error'; readonly deployment: Deployment }
