import type { Static } from 'typebox'
import { getDeployment, getOutput } from '#contract/api/deployment.ts'
import { useParam } from '../api/account.tsx'
import { useRead } from '../api/query.ts'

export type Deployment = Static<typeof getDeployment.reply>
export type DeploymentOutput = Static<typeof getOutput.reply>

/** The deployment that the address names. */
export const useDeployment = (): Deployment =>
  useRead('deployment', getDeployment, { params: { id: useParam('deployment') } })

export const useOutput = (id: string): DeploymentOutput =>
  useRead('deployment', getOutput, { params: { id } })

export const isOver = (state: string): boolean => state === 'READY' || state === 'ERROR'

/** The first label of its host, or its id while it has none: what people tell deployments apart by. */
export const shortName = (url: string | null, id: string): string => url?.split('.')[0] ?? id
